import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type JourneyShop, openShop } from '../../../journey/shop.ts'
import { waitFor } from '../../../wait-for.ts'
import { OPERATOR, openWorld, type World } from '../../harness.ts'

/** Of JavaScript, as it is transferred: brotli. */
const BYTES_MAX = 250_000
/** Tall enough that every part of a page is seen, and so loaded. */
const TALL = { viewport: { width: 1280, height: 4_000 } }

const PAGES = readFileSync(join(import.meta.dirname, '../../../../services/panel/web/pages.ts'), 'utf8')
const paths = [...PAGES.matchAll(/^\s*(?:\{ )?path: '([^']*)'/gm)].map((match) => match[1]!)

let world: World
let shop: JourneyShop
let context: BrowserContext
beforeAll(async () => {
  world = await openWorld()
  context = (await world.signedIn(OPERATOR, TALL)).context()
  shop = await openShop(world.program, { budget: 1_000 })
  const [ad] = await shop.askForAds('ann', 'desk lamp')
  await shop.post('/v1/dsa/view-event', { showId: ad!.showId }, { cid: 'ann' })
  const day = (ms: number) => new Date(Date.now() + ms).toISOString()
  const report = `/v1/panel/reports?from=${day(-86_400_000)}&to=${day(86_400_000)}&groupBy=campaign&metrics=views`
  await waitFor(async () => (await shop.get<{ totals: { views: number } }>(report)).totals.views === 1)
})
afterAll(() => world?.stop())

/** The address of a page, with the ids of things that exist. */
async function addressOf(path: string): Promise<string> {
  const [kind] = path.split('/')
  if (!path.includes(':id')) return path.replace(':shopId', shop.shopId).replace(':eventId', 'none')
  const query = kind === 'products' || kind === 'feeds' ? `?shopId=${shop.shopId}` : ''
  const { items } = await shop.get<{ items: { id: string }[] }>(`/v1/panel/${kind}${query}`)
  const { id } = items[0]!
  if (!path.includes(':run')) return path.replace(':id', encodeURIComponent(id))
  const runs = await shop.get<{ items: { id: string }[] }>(`/v1/panel/feeds/${id}/runs`)
  return path.replace(':id', id).replace(':run', runs.items[0]!.id)
}

it('knows the pages', () => {
  expect(paths.length).toBeGreaterThan(25)
})

it.concurrent.each(paths)(`loads at most ${BYTES_MAX / 1_000} kB of compressed JavaScript: /%s`, async (path) => {
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  const sizes: number[] = []
  page.on('response', (response) => {
    if (!new URL(response.url()).pathname.endsWith('.js')) return
    expect(response.headers()['content-encoding']).toBe('br')
    sizes.push(Number(response.headers()['content-length']))
  })
  await page.goto(`/panel/${await addressOf(path)}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThanOrEqual(BYTES_MAX)
  await page.close()
})

import type { BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type JourneyShop, openShop } from '../../../journey/shop.ts'
import { OPERATOR, openWorld, type World } from '../../harness.ts'
import { bytesOf, pages, scriptsOf } from './page-scripts.ts'

/** The most bytes of JavaScript that a page may transfer, compressed with brotli. */
const BYTES_MAX = 250_000
/** Tall enough that every part of a page is visible, and so loaded. */
const TALL = { viewport: { width: 1280, height: 4_000 } }

const isLightWithParts = (source: string) => bytesOf(scriptsOf(source, { withParts: true })) <= BYTES_MAX
const [home] = pages
/** These pages load some parts only when they are used, so a browser has to show what they load. */
const heavyWithParts = pages.filter(({ source }) => !isLightWithParts(source))

let world: World
let shop: JourneyShop
let context: BrowserContext
beforeAll(async () => {
  world = await openWorld()
  context = (await world.signedIn(OPERATOR, TALL)).context()
  shop = await openShop(world.program)
})
afterAll(() => world?.stop())

/** The address of a page, with the id of an existing thing. */
async function addressOf(path: string): Promise<string> {
  if (!path.includes(':id')) return path
  const [kind] = path.split('/')
  const { items } = await shop.get<{ items: { id: string }[] }>(`/v1/panel/${kind}`)
  return path.replace(':id', items[0]!.id)
}

/** The scripts that a browser with an empty cache loads to show a page, and their bytes as transferred. */
async function load(path: string): Promise<{ scripts: Set<string>; bytes: number }> {
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  const scripts = new Set<string>()
  let bytes = 0
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (!pathname.endsWith('.js')) return
    expect(response.headers()['content-encoding']).toBe('br')
    scripts.add(pathname.replace('/panel/', ''))
    bytes += Number(response.headers()['content-length'])
  })
  await page.goto(`/panel/${await addressOf(path)}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.close()
  return { scripts, bytes }
}

it('knows the pages', () => {
  expect(pages.length).toBeGreaterThan(25)
  expect(home).toMatchObject({ path: '' })
})

it.each(pages.filter((each) => !heavyWithParts.includes(each)))(
  `loads at most ${BYTES_MAX / 1_000} kB of compressed JavaScript, all parts included: /$path`,
  ({ source }) => {
    const bytes = bytesOf(scriptsOf(source, { withParts: true }))
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThanOrEqual(BYTES_MAX)
  },
)

it.each([home!, ...heavyWithParts])(
  `loads at most ${BYTES_MAX / 1_000} kB of compressed JavaScript in a browser, and what was built for the page: /$path`,
  async ({ path, source }) => {
    const { scripts, bytes } = await load(path)
    expect(bytes).toBeLessThanOrEqual(BYTES_MAX)
    expect(bytes).toBe(bytesOf(scripts))
    expect([...scripts]).toEqual(expect.arrayContaining([...scriptsOf(source, { withParts: false })]))
    expect([...scriptsOf(source, { withParts: true })]).toEqual(expect.arrayContaining([...scripts]))
  },
)

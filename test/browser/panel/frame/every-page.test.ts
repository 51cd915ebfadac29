import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Role } from '../../../../services/panel/web/client/types.ts'
import { pagesOf } from '../../../../services/panel/web/pages.ts'
import { waitFor } from '../../../wait-for.ts'
import { type RunningDemo, startDemo } from '../../demo.ts'
import { launchBrowser, seriousFindings, signIn, watchErrors } from '../../harness.ts'

const PASSWORD = 'try-the-aisle-today'
const PEOPLE: Record<Role, string> = {
  OPERATOR: 'operator@demo.example',
  PUBLISHER: 'shop@demo.example',
  ADVERTISER: 'lumbra@demo.example',
}
/** A folder that gets a picture of every page in all looks; without it, none is taken. */
const PICTURES = process.env.PICTURES
/** Tall enough that every part of a page is seen, and so loaded. */
const LOOKS = [
  { name: 'desk-light', viewport: { width: 1280, height: 4_000 }, colorScheme: 'light' },
  { name: 'phone-dark', viewport: { width: 390, height: 8_000 }, colorScheme: 'dark' },
] as const
const OTHER_LOOKS = [
  { name: 'desk-dark', viewport: { width: 1280, height: 4_000 }, colorScheme: 'dark' },
  { name: 'phone-light', viewport: { width: 390, height: 8_000 }, colorScheme: 'light' },
] as const

let demo: RunningDemo
let browser: Browser
beforeAll(async () => {
  demo = await startDemo()
  browser = await launchBrowser()
  await waitFor(async () => {
    const { logged, stored } = await demo.api<{ logged: number; stored: number }>('/v1/panel/audit')
    return logged === stored
  })
})
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
})

/** Every page of a role, those of one thing with the first of its kind that the person sees. */
async function addressesOf(role: Role, context: BrowserContext): Promise<string[]> {
  const first = async (path: string, name = 'id') => {
    const answer = await context.request.get(`/v1/panel/${path}`)
    const { items } = (await answer.json()) as { items: Record<string, string>[] }
    return items[0]![name]!
  }
  const shopId = await first('shops')
  const feedId = role === 'ADVERTISER' ? '' : await first('feeds')
  const address = async (path: string) => {
    if (path === 'feeds/:id/runs/:run') return `feeds/${feedId}/runs/${await first(`feeds/${feedId}/runs`)}`
    if (path.startsWith('sales/:')) return `sales/${shopId}/${await first(`transactions?shopId=${shopId}`, 'eventId')}`
    if (!path.includes(':id')) return path
    const list = path.split('/')[0]!
    const id = await first(list === 'products' ? `${list}?shopId=${shopId}` : list)
    return path.replace(':id', encodeURIComponent(id))
  }
  return Promise.all(pagesOf(role).map(({ path }) => address(path)))
}

async function openSettled(page: Page, path: string): Promise<void> {
  await page.goto(`${demo.adServer}/panel/${path}`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await waitFor(async () => (await page.locator('[aria-busy=true]').count()) === 0)
}

const sidewaysPx = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

async function picture(page: Page, look: string, role: Role, path: string): Promise<void> {
  if (PICTURES === undefined) return
  mkdirSync(PICTURES, { recursive: true })
  const name = (path === '' ? 'home' : path).replace(/\W+/g, '-').slice(0, 60)
  await page.screenshot({ path: join(PICTURES, `${role.toLowerCase()}-${name}-${look}.png`), fullPage: true })
}

/** What is wrong with the pages of a role, in one look. */
async function faultsOf(role: Role, context: BrowserContext, look: string): Promise<string[]> {
  const faults: string[] = []
  for (const path of await addressesOf(role, context)) {
    const page = await context.newPage()
    const errors = watchErrors(page)
    await openSettled(page, path)
    await picture(page, look, role, path)
    const findings = await seriousFindings(page)
    const tooWide = await sidewaysPx(page)
    if (tooWide > 0) findings.push(`scrolls sideways by ${tooWide} px`)
    faults.push(...[...errors, ...findings].map((each) => `${path}: ${each}`))
    await page.close()
  }
  return faults
}

/** The operator has nearly all pages of the others: those need one look, unless all are to be pictured. */
const looksOf = (role: Role) =>
  PICTURES ? [...LOOKS, ...OTHER_LOOKS] : role === 'OPERATOR' ? LOOKS : [LOOKS[role === 'PUBLISHER' ? 0 : 1]]

const cases = (Object.keys(PEOPLE) as Role[]).flatMap((role) => looksOf(role).map((look) => ({ role, look })))
it.each(cases)('shows every page of $role without a fault: $look.name', async ({ role, look }) => {
  const { name, ...looks } = look
  const context = await browser.newContext({ baseURL: demo.adServer, ...looks })
  await signIn(context, demo.adServer, { email: PEOPLE[role], password: PASSWORD })
  expect(await faultsOf(role, context, name)).toEqual([])
  await context.close()
})

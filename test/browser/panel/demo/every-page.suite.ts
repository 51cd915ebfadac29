import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Role } from '../../../../services/panel/web/client/types.ts'
import { pagesOf } from '../../../../services/panel/web/pages.ts'
import { waitFor } from '../../../wait-for.ts'
import { seriousFindings, signIn, watchErrors } from '../../harness.ts'
import { type Given, PASSWORD, untilStored } from './given.ts'

const PEOPLE: Record<Role, string> = {
  OPERATOR: 'operator@demo.example',
  PUBLISHER: 'shop@demo.example',
  ADVERTISER: 'lumbra@demo.example',
}
/** A folder for a picture of every page in all looks. Without it, no pictures are taken. */
const PICTURES = process.env.PICTURES
interface Look {
  name: string
  viewport: { width: number; height: number }
  colorScheme: 'light' | 'dark'
}

/** Tall enough that every part of a page is visible, and so loaded. */
const DESK = { width: 1280, height: 4_000 }
const PHONE = { width: 390, height: 8_000 }
const DESK_LIGHT: Look = { name: 'desk-light', viewport: DESK, colorScheme: 'light' }
const PHONE_DARK: Look = { name: 'phone-dark', viewport: PHONE, colorScheme: 'dark' }
const OTHER_LOOKS: readonly Look[] = [
  { name: 'desk-dark', viewport: DESK, colorScheme: 'dark' },
  { name: 'phone-light', viewport: PHONE, colorScheme: 'light' },
]
const LOOKS: Record<Role, readonly [Look, ...Look[]]> = {
  OPERATOR: [DESK_LIGHT, PHONE_DARK],
  // Nearly all of their pages are also the operator's.
  PUBLISHER: [DESK_LIGHT],
  ADVERTISER: [PHONE_DARK],
}
/** Each page is opened in the first look and then changed to the others. Pictures are taken in all looks. */
const looksOf = (role: Role): readonly [Look, ...Look[]] =>
  PICTURES ? [DESK_LIGHT, PHONE_DARK, ...OTHER_LOOKS] : LOOKS[role]
/** The number of tabs that are open at the same time. */
const TABS = 3

/** The addresses of every page of a role. Pages about one thing get the first of its kind that the person sees. */
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
    if (path.startsWith('ad-requests/:')) {
      return `ad-requests/${await first(`explain/emissions?shopId=${shopId}`, 'requestId')}`
    }
    if (!path.includes(':id')) return path
    const list = path.split('/')[0]!
    const id = await first(list === 'products' ? `${list}?shopId=${shopId}` : list)
    return path.replace(':id', encodeURIComponent(id))
  }
  return Promise.all(pagesOf(role).map(({ path }) => address(path)))
}

const untilSettled = (page: Page) => waitFor(async () => (await page.locator('[aria-busy=true]').count()) === 0)

const sidewaysPx = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

async function picture(page: Page, look: string, role: Role, path: string): Promise<void> {
  if (PICTURES === undefined) return
  mkdirSync(PICTURES, { recursive: true })
  const name = (path === '' ? 'home' : path).replace(/\W+/g, '-').slice(0, 60)
  await page.screenshot({ path: join(PICTURES, `${role.toLowerCase()}-${name}-${look}.png`), fullPage: true })
}

/** Goes to a page as a link of the panel does, so that only what the page adds is loaded. */
async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(`document.querySelectorAll('h1').forEach((heading) => heading.setAttribute('data-left', ''))
    history.pushState(null, '', ${JSON.stringify(`/panel/${path}`)})
    dispatchEvent(new PopStateEvent('popstate'))`)
  await page.locator('h1:not([data-left])').first().waitFor()
}

/** Lists the faults of a page for a role, in all its looks. */
async function faultsAt(path: string, role: Role, page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const { name, viewport, colorScheme } of looksOf(role)) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    // The panel changes its colour scheme a moment later.
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    await untilSettled(page)
    await picture(page, name, role, path)
    faults.push(...(await seriousFindings(page)).map((each) => `${name}: ${each}`))
    const tooWide = await sidewaysPx(page)
    if (tooWide > 0) faults.push(`${name}: scrolls sideways by ${tooWide} px`)
  }
  return faults
}

/** Checks every page that the panel has for each role. */
export function everyPageSuite(given: Given): void {
  it.each(Object.keys(PEOPLE) as Role[])('shows every page of %s without a fault', async (role) => {
    await untilStored(given)
    const [{ viewport, colorScheme }] = looksOf(role)
    const { adServer } = given.demo
    const context = await given.browser.newContext({ baseURL: adServer, viewport, colorScheme })
    await signIn(context, adServer, { email: PEOPLE[role], password: PASSWORD })
    const waiting = await addressesOf(role, context)
    expect(waiting.length).toBeGreaterThan(10)
    const faults: string[] = []
    const tab = async () => {
      const page = await context.newPage()
      const errors = watchErrors(page)
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
        // An operator, who has nearly all pages, opens each from outside the panel; the others go from one to the next.
        if (role === 'OPERATOR' || page.url() === 'about:blank') await page.goto(`/panel/${path}`)
        else await follow(page, path)
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        const found = await faultsAt(path, role, page)
        faults.push(...[...found, ...errors.splice(0)].map((each) => `${path}: ${each}`))
      }
    }
    await Promise.all(Array.from({ length: TABS }, tab))
    expect(faults).toEqual([])
    await context.close()
  })
}

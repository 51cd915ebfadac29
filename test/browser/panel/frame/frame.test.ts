import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../../program.ts'
import { OPERATOR, openWorld, seriousFindings, type World } from '../../harness.ts'

interface Created {
  id: string
}

let world: World
const ids: Record<string, string> = {}
beforeAll(async () => {
  world = await openWorld()
  const post = (path: string, body: object) => must(world.program.call<Created>('POST', `/v1/panel/${path}`, body))
  const account = await post('accounts', { kind: 'PUBLISHER', name: 'Publisher of tests' })
  const locale = { currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'Europe/Berlin' }
  const shop = await post('shops', { accountId: account.id, name: 'Lamp shop', reserveCpc: 0.05, ...locale })
  await post('shops', { accountId: account.id, name: 'Chair shop', reserveCpc: 0.05, ...locale })
  const placement = await post('placements', { shopId: shop.id, name: 'Search', kind: 'PRODUCT' })
  const unit = await post('ad-units', { placementId: placement.id, name: 'Top', algorithm: 'CONTEXT_MATCH' })
  const feed = await post('feeds', { shopId: shop.id, name: 'Feed', currency: 'EUR', lang: 'en' })
  Object.assign(ids, { account: account.id, shop: shop.id, unit: unit.id, feed: feed.id })
})
afterAll(() => world?.stop())

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const marked = (page: Page) => navigation(page).locator('[aria-current]')

it.each([
  ['Placements', () => 'placements'],
  ['Placements', () => 'technical-units'],
  ['Placements', () => `ad-units/${ids.unit}`],
  ['Feeds', () => `feeds/${ids.feed}`],
  ['Accounts', () => `accounts/${ids.account}`],
  ['Campaigns', () => 'campaigns/new'],
])('marks in the menu where one is: %s', async (name, path) => {
  const page = await world.signedIn(OPERATOR)
  await page.goto(`/panel/${path()}`)
  await marked(page).waitFor()
  await expect.poll(() => marked(page).allTextContents()).toEqual([name])
  await page.close()
})

it('names a shop in the header only where the page is of one shop', async () => {
  const page = await world.signedIn(OPERATOR)
  const chooser = page.getByRole('banner').getByRole('combobox', { name: 'Shop' })
  await page.goto('/panel/placements')
  await chooser.waitFor()
  await navigation(page).getByRole('link', { name: 'Home' }).click()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await expect.poll(() => chooser.count()).toBe(0)
  await page.close()
})

it('leaves a form in its shop when another is chosen in another tab, and shows the one that an address names', async () => {
  const { account, shop } = ids
  const publisher = await world.makeUser({ name: 'Nora', role: 'PUBLISHER', accountId: account! })
  const form = await world.signedIn(publisher)
  const chooser = (page: Page) => page.getByRole('banner').getByRole('combobox', { name: 'Shop' })
  await form.goto('/panel/feeds/new')
  await expect.poll(() => chooser(form).inputValue()).toBe('Lamp shop')
  const other = await form.context().newPage()
  await other.goto('/panel/placements')
  await chooser(other).click()
  await other.getByRole('option', { name: 'Chair shop' }).click()
  await expect.poll(() => chooser(other).inputValue()).toBe('Chair shop')
  await form.getByLabel('Name').fill('Lamps')
  expect(await chooser(form).inputValue()).toBe('Lamp shop')
  await form.reload()
  await expect.poll(() => chooser(form).inputValue()).toBe('Lamp shop')
  await other.goto(`/panel/reports?shopId=${shop}`)
  await expect.poll(() => chooser(other).inputValue()).toBe('Lamp shop')
  await form.context().close()
})

it.each(['light', 'dark'] as const)(
  'has no serious findings with the menu of the user, a dialog or a drop-down open: %s',
  async (colorScheme) => {
    const page = await world.signedIn(OPERATOR, { colorScheme })
    await page.goto('/panel/tokens')
    const menu = page.getByRole('button', { name: /^Menu of/ })
    await menu.press('Enter')
    await page.getByRole('menuitem', { name: 'Change password' }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })

    await menu.click()
    await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click()
    await page.getByRole('dialog', { name: 'Sign out everywhere?' }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    expect(await page.getByRole('banner').count()).toBeLessThan(2)
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

    await page.getByRole('button', { name: 'New token' }).first().click()
    await page.getByRole('combobox', { name: 'Expires' }).click()
    await page.getByRole('option', { name: '90 days' }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.goto(`/panel/accounts/${ids.account}`)
    await page.getByRole('button', { name: 'Delete account' }).first().waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.close()
  },
)

it('reaches all of the menu of the user by keyboard', async () => {
  const page = await world.signedIn(OPERATOR, { colorScheme: 'light' })
  await page.goto('/panel/')
  await page.getByRole('button', { name: /^Menu of/ }).press('Enter')
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await page.getByRole('menuitemradio', { name: 'Dark' }).waitFor()
  const reached: (string | null | undefined)[] = [await focused()]
  while (reached.at(-1) !== 'Dark' && reached.length < 8) {
    await page.keyboard.press('ArrowDown')
    await expect.poll(focused).not.toBe(reached.at(-1))
    reached.push(await focused())
  }
  expect(reached.slice(-5)).toEqual(['Change password', 'Two-step sign-in', 'Same as system', 'Light', 'Dark'])
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.mantineColorScheme)).toBe('dark')
  await page.close()
})

it.each([
  { motion: 'with motion', reducedMotion: 'no-preference' as const },
  { motion: 'without motion', reducedMotion: 'reduce' as const },
])(
  'returns the focus to what opened a dialog, or to the page if that is gone, and forgets a password that was typed there: $motion',
  async ({ reducedMotion }) => {
    const page = await world.signedIn(OPERATOR, { reducedMotion })
    await page.goto('/panel/tokens')
    const dialog = page.getByRole('dialog')
    const focusOf = (found: Locator) => found.evaluate((element) => element === document.activeElement)
    const close = async (opener: Locator) => {
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await expect.poll(() => focusOf(opener)).toBe(true)
    }

    const menu = page.getByRole('button', { name: /^Menu of/ })
    const typed = page.getByRole('textbox', { name: 'New password' })
    const openPassword = async () => {
      await menu.press('Enter')
      await page.getByRole('menuitem', { name: 'Change password' }).press('Enter')
      await typed.waitFor()
    }
    await openPassword()
    await typed.fill('a password that is not saved')
    await close(menu)
    await openPassword()
    expect(await typed.inputValue()).toBe('')
    await close(menu)

    const create = page.getByRole('button', { name: 'New token' }).first()
    await create.press('Enter')
    await dialog.waitFor()
    await close(create)
    await must(
      world.program.call('POST', '/v1/panel/tokens', { accountId: ids.account, name: 'Old', scopes: ['panel'] }),
    )
    await page.reload()
    await page.getByRole('button', { name: 'Revoke Old' }).press('Enter')
    await dialog.getByRole('button', { name: 'Revoke' }).press('Enter')
    await page.getByRole('button', { name: 'Revoke Old' }).waitFor({ state: 'detached' })
    await expect.poll(() => focusOf(page.getByRole('main'))).toBe(true)
    await page.close()
  },
)

it('hides no focused field under the header or the buttons of a form', async () => {
  const page = await world.signedIn(OPERATOR, { viewport: { width: 1280, height: 600 } })
  await page.goto(`/panel/shops/${ids.shop}`)
  await page.getByText('Cannot be deleted while it has').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).focus()
  const hidden: string[] = []
  for (const key of [...Array(24).fill('Tab'), ...Array(24).fill('Shift+Tab')]) {
    await page.keyboard.press(key)
    const covered = await page.evaluate(() => {
      const focused = document.activeElement as HTMLInputElement
      const { left, top, bottom } = focused.getBoundingClientRect()
      const edges = [top + 2, bottom - 2].map((y) => document.elementFromPoint(left + 8, y))
      return (
        focused.matches('input') &&
        edges.some((edge) => edge?.closest('header, [class*="actions"]')) &&
        focused.ariaLabel
      )
    })
    if (covered !== false) hidden.push(`${key}: ${covered}`)
  }
  expect(hidden).toEqual([])
  await page.close()
})

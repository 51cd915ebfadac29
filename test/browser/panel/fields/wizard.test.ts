import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../../program.ts'
import { hold, OPERATOR, openWorld, seriousFindings, type World } from '../../harness.ts'
import { type AdvertiserShop, chooseShop, openAdvertiserShop } from '../advertiser-shop.ts'

const SHOP = 'Shop of the wizard'

let world: World
let shop: AdvertiserShop
beforeAll(async () => {
  world = await openWorld()
  shop = await openAdvertiserShop(world, SHOP)
  const { accountId } = await shop.get<{ accountId: string }>(`/v1/panel/shops/${shop.shopId}`)
  const country = { currency: 'EUR', lang: 'en', country: 'DE' }
  await shop.post('/v1/panel/shops', { accountId, name: 'Another shop', ...country })
})
afterAll(() => world?.stop())

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const focused = (page: Page) => page.locator(':focus')
const campaigns = async () =>
  (await shop.get<{ items: { name: string; status: string }[] }>(`/v1/panel/campaigns?shopId=${shop.shopId}`)).items
const step = (page: Page, name: string) => page.getByRole('heading', { level: 2, name }).and(focused(page)).waitFor()
async function openWizard(options: Parameters<World['signedIn']>[1] = {}) {
  const page = await world.signedIn(shop.person, { locale: 'en-US', ...options })
  await page.goto('/panel/campaigns/new')
  await page.getByLabel('Name').waitFor()
  await chooseShop(page, SHOP)
  return page
}
async function chooseByRule(page: Page, brand: string) {
  await page.getByText('By rule').click()
  await page.getByRole('combobox', { name: 'Brands' }).fill(brand)
  await page.getByRole('combobox', { name: 'Brands' }).press('Enter')
}

it('goes from step to step by Enter, says where it is, and creates only by its own button', async () => {
  const page = await openWizard()
  await page.getByLabel('Name').press('Enter')
  await page.getByLabel('Name').and(focused(page)).waitFor()
  await expect.poll(() => page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Name').fill('By keyboard')
  await page.getByLabel('Name').press('Enter')
  await step(page, 'Step 2 of 4: Products')
  await chooseByRule(page, 'solvik')
  await page.getByRole('combobox', { name: 'Brands' }).press('Enter')
  await step(page, 'Step 3 of 4: Budget and dates')
  await page.getByLabel('CPC bid').fill('0.4')
  await page.getByRole('textbox', { name: /^Budget/ }).fill('100')

  // Two presses of Enter, and a double click on Continue, end at the review.
  await page.getByRole('textbox', { name: /^Budget/ }).press('Enter')
  await page.keyboard.press('Enter')
  await step(page, 'Step 4 of 4: Review')
  await button(page, 'Back').click()
  await expect.poll(() => page.getByRole('textbox', { name: /^Budget/ }).inputValue()).toBe('100')
  await button(page, 'Continue').dblclick()
  await page.getByRole('heading', { level: 2, name: 'Step 4 of 4: Review' }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Review' }).getAttribute('aria-current')).toBe('step')
  await page.getByRole('radio', { name: 'Active' }).press('Enter')
  await page.getByText('Starts immediately').waitFor()
  expect(await campaigns()).toEqual([])

  await button(page, 'Create campaign').press('Enter')
  await page.getByRole('heading', { level: 1, name: 'By keyboard' }).waitFor()
  expect(await campaigns()).toMatchObject([{ name: 'By keyboard', status: 'ACTIVE' }])
  await page.context().close()
})

it('does not start a campaign whose rule matches no product, and says so before it keeps a draft', async () => {
  const page = await openWizard()
  await page.getByLabel('Name').fill('Nothing')
  await button(page, 'Continue').click()
  await chooseByRule(page, 'no such brand')
  await page.getByText('No product matches. The campaign cannot start like this').waitFor()
  await button(page, 'Continue').click()
  await page.getByLabel('CPC bid').fill('0.4')
  await page.getByRole('textbox', { name: /^Budget/ }).fill('100')
  await button(page, 'Continue').click()
  await step(page, 'Step 4 of 4: Review')
  await button(page, 'Create campaign').click()
  await page.getByRole('heading', { level: 2, name: 'Step 2 of 4: Products' }).waitFor()
  await page.getByRole('alert').and(focused(page)).waitFor()
  expect(await campaigns()).toHaveLength(1)

  await page.getByRole('button', { name: 'Review' }).click()
  await page.getByRole('radio', { name: 'Draft' }).click()
  await page.getByText('You can save this as a draft').waitFor()
  await button(page, 'Save draft').click()
  await page.getByRole('heading', { level: 1, name: 'Nothing' }).waitFor()
  expect((await campaigns()).find(({ name }) => name === 'Nothing')).toMatchObject({ status: 'DRAFT' })
  await page.context().close()
})

it('counts again while the products of the shop are being indexed', async () => {
  const page = await openWizard()
  const answers = [{ matching: 0, available: 0, examples: [], unknownIds: [], indexing: true }]
  await page.route('**/v1/panel/product-count', async (route) => {
    const json = answers.pop()
    await (json ? route.fulfill({ json }) : route.continue())
  })
  await page.getByLabel('Name').fill('At once')
  await button(page, 'Continue').click()
  await chooseByRule(page, 'solvik')
  await page.getByText('The products of the shop are still being read').waitFor()
  expect(await page.getByText('No product matches').count()).toBe(0)
  await page
    .getByText(/^\d+ products?/)
    .first()
    .waitFor()
  await expect.poll(() => page.getByText('The products of the shop are still being read').count()).toBe(0)
  await page.context().close()
})

it('keeps an amount that cannot be read from passing, and goes to it', async () => {
  const page = await openWizard({ locale: 'pl-PL' })
  await page.getByLabel('Name').fill('Unclear')
  await button(page, 'Continue').click()
  await chooseByRule(page, 'solvik')
  await button(page, 'Continue').click()
  await page.getByLabel('CPC bid').fill('0,4')
  await page.getByRole('textbox', { name: /^Budget/ }).fill('1.500')
  await button(page, 'Continue').click()
  await page
    .getByRole('textbox', { name: /^Budget/ })
    .and(focused(page))
    .waitFor()
  await page.getByText('This can be read as 1,5 or 1500. Enter 1,50 or 1500.').waitFor()
  await page.context().close()
})

it('takes no budget that pays for no click', async () => {
  const page = await openWizard()
  await page.getByLabel('Name').fill('Too little')
  await button(page, 'Continue').click()
  await chooseByRule(page, 'solvik')
  await button(page, 'Continue').click()
  await page.getByLabel('CPC bid').fill('0.4')
  await page.getByRole('textbox', { name: /^Budget/ }).fill('0.04')
  await button(page, 'Continue').click()
  await page.getByText('A click costs at least €0.05.').waitFor()
  await page.getByRole('textbox', { name: /^Budget/ }).fill('100')
  await page.getByRole('textbox', { name: 'Daily budget' }).fill('0.04')
  await button(page, 'Continue').click()
  await page.getByRole('textbox', { name: 'Daily budget' }).and(focused(page)).waitFor()
  await page.getByText('A click costs at least €0.05.').waitFor()
  await page.getByRole('textbox', { name: 'Daily budget' }).fill('0.05')
  await button(page, 'Continue').click()
  await step(page, 'Step 4 of 4: Review')
  await page.context().close()
})

it('says which sellers the feeds have when an account may advertise none of them, and where that is changed', async () => {
  const elsewhere = { kind: 'ADVERTISER', name: 'Elsewhere', sellerIds: ['NOBODY'] }
  await must(world.program.call('POST', '/v1/panel/accounts', elsewhere))
  const page = await world.signedIn(OPERATOR, { locale: 'en-US' })
  await page.goto('/panel/campaigns/new')
  await page.getByLabel('Name').fill('Of nobody')
  await chooseShop(page, SHOP)
  await page.getByRole('combobox', { name: 'Account' }).click()
  await page.getByRole('option', { name: 'Elsewhere' }).click()
  await button(page, 'Continue').click()
  await page.getByText(`Sellers in the feeds of ${SHOP}, with their products: SOLVIK (4).`).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('link', { name: 'Change the sellers of Elsewhere' }).click()
  await button(page, 'Leave').click()

  await page.getByRole('combobox', { name: 'Suggest sellers from' }).click()
  await page.getByRole('option', { name: SHOP }).click()
  await page.getByText(`${SHOP}: no product is from NOBODY.`).waitFor()
  await page.getByRole('combobox', { name: 'Sellers whose products this account may advertise' }).fill('solv')
  const release = await hold(page, '**/v1/panel/sellers?*ids=*')
  await page.getByRole('option', { name: 'SOLVIK (4 products)' }).click()
  // The fields below stay in their place when the answer comes: a click that is under way would miss them.
  const below = page.getByRole('switch', { name: /^Display advertising/ })
  const place = await below.boundingBox()
  release()
  await page.getByText(`${SHOP}: matches 4 of 5 products.`).waitFor()
  expect(await below.boundingBox()).toEqual(place)
  expect(await seriousFindings(page)).toEqual([])
  await page.context().close()
})

it.each(['light', 'dark'] as const)('has no serious finding of axe in any step, %s', async (colorScheme) => {
  const page = await openWizard({ colorScheme })
  const isClean = async () => expect(await seriousFindings(page)).toEqual([])
  await isClean()
  await page.getByLabel('Name').fill('Clean')
  await page.getByRole('radio', { name: /^Display banners/ }).click()
  await button(page, 'Continue').click()
  await page.getByRole('combobox', { name: 'Country' }).click()
  await page.getByRole('option', { name: 'Germany' }).waitFor()
  await isClean()
  await page.getByRole('option', { name: 'Germany' }).click()
  await button(page, 'Add banner').click()
  await isClean()
  await page.getByRole('button', { name: /Campaign$/ }).click()
  await page.getByRole('radio', { name: /^Sponsored products/ }).click()
  await button(page, 'Continue').click()
  await chooseByRule(page, 'solvik')
  await page.getByRole('combobox', { name: 'Sellers' }).click()
  await isClean()
  await button(page, 'Continue').click()
  await page.getByLabel('CPC bid').fill('1,50')
  await page.getByRole('textbox', { name: /^Budget/ }).fill('100')
  await isClean()
  await page.getByLabel('CPC bid').fill('1.50')
  await button(page, 'Continue').click()
  await step(page, 'Step 4 of 4: Review')
  await isClean()
  await page.context().close()
})

it('asks an operator who pays before anything that depends on it', async () => {
  const page = await world.signedIn(OPERATOR, { locale: 'en-US' })
  await page.goto('/panel/campaigns/new')
  await page.getByLabel('Name').fill('For somebody')
  await button(page, 'Continue').click()
  const account = page.getByRole('combobox', { name: 'Account' })
  await account.and(focused(page)).waitFor()
  await expect.poll(() => account.getAttribute('aria-invalid')).toBe('true')
  expect(await seriousFindings(page)).toEqual([])
  await page.close()
})

import { rm } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { startDemo } from './demo.ts'
import { launchBrowser } from './harness.ts'

/**
 * Walks through the panel as each of three people and prints a table: each action, and the seconds until the panel showed its
 * result, without the time for typing and looking. docs/panel-walk.md is written from it: `node test/browser/walk.ts`.
 */

type Step = (does: string, sees: string, act: (page: Page) => Promise<void>) => Promise<void>

const PASSWORD = 'try-the-aisle-today'
const STEP_TIMEOUT_MS = 20_000

const demo = await startDemo()
const browser = await launchBrowser()
let failed = 0
try {
  await walk(browser, { who: 'Operator', email: 'operator@demo.example' }, operator)
  await walk(browser, { who: 'Publisher', email: 'shop@demo.example' }, publisher)
  await walk(browser, { who: 'Advertiser', email: 'lumbra@demo.example' }, advertiser)
} finally {
  await browser.close()
  await demo.stop()
  await rm(demo.folder, { recursive: true, force: true })
}
process.exitCode = failed > 0 ? 1 : 0

async function walk(
  browser: Browser,
  { who, email }: { who: string; email: string },
  steps: (step: Step) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US' })
  const page = await context.newPage()
  page.setDefaultTimeout(STEP_TIMEOUT_MS)
  console.log(`\n## ${who}\n\n| Do | See | Seconds |\n|---|---|---|`)
  const step: Step = async (does, sees, act) => {
    const begunAt = performance.now()
    const problem = await act(page).catch((error: Error) => error)
    if (problem) failed += 1
    const took = problem
      ? `failed: ${problem.message.split('\n')[0]}`
      : ((performance.now() - begunAt) / 1000).toFixed(1)
    console.log(`| ${does} | ${sees} | ${took} |`)
  }
  await step(
    `Open the panel and sign in as ${email}`,
    'Home with sales, spend and ROAS, and what needs attention',
    async () => {
      await page.goto(`${demo.adServer}/panel/`)
      await page.getByLabel('E-mail').fill(email)
      await page.locator('input[type=password]').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
      await page.getByText('vs previous period').first().waitFor()
    },
  )
  await steps(step)
  await context.close()
}

function menu(page: Page, name: string) {
  return page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
}

function heading(page: Page, name: string | RegExp) {
  return page.getByRole('heading', { level: 1, name }).waitFor()
}

function press(page: Page, name: string | RegExp) {
  return page.getByRole('button', { name }).first().click()
}

async function operator(step: Step): Promise<void> {
  await step('Look at the last 28 days on Home', 'A month against the month before it', async (page) => {
    await page.getByText('Last 28 days').click()
    await page.getByText('vs previous period').first().waitFor()
  })
  await step('Open System health', 'The audit: what is logged is stored, no failed events', async (page) => {
    await menu(page, 'System health')
    await page.getByRole('table').getByText('ad-events').first().waitFor()
  })
  await step(
    'Create an account for an advertiser',
    'Its page, with the products that it may advertise',
    async (page) => {
      await menu(page, 'Accounts')
      await page.getByRole('link', { name: 'New account' }).click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Solvik Lamps')
      await page.getByRole('combobox', { name: 'Type' }).click()
      await page.getByRole('option', { name: 'Advertiser' }).click()
      await press(page, 'Create account')
      await heading(page, 'Solvik Lamps')
    },
  )
  await step('Search the campaigns for “camera”', 'Camera launch alone, nearly out of budget', async (page) => {
    await menu(page, 'Campaigns')
    await page.getByRole('searchbox').fill('camera')
    await page.getByRole('link', { name: /^Camera launch/ }).waitFor()
  })
  await step('Pause it and start it again', 'Its state changes in the row', async (page) => {
    await press(page, /^Pause Camera/)
    await press(page, /^Resume Camera/)
    await page.getByRole('button', { name: /^Pause Camera/ }).waitFor()
  })
  await step(
    'Open the campaign',
    'Its settings, targeting and history of changes: what was just done',
    async (page) => {
      await page.getByRole('link', { name: /^Camera launch/ }).click()
      await page.getByRole('heading', { name: /History/ }).waitFor()
    },
  )
  await step('Open the security log', 'The sign-in and the new account', async (page) => {
    await menu(page, 'Security log')
    await page.getByRole('table').getByText(/sign/i).first().waitFor()
  })
}

async function publisher(step: Step): Promise<void> {
  await step(
    'Accept the first banner in Moderation, and undo it',
    '“Accepted”, then the campaign waits again',
    async (page) => {
      await menu(page, 'Moderation')
      await press(page, /^Accept/)
      await page.getByText(/^Accepted: /).waitFor()
      await press(page, /^Undo/)
      await page.getByText('Decision undone').waitFor()
    },
  )
  await step(
    'Open the feed and its last run',
    'What it took and rejected, each warning with its cause',
    async (page) => {
      await menu(page, 'Feeds')
      await page.getByRole('link', { name: 'Catalogue' }).click()
      await heading(page, 'Catalogue')
      await page.getByText('Succeeded with warnings').first().waitFor()
    },
  )
  await step(
    'Search the products for “kettle” and open one',
    'Its campaigns, or why it is not advertised',
    async (page) => {
      await menu(page, 'Products')
      await page.getByRole('searchbox').fill('kettle')
      await page
        .getByRole('link', { name: /kettle/i })
        .first()
        .click()
      await heading(page, /kettle/i)
    },
  )
  await step(
    'Open an ad unit and its code',
    'The tag with its ids, and calls for Node, PHP and Python',
    async (page) => {
      await menu(page, 'Placements')
      await page.getByRole('link', { name: 'Top of the results' }).click()
      await page.getByRole('tab', { name: 'Code' }).click()
      await page.getByText('Python').first().waitFor()
    },
  )
  await step('Open Ad requests', 'The last requests, live, with what each showed', async (page) => {
    await menu(page, 'Ad requests')
    await page.getByRole('table').getByText('Top of the results').first().waitFor()
  })
  await step(
    'Open one of them',
    'Relevance, predicted CTR and price of each ad, and what was dropped',
    async (page) => {
      await page.getByRole('table').getByRole('link').first().click()
      await page.getByText('Predicted CTR').first().waitFor()
    },
  )
  await step(
    'Compare the report with the previous period',
    'Both periods in the chart, the dates above it',
    async (page) => {
      await menu(page, 'Reports')
      await page.getByRole('switch', { name: 'Compare with previous' }).click({ force: true })
      await page
        .getByText(/vs previous period/i)
        .first()
        .waitFor()
    },
  )
  await step('Open the latest sale', 'The touches before it, and which one earned it', async (page) => {
    await menu(page, 'Sales')
    await page.getByRole('table').getByRole('link').first().click()
    await page
      .getByText(/credited|earned/i)
      .first()
      .waitFor()
  })
}

async function advertiser(step: Step): Promise<void> {
  await step(
    'Create a campaign with the wizard: name, products, bid, budget',
    'Four steps, then its page',
    async (page) => {
      await menu(page, 'Campaigns')
      await page.getByRole('link', { name: 'New campaign' }).first().click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Kettles of winter')
      await press(page, 'Continue')
      await page.getByText('By rule').click()
      await page.getByRole('combobox', { name: 'Brands' }).fill('Lumbra')
      await page.getByRole('combobox', { name: 'Brands' }).press('Enter')
      await page
        .getByText(/\d+ products?/)
        .first()
        .waitFor()
      await press(page, 'Continue')
      await page.getByLabel('CPC bid').fill('0.35')
      await page.getByRole('textbox', { name: /^Budget/ }).fill('120')
      await press(page, 'Continue')
      await page.getByRole('button', { name: 'Create campaign' }).waitFor()
      await press(page, 'Create campaign')
      await heading(page, 'Kettles of winter')
    },
  )
  await step(
    'Select all campaigns and raise their bids',
    'What changes, and after Apply what was changed',
    async (page) => {
      await menu(page, 'Campaigns')
      await page.getByRole('checkbox', { name: /Select all/ }).check()
      await press(page, 'Change bid')
      await page.getByRole('dialog').getByRole('textbox', { name: /^CPC/ }).fill('0.4')
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(Apply|Change)/ })
        .click()
      await page
        .getByText(/(campaigns? (was|were) changed)|needed no change/)
        .first()
        .waitFor()
    },
  )
  await step('Open Coffee season', 'Its figures, settings, products and history: the new bid', async (page) => {
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: /^Coffee season/ }).click()
    await page.getByText('€0.40').first().waitFor()
  })
  await step('Duplicate it', 'The wizard, filled in, as a draft', async (page) => {
    await page
      .getByRole('link', { name: 'Duplicate' })
      .or(page.getByRole('button', { name: 'Duplicate' }))
      .first()
      .click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor()
  })
  await step('Open Reports by campaign', 'Views, clicks, spend, sales and ROAS of each', async (page) => {
    await menu(page, 'Home')
    await menu(page, 'Reports')
    await page.getByRole('table').getByRole('row').nth(3).waitFor()
  })
  await step('Open Sales', 'Only the orders that credited the own campaigns', async (page) => {
    await menu(page, 'Sales')
    await page.getByRole('table').getByRole('link').first().waitFor()
  })
}

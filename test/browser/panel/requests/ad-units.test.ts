import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { must } from '../../../program.ts'
import { waitFor } from '../../../wait-for.ts'
import { openWorld, seriousFindings, type World, watchErrors } from '../../harness.ts'
import { openPublisherShop, type Stock } from '../publisher-data.ts'

let world: World
let stock: Stock
let page: Page
let unitId: string
beforeAll(async () => {
  world = await openWorld()
  ;({ stock, page } = await openPublisherShop(world))
  const placement = await make('placements', { shopId: stock.shopId, name: 'Search', kind: 'PRODUCT' })
  unitId = (await make('ad-units', { placementId: placement.id, name: 'Top', algorithm: 'BESTSELLERS' })).id
})
afterAll(() => world?.stop())

const make = <T = { id: string }>(path: string, body: object) =>
  must(world.program.call<T>('POST', `/v1/panel/${path}`, body))
const code = async (name: string) => (await page.getByRole('region', { name: `Code: ${name}` }).textContent())!

it('waits for the first request of an ad unit, and says when it came', async () => {
  const errors = watchErrors(page)
  await page.goto(`/panel/ad-units/${unitId}?tab=code`)
  await page.getByText('Waiting for the first request').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  expect(await code('Script tag')).toContain(`/v1/dsa/formatted/${unitId}/endcap-ads/1/4`)
  expect(await code('Calls from the browser')).toContain("send('/v1/dsa/view-event'")

  await runNodeExample()
  await page.getByText(/^First request received \d/).waitFor()
  await page.reload()
  await page.getByText(/^Receiving requests, the latest: \d/).waitFor()
  expect(errors).toEqual([])
})

it('gives the calls from the browser the client id of the script', async () => {
  const [line] = /^const cid = .*$/m.exec(await code('Calls from the browser'))!
  await page.evaluate("localStorage.setItem('endcap-cid', 'shop-7')")
  expect(await page.evaluate(`(() => { ${line}; return cid })()`)).toBe('shop-7')
})

/** Runs the example exactly as the page shows it, with a token as the page describes. */
async function runNodeExample(): Promise<void> {
  const file = join(world.program.folder, 'example.mjs')
  await writeFile(file, await code('Calls from a server'))
  const scopes = ['events']
  const { token } = await make<{ token: string }>('tokens', { accountId: stock.publisherId, name: 'Server', scopes })
  await promisify(execFile)(process.execPath, [file], { env: { ...process.env, ENDCAP_TOKEN: token } })
}

it('has its events counted and its sale attributed', async () => {
  await page.getByRole('tab', { name: 'Figures' }).click()
  const sale = `/v1/panel/explain/attribution/order-1001?shopId=${stock.shopId}`
  await waitFor(async () => (await world.program.call('GET', sale)).status === 200)
  const period = `from=${new Date(Date.now() - 86_400_000).toISOString()}&to=${new Date(Date.now() + 60_000).toISOString()}`
  const report = `/v1/panel/reports?${period}&adUnitId=${unitId}&metrics=requests,views,clicks`
  await expect
    .poll(async () => (await world.program.call<{ totals: object }>('GET', report)).body.totals)
    .toMatchObject({ requests: 1, views: 1, clicks: 1 })
  await page.reload()
  await page.getByText('Last 28 days').waitFor()
  await page.getByText('100%').waitFor()
  expect(await seriousFindings(page)).toEqual([])
})

it('says the same in PHP and in Python', async () => {
  await page.getByRole('tab', { name: 'Code' }).click()
  await page.getByText('PHP', { exact: true }).click()
  const php = await code('Calls from a server')
  expect(php).toContain(`'slotHash' => '${unitId}'`)
  expect(php).toContain("'eventId' => 'order-1001'")
  await page.getByText('Python', { exact: true }).click()
  const python = await code('Calls from a server')
  expect(python).toContain(`"slotHash": "${unitId}"`)
  for (const path of ['/v1/dsa/raw/batch', '/v1/dsa/view-event', '/v1/dsa/click-event', '/v1/ev/transaction']) {
    expect(php).toContain(`send('${path}', `)
    expect(python).toContain(`send('${path}', `)
  }
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { feedXml, openShop } from '../../journey/shop.ts'
import { must, type Program, startProgram } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'
import { addresses, removeIndices, testNamespace } from '../addresses.ts'
import { removeNamespace, settingsIn } from '../namespace.ts'
import { runToEnd } from '../restore/scripts.ts'

const namespace = testNamespace()
const WAIT_MS = 120_000
const LAMPS = ['one', 'two', 'three']
let program: Program

beforeAll(async () => {
  // Ads must not be left out because an answer comes late.
  program = await startProgram({ env: { ...settingsIn(namespace), SELECTION_DEADLINE_MS: '5000' } })
})
afterAll(async () => {
  await program?.stop()
  await removeNamespace(namespace)
})

test('while the index is lost, ads come from what was known of it, and their views are judged', async () => {
  const { shopId, askForAds } = await openShop(program, { lamps: LAMPS })
  const isThere = async () =>
    (await fetch(`${addresses.elasticsearchUrl}/${namespace}-products`, { method: 'HEAD' })).ok
  const [from, to] = [-1, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10))
  const report = `/v1/panel/reports?shopId=${shopId}&from=${from}&to=${to}&metrics=views`
  const counted = async () => (await must(program.call<{ totals: { views: number } }>('GET', report))).totals.views

  await removeIndices(addresses.elasticsearchUrl, namespace)
  expect(await isThere()).toBe(false)
  let views = 0
  do {
    const cid = randomUUID()
    const ads = await askForAds(cid, 'desk lamp', LAMPS.length)
    expect(ads).toHaveLength(LAMPS.length)
    await must(program.call('POST', '/v1/dsa/view-event', { showId: ads[0]!.showId }, { cid }))
    views++
  } while (!(await isThere()))
  await expect.poll(counted, { timeout: WAIT_MS }).toBe(views)
})

test('an index that is lost again and again while feeds are read and a campaign changes has in the end what the log has', async () => {
  const call = <T>(...args: Parameters<Program['call']>) => must(program.call<T>(...args))
  const { shopId, feedId, campaignId, askForAds } = await openShop(program, { lamps: LAMPS })

  async function readFeed(lamps: readonly string[]): Promise<() => Promise<void>> {
    const { id } = await call<{ id: string }>('POST', `/v1/panel/feeds/${feedId}/content`, feedXml(lamps))
    let run = { status: '' }
    const isOver = async () => {
      run = await call('GET', `/v1/panel/feeds/${feedId}/runs/${id}`)
      return run.status !== 'QUEUED' && run.status !== 'RUNNING'
    }
    return async () => {
      await waitFor(isOver)
      expect(run).toMatchObject({ status: 'DONE' })
    }
  }
  async function promote(ids: readonly string[]): Promise<() => Promise<void>> {
    await call('PATCH', `/v1/panel/campaigns/${campaignId}`, { products: { ids } })
    return async () => {}
  }
  const changes = [
    () => readFeed(['two', 'three', 'four', 'five']),
    () => promote(['lamp-two']),
    () => readFeed(['two', 'four', 'five', 'six']),
    () => promote(['lamp-three', 'lamp-four', 'lamp-six']),
  ]
  for (const change of changes) {
    await removeIndices(addresses.elasticsearchUrl, namespace)
    const done = await change()
    await removeIndices(addresses.elasticsearchUrl, namespace)
    await done()
  }

  const shown = async () => (await askForAds(randomUUID(), 'desk lamp', 9)).map((ad) => ad.shopProductId).sort()
  await expect.poll(shown, { timeout: WAIT_MS }).toEqual(['lamp-four', 'lamp-six'])
  expect(await runToEnd('rebuild', { ...settingsIn(namespace), ENGINE: 'elasticsearch' })).toEqual({
    code: 0,
    output: expect.stringContaining('Every projection is as it was.'),
  })
  expect((await call<{ items: unknown[] }>('GET', `/v1/panel/products?shopId=${shopId}`)).items).toHaveLength(4)
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openEmbeddedProductIndex } from '../../../infra/product-index/embedded/product-index.ts'
import type { IndexWrite, ProductIndex } from '../../../infra/product-index/port.ts'
import type { Account } from '../../../schemas/records/accounts.ts'
import type { Campaign, RegistryEntry } from '../../../schemas/records/entities.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { createIndexerStep } from '../../../streams/indexer/indexer-step.ts'
import { createPromotionBook } from '../../../streams/indexer/promotion-book.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { campaignBody } from '../judge/fixtures.ts'

const folder = mkdtempSync(join(tmpdir(), 'indexer-'))
const index = await openEmbeddedProductIndex({ folder })
afterAll(async () => {
  await index.close()
  rmSync(folder, { recursive: true })
})

const OFFERS_PER_SELLER = 20
const CAMPAIGNS_PER_SELLER = 50
const rule = { brands: [], categoryPaths: [], labels: [], sellerIds: [], priceMinMicros: null, priceMaxMicros: null }
const products = (at: number): Partial<Campaign> =>
  at % 2 === 0
    ? { productIds: [`p${at}`], productRule: null }
    : { productIds: null, productRule: { ...rule, priceMaxMicros: at } }

const entry = (kind: 'Campaign' | 'Account', id: string, version: number, body: Account | Campaign) =>
  ({ kind, id, version, updatedAt: 0, updatedBy: '', deletedAt: null, body }) as RegistryEntry
const account = (sellerIds: string[]): Account => ({
  kind: 'ADVERTISER',
  name: '',
  companyName: '',
  taxNumber: '',
  sellerIds,
  displayEnabled: false,
})

/** A marketplace of one shop whose advertisers have one seller each, and the indexer in front of its index. */
async function marketplace(sellers: number) {
  await index.clear()
  const snapshot = new Snapshot()
  for (let seller = 0; seller < sellers; seller++) {
    snapshot.apply(entry('Account', `a${seller}`, 1, account([`s${seller}`])))
    for (let nth = 0; nth < CAMPAIGNS_PER_SELLER; nth++) {
      const body = campaignBody({ shopId: 'shop', accountId: `a${seller}`, ...products(nth) })
      snapshot.apply(entry('Campaign', `c${seller}.${nth}`, 1, body))
    }
  }
  const counts = { scans: 0, offersRead: 0, writes: 0, campaignsRead: 0, otherCalls: 0 }
  const counting: ProductIndex = {
    ...index,
    async scan(request) {
      const page = await index.scan(request)
      counts.scans++
      counts.offersRead += page.length
      return page
    },
    write(writes: readonly IndexWrite[]) {
      counts.writes += writes.length
      return index.write(writes)
    },
    refresh() {
      counts.otherCalls++
      return index.refresh()
    },
  }
  const { allEver, getEver } = snapshot
  snapshot.allEver = function* (kind) {
    for (const each of allEver.call(snapshot, kind)) {
      counts.campaignsRead++
      yield each as never
    }
  }
  snapshot.getEver = (kind, id) => {
    if (kind === 'Campaign') counts.campaignsRead++
    return getEver.call(snapshot, kind, id) as never
  }
  const book = createPromotionBook(snapshot)
  const step = createIndexerStep({ index: counting, snapshot, book, progress: new Map(), isRegistryApplied: false })
  let offset = 0
  const run = async (topic: 'products' | 'registry', values: object[]) => {
    const records = values.map((value) => ({
      topic,
      partition: 0,
      offset: offset++,
      key: null,
      value,
      bytes: null,
      appendedAt: 0,
    }))
    await step({ topic, partition: 0, records, turn: async () => null, lastOffset: offset - 1 })
  }
  for (let seller = 0; seller < sellers; seller++) {
    const offers = Array.from({ length: OFFERS_PER_SELLER }, (_, at) =>
      anOffer({
        id: seller === 0 ? `p${at}` : `p${seller}.${at}`,
        externalSellerId: `s${seller}`,
        priceMicros: at + 1,
      }),
    )
    await run('products', offers)
  }
  return {
    /** Counts what the indexer does for a change. */
    async costOf(...changes: RegistryEntry[]) {
      const before = { ...counts }
      await run('registry', changes)
      return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count - before[name as never]]))
    },
    async promotedBy(campaignId: string): Promise<string[]> {
      await index.refresh()
      const page = await index.scan({
        shopId: 'shop',
        filters: [{ kind: 'campaign', campaignId }],
        after: null,
        limit: 100,
      })
      return page.map(({ offer }) => offer.id)
    },
  }
}

test('a changed campaign costs by the offers it promoted and promotes, among 100 campaigns as among 10,000', async () => {
  const costs: object[] = []
  for (const sellers of [2, 200]) {
    const shop = await marketplace(sellers)
    const change = (version: number, fields: Partial<Campaign>) =>
      entry('Campaign', 'c0.5', version, campaignBody({ shopId: 'shop', accountId: 'a0', ...fields }))
    expect(await shop.promotedBy('c0.5')).toHaveLength(5)
    const toPrice = await shop.costOf(change(2, { productIds: null, productRule: { ...rule, priceMaxMicros: 8 } }))
    expect(await shop.promotedBy('c0.5')).toHaveLength(8)
    const toIds = await shop.costOf(change(3, { productIds: ['p3', 'p11'], productRule: null }))
    expect(await shop.promotedBy('c0.5')).toEqual(['p11', 'p3'])
    const paused = await shop.costOf(change(4, { productIds: ['p3', 'p11'], productRule: null, status: 'PAUSED' }))
    const ofAccount = await shop.costOf(entry('Account', 'a0', 2, account(['s0', 's1'])))
    // Do not compare these reads: the index may refresh by itself between two of the account's campaigns, and the second one then
    // reads what the first wrote.
    delete ofAccount.offersRead
    costs.push({ toPrice, toIds, paused, ofAccount })
  }
  const [few, many] = costs
  expect(many).toEqual(few)
  expect(many).toMatchObject({
    // Five are promoted before and eight after; three of those are new.
    toPrice: { scans: 2, offersRead: 5 + 8, writes: 3, campaignsRead: 1 },
    // Eight are promoted before and two after; seven leave and one comes.
    toIds: { scans: 2, offersRead: 8 + 2, writes: 7 + 1, campaignsRead: 1 },
    paused: { scans: 0, offersRead: 0, writes: 0 },
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openEmbeddedProductIndex } from '../../../infra/product-index/embedded/product-index.ts'
import { IndexUnavailable } from '../../../infra/product-index/port.ts'
import type { Campaign, RegistryEntry } from '../../../schemas/records/entities.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { tries } from '../../effort.ts'
import { anOffer } from '../../infra/product-index/offer.fixture.ts'
import { Feed, UNCOMMITTED } from './feed.ts'

const folder = mkdtempSync(join(tmpdir(), 'indexer-'))
const index = await openEmbeddedProductIndex({ folder })
afterAll(async () => {
  await index.close()
  rmSync(folder, { recursive: true })
})

let feed: Feed
beforeEach(async () => {
  await index.clear()
  feed = new Feed(index)
  await feed.step(feed.account('publisher', null), feed.account('seller', ['s1']))
})
async function promotions(): Promise<Record<string, string[]>> {
  await index.refresh()
  const products = await index.scan({ shopId: 'shop', filters: [], after: null, limit: 100 })
  return Object.fromEntries(products.map(({ offer, campaignIds }) => [offer.id, campaignIds]))
}
const everything = {
  productIds: null,
  productRule: { brands: [], categoryPaths: [], labels: [], sellerIds: [], priceMinMicros: null, priceMaxMicros: null },
}

describe('the indexer', () => {
  test('brings offers and signals into the index, and takes removed offers out', async () => {
    await feed.step(feed.offer({ id: 'a' }), feed.offer({ id: 'b/1' }))
    const signals = { shopId: 'shop', id: 'a', popularity: 5, views: 1, clicks: 1, alsoBought: [], computedAt: 1 }
    await feed.step(feed.record('product-signals', signals))
    await feed.step(feed.record('products', null, 'shop/feed/b/1'))
    await index.refresh()
    expect(await index.get('shop', ['a', 'b/1'])).toEqual([{ offer: anOffer({ id: 'a' }), campaignIds: [], signals }])
  })

  test('throws when the index refuses a part of a batch, and does all of it when it comes again', async () => {
    const records = Array.from({ length: 1_700 }, (_, at) => feed.offer({ id: `${at}` }))
    for (const refused of [0, 1, 2, 3]) {
      let writes = 0
      const write: typeof index.write = async (...args) => {
        if (writes++ === refused) throw new IndexUnavailable('refused')
        return index.write(...args)
      }
      const step = feed.newStep(new Map(), { ...index, write })
      const batch = { topic: 'products' as const, partition: 0, records, ...UNCOMMITTED }
      await expect(step(batch)).rejects.toThrow('refused')
    }
    await feed.step(...records)
    await index.refresh()
    expect(await index.count('shop', [])).toBe(records.length)
  })

  test('gives up a removal whose key names no offer', async () => {
    expect(await feed.step(feed.record('products', null, 'nonsense'))).toMatchObject({ dead: [{ code: 'BAD_KEY' }] })
  })

  test('analyses an offer without a language in that of its shop', async () => {
    await feed.step(feed.entry('Shop', 'shop', { lang: 'de' }))
    await feed.step(feed.offer({ title: 'Häuser' }))
    await index.refresh()
    expect(await index.count('shop', [{ kind: 'text', text: 'Haus', lang: 'de', minShare: 1, in: 'TITLE' }])).toBe(1)
  })

  test('a campaign reaches offers that are there, and offers that come later', async () => {
    await feed.step(feed.offer({ id: 'a' }), feed.offer({ id: 'b', brand: 'Acme' }))
    await feed.step(feed.campaign('ids', { productIds: ['a', 'c'] }))
    await feed.step(
      feed.campaign('acme', { ...everything, productRule: { ...everything.productRule, brands: ['acme'] } }),
    )
    await feed.step(feed.offer({ id: 'c', brand: 'ACME' }))
    expect(await promotions()).toEqual({ a: ['ids'], b: ['acme'], c: ['acme', 'ids'] })
  })

  test('a campaign that changes or is deleted leaves the offers it no longer promotes', async () => {
    await feed.step(feed.offer({ id: 'a' }), feed.offer({ id: 'b' }))
    await feed.step(feed.campaign('x', { productIds: ['a'] }), feed.campaign('all', everything))
    await feed.step(feed.campaign('x', { productIds: ['b'] }))
    expect(await promotions()).toEqual({ a: ['all'], b: ['all', 'x'] })
    await feed.step(feed.campaign('all', everything, true))
    expect(await promotions()).toEqual({ a: [], b: ['x'] })
  })

  test("an advertiser's campaign follows its account's sellers", async () => {
    await feed.step(feed.campaign('x', { accountId: 'seller', ...everything }))
    await feed.step(feed.offer({ id: 'a', externalSellerId: 's1' }), feed.offer({ id: 'b', externalSellerId: 's2' }))
    expect(await promotions()).toEqual({ a: ['x'], b: [] })
    await feed.step(feed.account('seller', ['s2']))
    expect(await promotions()).toEqual({ a: [], b: ['x'] })
  })

  test('an offer that changes leaves the campaigns whose rule it no longer satisfies', async () => {
    await feed.step(
      feed.campaign('cheap', { ...everything, productRule: { ...everything.productRule, priceMaxMicros: 5 } }),
    )
    await feed.step(feed.offer({ id: 'a', priceMicros: 5 }))
    expect(await promotions()).toEqual({ a: ['cheap'] })
    await feed.step(feed.offer({ id: 'a', priceMicros: 6 }))
    expect(await promotions()).toEqual({ a: [] })
  })

  test('a campaign over more offers than a page reaches all of them', async () => {
    await feed.step(...Array.from({ length: 1203 }, (_, n) => feed.offer({ id: `p${n}` })))
    await feed.step(feed.campaign('all', everything))
    await index.refresh()
    expect(await index.count('shop', [{ kind: 'campaign', campaignId: 'all' }])).toBe(1203)
  })

  test('a budget or a pause rewrites nothing', async () => {
    await feed.step(feed.offer({ id: 'p1' }))
    await feed.step(feed.campaign('x', { productIds: ['p1'] }))
    const begun = feed.committed()
    begun.delete('registry/0')
    const { step, counts } = feed.counted(begun)
    const again = async (body: Partial<Campaign>) => {
      counts.scans = 0
      await step(feed.campaign('x', { productIds: ['p1'], ...body }))
      return counts.scans
    }
    expect(await again({ budgetMicros: 1 })).toBeGreaterThan(0)
    expect(await again({ budgetMicros: 2, status: 'PAUSED' })).toBe(0)
    expect(await again({ productIds: ['p2'] })).toBeGreaterThan(0)
  })

  test('the first fill looks for the offers of no campaign that was there before it', async () => {
    const { step, counts } = feed.counted()
    const early = feed.campaign('early', everything)
    feed.snapshot.apply(early.value as RegistryEntry)
    await index.clear()
    await step(feed.offer({ id: 'a' }))
    await step(early)
    expect(counts.scans).toBe(0)
    await step(feed.campaign('late', everything))
    expect(counts.scans).toBeGreaterThan(0)
    expect(await promotions()).toEqual({ a: ['early', 'late'] })
  })

  test('after a start a budget or a name rewrites nothing, once what came before the start is applied', async () => {
    await feed.step(feed.offer({ id: 'p1' }))
    await feed.step(feed.campaign('x', { productIds: ['p1'] }))
    const { step, counts } = feed.counted(feed.committed())
    await step(feed.campaign('x', { productIds: ['p1'], budgetMicros: 1, name: 'Summer' }))
    expect(counts.scans).toBe(0)
    await step(feed.campaign('x', { productIds: ['p2'] }))
    expect(counts.scans).toBeGreaterThan(0)
    expect(await promotions()).toEqual({ p1: [] })

    const unread = feed.campaign('x', { productIds: ['p1'] })
    feed.snapshot.apply(unread.value as RegistryEntry)
    const next = feed.counted(feed.committed())
    await next.step(unread)
    expect(await promotions()).toEqual({ p1: ['x'] })
  })

  test('whatever the order of changes, crashes and repetitions, offers end with the campaigns that promote them', async () => {
    const run = fc.record({
      change,
      crash: fc.constantFrom('none', 'none', 'done again at once', 'done again after another topic'),
      ahead: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 14 }), async (runs) => {
        await index.clear()
        feed = new Feed(index)
        await feed.step(feed.account('publisher', null), feed.account('seller', ['s1']))
        const records = runs.map(({ change }) => recordOf(change))
        const due = [...records]
        while (due.length > 0) {
          const { crash, ahead } = runs[runs.length - due.length]!
          // The process may follow the registry faster than this stream reads it.
          if (ahead)
            for (const { topic, value } of due) if (topic === 'registry') feed.snapshot.apply(value as RegistryEntry)
          if (crash !== 'none') await feed.crashAfter(due[0]!)
          const other = due.findIndex(({ topic }) => topic !== due[0]!.topic)
          if (crash === 'done again after another topic' && other > 0) await feed.step(...due.splice(other, 1))
          await feed.step(due[0]!)
          due.shift()
        }
        const offers = new Map<string, ProductOffer>()
        for (const { value, key } of records) {
          if (value === null) offers.delete(key!.split('/')[2]!)
          else if ('digest' in (value as object)) offers.set((value as ProductOffer).id, value as ProductOffer)
        }
        const expected = [...offers].map(([id, offer]) => [id, expectedCampaigns(offer)])
        expect(await promotions()).toEqual(Object.fromEntries(expected))
      }),
      { numRuns: tries(40, 400) },
    )
  })
})

/** The expected campaigns, read from the final state of the registry. */
function expectedCampaigns(offer: ProductOffer): string[] {
  const ids: string[] = []
  for (const { id, body } of feed.snapshot.all('Campaign')) {
    const account = feed.snapshot.body('Account', body.accountId)!
    if (account.kind === 'ADVERTISER' && !account.sellerIds.includes(offer.externalSellerId!)) continue
    const listed = body.productIds
      ? body.productIds.includes(offer.id)
      : offer.priceMicros <= body.productRule!.priceMaxMicros!
    if (listed) ids.push(id)
  }
  return ids.sort()
}

/** The possible changes. */
const id = fc.constantFrom('a', 'b', 'c')
const campaignId = fc.constantFrom('x', 'y')
const change = fc.oneof(
  fc.record({
    kind: fc.constant('offer' as const),
    id,
    sellerId: fc.constantFrom('s1', 's2'),
    price: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constant('remove' as const), id }),
  fc.record({
    kind: fc.constant('ids' as const),
    campaignId,
    productIds: fc.subarray(['a', 'b', 'c']),
    accountId: fc.constantFrom('publisher', 'seller'),
  }),
  fc.record({
    kind: fc.constant('rule' as const),
    campaignId,
    price: fc.integer({ min: 1, max: 3 }),
    deleted: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('sellers' as const), sellerIds: fc.subarray(['s1', 's2']) }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function recordOf(change: Change) {
  switch (change.kind) {
    case 'offer':
      return feed.offer({ id: change.id, externalSellerId: change.sellerId, priceMicros: change.price })
    case 'remove':
      return feed.record('products', null, `shop/feed/${change.id}`)
    case 'ids':
      return feed.campaign(change.campaignId, { productIds: change.productIds, accountId: change.accountId })
    case 'rule':
      return feed.campaign(
        change.campaignId,
        { ...everything, productRule: { ...everything.productRule, priceMaxMicros: change.price } },
        change.deleted,
      )
    case 'sellers':
      return feed.account('seller', change.sellerIds)
  }
}

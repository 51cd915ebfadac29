import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Program, startProgram } from '../program.ts'
import { waitFor } from '../wait-for.ts'
import { attributedSale, type Created, feedXml, type JourneyShop, openShop } from './shop.ts'

interface Audit {
  logged: number
  stored: number
  duplicates: number
  deadLetters: number
}
interface Report {
  rows: Record<string, unknown>[]
  totals: Record<string, number>
}

describe('a newcomer follows one product from the feed to an attributed sale', () => {
  let program: Program
  let shop: JourneyShop

  beforeAll(async () => {
    program = await startProgram()
    shop = await openShop(program)
  })
  afterAll(() => program?.stop())

  const reportNow = () => {
    const day = 86_400_000
    const at = (ms: number) => new Date(ms).toISOString()
    return shop.get<Report>(
      `/v1/panel/reports?shopId=${shop.shopId}&from=${at(Date.now() - day)}&to=${at(Date.now() + day)}&groupBy=campaign` +
        '&metrics=views,clicks,invalid,spend,purchases,directPurchases,revenue',
    )
  }

  it('sees, clicks and buys, and the campaign is credited with the sale and charged for the click, once', async () => {
    const [ad] = await shop.askForAds('ann', 'lamp desk')
    const { showId, shopProductId, productPrice } = ad!
    for (const path of ['/v1/dsa/view-event', '/v1/dsa/click-event', '/v1/dsa/click-event']) {
      await shop.post(path, { showId }, { cid: 'ann' })
    }
    await shop.post(
      '/v1/ev/transaction',
      {
        eventId: 'order-1',
        kind: 'PURCHASE',
        shopId: shop.shopId,
        currency: 'EUR',
        products: [{ shopProductId, price: productPrice, quantity: 1 }],
      },
      { cid: 'ann' },
    )
    expect(await attributedSale(program, shop.shopId, 'order-1')).toContain(shop.campaignId)
    await expect
      .poll(async () => (await reportNow()).totals)
      .toMatchObject({
        views: 1,
        clicks: 1,
        invalid: 1,
        // The campaign is alone in its auction, so it pays the shop's reserve.
        spend: 0.05,
        purchases: 1,
        directPurchases: 1,
        revenue: productPrice,
      })
  })

  it('accounts for every event', async () => {
    let audit: Audit | undefined
    await waitFor(async () => {
      audit = await shop.get<Audit>('/v1/panel/audit')
      return audit.logged === audit.stored
    })
    expect(audit).toMatchObject({ duplicates: 0, deadLetters: 0 })
    expect(audit!.logged).toBeGreaterThan(5)
  })

  it('counts all products of a new feed as soon as nothing says that they are being indexed', async () => {
    const { shopId, campaignId } = shop
    const body = { shopId, campaignId, products: { rule: { brands: ['Solvik'] } } }
    const count = () => shop.post<{ matching: number; indexing: boolean }>('/v1/panel/product-count', body)
    const before = await count()
    expect(before.indexing).toBe(false)
    const names = Array.from({ length: 1_000 }, (_, i) => `new-${i}`)
    const all = { matching: before.matching + names.length, indexing: false }
    const feed = await shop.post<Created>('/v1/panel/feeds', { shopId, name: 'More', currency: 'EUR', lang: 'en' })

    const run = await shop.post<Created>(`/v1/panel/feeds/${feed.id}/content`, feedXml(names))
    const counts: Awaited<ReturnType<typeof count>>[] = []
    await waitFor(async () => counts[counts.push(await count()) - 1]!.indexing === false)
    expect(counts.at(-1)).toMatchObject(all)

    await shop.post(`/v1/panel/feeds/${feed.id}/content`, feedXml(names.slice(1)))
    const lastRun = async () =>
      (await shop.get<{ lastRun: Created & { indexed: boolean } }>(`/v1/panel/feeds/${feed.id}`)).lastRun
    await waitFor(async () => (await lastRun()).indexed)
    expect((await lastRun()).id).not.toBe(run.id)
    expect(await count()).toMatchObject({ ...all, matching: all.matching - 1 })
  })

  it('lists its API with every path of the contract', async () => {
    const { paths } = await shop.get<{ paths: Record<string, unknown> }>('/docs/json')
    for (const path of [
      '/v1/slots/technical/{publisherSlotId}',
      '/v1/dsa/raw/batch',
      '/v1/dsa/emissionInfo',
      '/v1/banner/dsa/raw/batch',
      '/v1/banner/dsa/emissionInfo',
      '/v1/banner/dsa/view-event',
      '/v1/banner/dsa/click-event',
      '/v1/feed/product',
      '/v1/dsa/view-event',
      '/v1/dsa/click-event',
      '/v1/ev/transaction',
      '/v1/ev/page-view',
      '/v1/ev/batch',
      '/v1/events/purchase',
      '/v1/events/cart',
      '/v1/events/wishlist',
    ]) {
      expect(Object.keys(paths)).toContain(path)
    }
  })

  it('finds everything as it was after a crash and a new start', async () => {
    const before = await reportNow()
    await program.kill('SIGKILL')
    const { folder } = program
    program = await startProgram({ folder })
    shop = { ...shop, get: async (path) => (await program.call('GET', path)).body as never }
    await expect.poll(reportNow).toEqual(before)
    const targeting = [{ slotHash: shop.slotHash, adCount: 2, searchData: 'desk lamp' }]
    const again = () => program.call<{ data: { ads: unknown[] }[] }>('POST', '/v1/dsa/raw/batch', { targeting })
    await expect.poll(async () => (await again()).body.data[0]!.ads).toHaveLength(2)
  })
})

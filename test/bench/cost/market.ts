import { sequence } from '../../../services/demo/sequence.ts'
import { must, type Program } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'
import { generateProducts } from '../generated-products.ts'
import { byZipf } from '../zipf.ts'

const CAMPAIGNS = 40
const BODIES = 5_000
const POPULAR_BODIES = 30_000
const READY_TIMEOUT_MS = 300_000

interface Created {
  id: string
  slotHash: string
}

/** What the shoppers need to know about the shop. */
export interface Market {
  shopId: string
  /** Ad requests, all of them different: four ads for searched words, and two for a product that is viewed. */
  bodies: string[]
  /** The same requests, for words and products that are drawn by Zipf from those of all products. */
  popularBodies: string[]
}

/** Opens a shop with this many products from an XML feed, campaigns over the brands, a unit for searches and one for similar products. */
export async function openMarket(program: Program, products: number): Promise<Market> {
  const post = <T>(path: string, body: unknown) => must(program.call<T>('POST', `/v1/panel${path}`, body))
  const get = <T>(path: string) => must(program.call<T>('GET', `/v1/panel${path}`))
  const company = { companyName: 'Market SA', taxNumber: '1' }
  const publisher = await post<Created>('/accounts', { kind: 'PUBLISHER', name: 'Market', ...company })
  const shop = await post<Created>('/shops', {
    ...{ accountId: publisher.id, name: 'Market', currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'UTC' },
    reserveCpc: 0.05,
  })
  const placement = await post<Created>('/placements', { shopId: shop.id, name: 'Search', kind: 'PRODUCT' })
  const unit = (algorithm: string) =>
    post<Created>('/ad-units', { placementId: placement.id, name: algorithm, algorithm })
  const search = await unit('CONTEXT_MATCH_WIDE')
  const similar = await unit('SIMILAR_PRODUCT_ID_WIDE')
  for (let i = 0; i < CAMPAIGNS; i++) {
    const brand = `Brand${i}`
    const sellerIds = [`seller-${brand}`]
    const advertiser = await post<Created>('/accounts', { kind: 'ADVERTISER', name: brand, sellerIds, ...company })
    await post('/campaigns', {
      ...{
        kind: 'SPONSORED',
        accountId: advertiser.id,
        shopId: shop.id,
        name: brand,
        status: 'ACTIVE',
        pacing: 'ASAP',
      },
      ...{ startAt: new Date(Date.now() - 60_000).toISOString(), budget: 1_000_000, cpc: 0.1 + (i % 10) / 20 },
      products: { rule: { brands: [brand] } },
    })
  }
  const feed = await post<Created>('/feeds', { shopId: shop.id, name: 'All', currency: 'EUR', lang: 'en' })
  const offers = generateProducts(shop.id, products)
  const run = await must(program.call<Created>('POST', `/v1/panel/feeds/${feed.id}/content`, rss(offers)))
  await waitFor(
    async () => (await get<{ status: string }>(`/feeds/${feed.id}/runs/${run.id}`)).status === 'DONE',
    READY_TIMEOUT_MS,
  )
  await waitFor(
    async () => !/^endcap_stream_lag_records\{.*stream="indexer".*\} [1-9]/m.test(await program.metrics()),
    READY_TIMEOUT_MS,
  )
  const body = (searchedFor: number, viewed: number) => {
    const searchData = offers[searchedFor]!.title.split(' ').slice(1, 4).join(' ')
    const targeting = [
      { slotHash: search.slotHash, adCount: 4, searchData },
      { slotHash: similar.slotHash, adCount: 2, productId: offers[viewed]!.id },
    ]
    return JSON.stringify({ targeting })
  }
  const rank = byZipf(offers.length, sequence(1).next)
  return {
    shopId: shop.id,
    bodies: Array.from({ length: BODIES }, (_, i) => body((i * 7) % offers.length, (i * 13) % offers.length)),
    popularBodies: Array.from({ length: POPULAR_BODIES }, () => body((rank() * 7) % offers.length, rank())),
  }
}

function rss(offers: ReturnType<typeof generateProducts>): string {
  const items = offers.map(
    (
      offer,
    ) => `<item><g:id>${offer.id}</g:id><title>${offer.title}</title><description>${offer.description}</description>
<link>${offer.link}</link><g:image_link>${offer.imageLink}</g:image_link><g:price>${offer.priceMicros / 1e6} EUR</g:price>
<g:availability>in_stock</g:availability><g:brand>${offer.brand}</g:brand><g:external_seller_id>${offer.externalSellerId}</g:external_seller_id>
<g:product_type>${offer.productTypes[0]!.replaceAll('>', '&gt;')}</g:product_type></item>`,
  )
  return `<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>${items.join('\n')}</channel></rss>`
}

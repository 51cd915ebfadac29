import { must, type Program } from '../program.ts'
import { waitFor } from '../wait-for.ts'

export interface Created {
  id: string
}
export interface Ad {
  showId: string
  requestId: string
  shopProductId: string
  productTitle: string
  productPrice: number
}
export interface Selection {
  clientId: string
  data: { slotHash: string; ads: Ad[] }[]
}

export interface JourneyShop {
  shopId: string
  feedId: string
  slotHash: string
  campaignId: string
  post<T>(path: string, body: unknown, headers?: Record<string, string>): Promise<T>
  get<T>(path: string): Promise<T>
  /** `adCount` defaults to 2. */
  askForAds(cid: string, searchData: string, adCount?: number): Promise<Ad[]>
}

const COLORS = ['red', 'green', 'blue']
const BUDGET = 10

/** A feed of lamps. */
export const feedXml = (lamps: readonly string[]) => `<?xml version="1.0"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title><link>https://shop.example</link>
${lamps
  .map(
    (
      lamp,
      i,
    ) => `<item><g:id>lamp-${lamp}</g:id><g:title>Desk lamp ${lamp}</g:title><g:link>https://shop.example/p/${i}</g:link>
<g:image_link>https://shop.example/i/${i}.jpg</g:image_link><g:price>${20 + i}.50 EUR</g:price><g:availability>in_stock</g:availability>
<g:brand>Solvik</g:brand><g:product_type>Home &gt; Lamps</g:product_type></item>`,
  )
  .join('\n')}
</channel></rss>`

/** A shop with some lamps from an XML feed, a search slot and a running campaign over the lamps, made through the public API. */
export async function openShop(
  program: Pick<Program, 'call'>,
  { lamps = COLORS, budget = BUDGET }: { lamps?: readonly string[]; budget?: number } = {},
): Promise<JourneyShop> {
  const post = <T>(path: string, body: unknown, headers?: Record<string, string>) =>
    must(program.call<T>('POST', path, body, headers))
  const get = <T>(path: string) => must(program.call<T>('GET', path))
  const publisher = await post<Created>('/v1/panel/accounts', {
    kind: 'PUBLISHER',
    name: 'Shop',
    companyName: 'Shop SA',
    taxNumber: 'PL1',
  })
  const shop = await post<Created>('/v1/panel/shops', {
    accountId: publisher.id,
    name: 'Shop',
    currency: 'EUR',
    lang: 'en',
    country: 'DE',
    timeZone: 'Europe/Berlin',
    reserveCpc: 0.05,
  })
  const feed = await post<Created>('/v1/panel/feeds', { shopId: shop.id, name: 'Feed', currency: 'EUR', lang: 'en' })
  const placement = await post<Created>('/v1/panel/placements', { shopId: shop.id, name: 'Search', kind: 'PRODUCT' })
  const unit = await post<{ slotHash: string }>('/v1/panel/ad-units', {
    placementId: placement.id,
    name: 'Top',
    algorithm: 'CONTEXT_MATCH',
  })
  const campaign = await post<Created>('/v1/panel/campaigns', {
    kind: 'SPONSORED',
    accountId: publisher.id,
    shopId: shop.id,
    name: 'Lamps',
    startAt: new Date(Date.now() - 60_000).toISOString(),
    budget,
    products: { rule: { brands: ['Solvik'] } },
    cpc: 0.25,
  })
  const run = await post<Created>(`/v1/panel/feeds/${feed.id}/content`, feedXml(lamps))
  await waitFor(
    async () => (await get<{ status: string }>(`/v1/panel/feeds/${feed.id}/runs/${run.id}`)).status === 'DONE',
  )
  const askForAds = async (cid: string, searchData: string, adCount = 2) => {
    const answer = await post<Selection>(
      '/v1/dsa/raw/batch',
      { targeting: [{ slotHash: unit.slotHash, adCount, searchData }] },
      { cid },
    )
    return answer.data[0]!.ads
  }
  const shown = async () => (await askForAds('warm-up', 'desk lamp', lamps.length)).length
  await waitFor(async () => (await shown()) === lamps.length)
  return { shopId: shop.id, feedId: feed.id, slotHash: unit.slotHash, campaignId: campaign.id, post, get, askForAds }
}

/** Waits until the sale is attributed. @returns the API's explanation of it. */
export async function attributedSale(program: Program, shopId: string, eventId: string): Promise<string> {
  let text = ''
  await waitFor(async () => {
    const answer = await program.call('GET', `/v1/panel/explain/attribution/${eventId}?shopId=${shopId}`)
    text = JSON.stringify(answer.body)
    return answer.status === 200 && text.includes('CREDITED')
  })
  return text
}

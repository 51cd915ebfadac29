import { must, type Program } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'

/** Searches and banners are spread over this many groups, so that no request meets all campaigns. */
export const GROUPS = 50
const CLICKS = [2, 30] as const
const VIEWS = [20, 400] as const
const AT_ONCE = 10
const FEED_TIMEOUT_MS = 60_000

export interface BudgetShop {
  shopId: string
  sponsoredSlot: string
  displaySlot: string
  campaigns: { id: string; kind: 'SPONSORED' | 'DISPLAY'; budget: number }[]
}

/**
 * Opens a shop with campaigns of small random budgets, half SPONSORED and half DISPLAY, through the public API.
 * @param options.factor multiplies the budgets.
 */
export async function openBudgetShop(
  { call }: Pick<Program, 'call'>,
  { campaigns, random, factor = 1 }: { campaigns: number; random: () => number; factor?: number },
): Promise<BudgetShop> {
  const post = <T = { id: string }>(path: string, body: unknown) => must(call<T>('POST', `/v1/panel/${path}`, body))
  const between = ([least, most]: readonly [number, number]) => least + Math.floor(random() * (most - least + 1))
  const account = { kind: 'PUBLISHER', name: 'Shop', companyName: 'Shop SA', taxNumber: 'PL1', displayEnabled: true }
  const { id: accountId } = await post('accounts', account)
  const place = { currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'Europe/Berlin', reserveCpc: 0.05 }
  const { id: shopId } = await post('shops', { accountId, name: 'Shop', ...place })
  const unitOf = async (kind: 'PRODUCT' | 'DISPLAY', unit: object) => {
    const { id: placementId } = await post('placements', { shopId, name: kind, kind })
    return (await post<{ slotHash: string }>('ad-units', { placementId, name: kind, ...unit })).slotHash
  }
  const sponsoredSlot = await unitOf('PRODUCT', { algorithm: 'CONTEXT_MATCH' })
  const textFields = [{ type: 'TITLE', required: true, maxLength: 50 }]
  const { id: adFormatId } = await post('ad-formats', { shopId, name: 'Text', images: [], textFields })
  const displaySlot = await unitOf('DISPLAY', {
    algorithm: 'DISPLAY',
    adFormatIds: [adFormatId],
    targeting: ['searchData'],
  })

  const half = Math.floor(campaigns / 2)
  const { id: feedId } = await post('feeds', { shopId, name: 'Feed', currency: 'EUR', lang: 'en' })
  const run = await must(call<{ id: string }>('POST', `/v1/panel/feeds/${feedId}/content`, feedXml(half)))
  const status = async () =>
    (await must(call<{ status: string }>('GET', `/v1/panel/feeds/${feedId}/runs/${run.id}`))).status
  await waitFor(async () => (await status()) === 'DONE', FEED_TIMEOUT_MS)

  const shared = {
    accountId,
    shopId,
    name: 'C',
    startAt: new Date(Date.now() - 60_000).toISOString(),
    status: 'ACTIVE',
  }
  const micros = (amount: number) => Math.round(amount * 1e6) / 1e6
  const made: BudgetShop['campaigns'] = []
  async function make(i: number): Promise<void> {
    if (i < half) {
      const cpc = between([10, 50]) / 100
      const budget = micros(cpc * between(CLICKS) * factor)
      const { id } = await post('campaigns', {
        ...shared,
        kind: 'SPONSORED',
        budget,
        cpc,
        products: { ids: [`p${i}`] },
      })
      made.push({ id, kind: 'SPONSORED', budget })
      return
    }
    const cpm = between([100, 500]) / 100
    const budget = micros((cpm / 1000) * between(VIEWS) * factor)
    const banners = [{ adFormatId, images: [], textFields: [{ type: 'TITLE', value: `Banner ${i}` }], lang: null }]
    const targeting = { phrases: [`lamp group${i % GROUPS}`] }
    const target = { country: 'DE', targetUrl: 'https://brand.example/', cpm, banners, targeting }
    const { id } = await post('campaigns', { ...shared, kind: 'DISPLAY', budget, ...target })
    await post(`moderation/${id}/accept`, {})
    made.push({ id, kind: 'DISPLAY', budget })
  }
  for (let from = 0; from < campaigns; from += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, campaigns - from) }, (_, i) => make(from + i)))
  }
  return { shopId, sponsoredSlot, displaySlot, campaigns: made }
}

const feedXml = (products: number) => `<?xml version="1.0"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title><link>https://shop.example</link>
${Array.from(
  { length: products },
  (_, i) => `<item><g:id>p${i}</g:id><g:title>Lamp group${i % GROUPS} number${i}</g:title>
<g:link>https://shop.example/p/${i}</g:link><g:image_link>https://shop.example/i/${i}.jpg</g:image_link>
<g:price>20.50 EUR</g:price><g:availability>in_stock</g:availability><g:brand>Solvik</g:brand></item>`,
).join('\n')}
</channel></rss>`

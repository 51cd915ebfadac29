import type { IndexWrite, ProductQuery } from '../../../infra/product-index/port.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { sequence } from '../../../services/demo/sequence.ts'
import { promotedOffer } from '../../infra/product-index/offer.fixture.ts'

const CAMPAIGNS = 50
const RANDOM_SEED = 2

/** Writes an offer that one of the campaigns promotes. */
export const promotedWrites = (offer: ProductOffer, at: number): IndexWrite[] =>
  promotedOffer(offer, [`campaign-${at % CAMPAIGNS}`])

/** The bids of the campaigns. */
export const campaigns = Array.from({ length: CAMPAIGNS }, (_, at) => ({
  campaignIds: [`campaign-${at}`],
  weight: 100_000 + at * 10_000,
}))

/** Searches as ad requests make them, all different, for words of some of the offers. */
export function adSearches(shopId: string, offers: readonly ProductOffer[], count: number): ProductQuery[] {
  const random = sequence(RANDOM_SEED).next
  const pick = () => offers[Math.floor(random() * offers.length)]!
  return Array.from({ length: count }, (_, at) => {
    const [, look, room, kind] = pick().title.split(' ')
    const text = `${look} ${room} ${kind}`
    return {
      shopId,
      filters: [
        { kind: 'available' },
        { kind: 'lang', lang: 'en' },
        { kind: 'country', country: 'DE' },
        { kind: 'text', text, lang: 'en', minShare: at % 2, in: 'ALL_FIELDS' },
        { kind: 'excludeIds', ids: [pick().id] },
      ],
      rank: { by: 'text', text, lang: 'en' },
      campaigns,
      limit: 16,
      priorClickRate: 0.004,
      tieSeed: at,
    }
  })
}

/** Makes searches, `atOnce` at a time. */
export async function searchAll(
  queries: readonly ProductQuery[],
  atOnce: number,
  search: (query: ProductQuery, at: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const one = async () => {
    for (let at = next++; at < queries.length; at = next++) await search(queries[at]!, at)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

import type { Account } from '../../../schemas/records/accounts.ts'
import type { Campaign, ProductRule } from '../../../schemas/records/entities.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { pathAndAbove, pathKey } from '../catalogue/categories.ts'

/** What a shopper pays: the sale price when there is one. */
export const effectivePriceMicros = (offer: Pick<ProductOffer, 'priceMicros' | 'salePriceMicros'>): number =>
  offer.salePriceMicros ?? offer.priceMicros

/** Brands are the same when they differ in case or outer spaces only. */
export const normalBrand = (brand: string): string => brand.trim().toLowerCase()

/** A campaign with the account that it belongs to; null when that is unknown or deleted. */
export interface Promoter {
  id: string
  campaign: Campaign
  account: Account | null
}

/**
 * Which campaigns may advertise an offer, whatever their dates, switches and budgets: the offer is of the campaign's shop,
 * among its products, and, for an advertiser, sold by one of the account's sellers.
 * @returns a function from an offer to the sorted ids of its campaigns. Campaigns over ids cost it nothing each, those
 * over rules little: it is called for every offer of a feed.
 */
export function promotersOf(promoters: readonly Promoter[]): (offer: ProductOffer) => string[] {
  const byProduct = new Map<string, { id: string; allows: Check }[]>()
  const byRule: { id: string; allows: Check }[] = []
  for (const { id, campaign, account } of promoters) {
    if (campaign.kind !== 'SPONSORED' || account === null) continue
    const owned = ownedBy(campaign, account)
    if (campaign.productIds) {
      for (const productId of new Set(campaign.productIds)) {
        const known = byProduct.get(productId)
        if (known) known.push({ id, allows: owned })
        else byProduct.set(productId, [{ id, allows: owned }])
      }
    } else if (campaign.productRule) {
      const fits = compiledRule(campaign.productRule)
      byRule.push({ id, allows: (facts) => owned(facts) && fits(facts) })
    }
  }
  return (offer) => {
    const facts = factsOf(offer)
    const candidates = [...(byProduct.get(offer.id) ?? []), ...byRule]
    return candidates.flatMap(({ id, allows }) => (allows(facts) ? [id] : [])).sort()
  }
}

/** Whether one campaign may advertise an offer; see `promotersOf`. */
export const promotes = (campaign: Campaign, account: Account | null, offer: ProductOffer): boolean =>
  promotersOf([{ id: '', campaign, account }])(offer).length > 0

/** Of an offer, as rules compare it. */
interface Facts {
  shopId: string
  sellerId: string | null
  brand: string | null
  paths: ReadonlySet<string>
  labels: readonly string[]
  priceMicros: number
}
type Check = (facts: Facts) => boolean

const factsOf = (offer: ProductOffer): Facts => ({
  shopId: offer.shopId,
  sellerId: offer.externalSellerId,
  brand: offer.brand === null ? null : normalBrand(offer.brand),
  paths: new Set(offer.productTypes.flatMap(pathAndAbove)),
  labels: offer.labels,
  priceMicros: effectivePriceMicros(offer),
})

function ownedBy({ shopId }: Campaign, account: Account): Check {
  const sellers = account.kind === 'ADVERTISER' ? new Set(account.sellerIds) : null
  return (facts) => facts.shopId === shopId && (!sellers || (facts.sellerId !== null && sellers.has(facts.sellerId)))
}

/** Everything that the rule sets holds; of a list, any value. A rule that sets nothing holds for every offer. */
function compiledRule(rule: ProductRule): Check {
  const brands = rule.brands.map(normalBrand)
  const paths = rule.categoryPaths.map(pathKey)
  const [min, max] = [rule.priceMinMicros ?? Number.NEGATIVE_INFINITY, rule.priceMaxMicros ?? Number.POSITIVE_INFINITY]
  const any = (values: readonly string[], holds: (value: string) => boolean) =>
    values.length === 0 || values.some(holds)
  return (facts) =>
    any(brands, (brand) => brand === facts.brand) &&
    any(paths, (path) => facts.paths.has(path)) &&
    any(rule.labels, (label) => facts.labels.includes(label)) &&
    any(rule.sellerIds, (sellerId) => sellerId === facts.sellerId) &&
    facts.priceMicros >= min &&
    facts.priceMicros <= max
}

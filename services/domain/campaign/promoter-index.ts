import type { Account } from '../../../schemas/records/accounts.ts'
import type { Campaign } from '../../../schemas/records/entities.ts'
import type { ProductOffer } from '../../../schemas/records/records.ts'
import { pathKey } from '../catalogue/categories.ts'
import { factsOf, normalBrand, type OfferFacts, type PromotionCheck, passes, promotionCheck } from './promotion.ts'

/** A campaign with the account that it belongs to; null when that is unknown or deleted. */
export interface Promoter {
  id: string
  campaign: Campaign
  account: Account | null
}

interface Filed {
  id: string
  check: PromotionCheck
  under: Condition
}

/** A condition that every offer of a campaign satisfies: the offer has one of these values. */
interface Condition {
  kind: 'id' | 'seller' | 'brand' | 'label' | 'path' | 'shop'
  shopId: string
  values: readonly string[]
}

/**
 * Finds which of many campaigns promote an offer (`promotes`). Each campaign is filed under the values of one of its
 * conditions, so an offer is checked only against the campaigns filed under its own values. The cost of changing a campaign
 * depends on what that campaign lists, and not on the number of other campaigns.
 */
export class PromoterIndex {
  readonly #byId = new Map<string, Filed>()
  /** Keyed by kind and shop, then by value. */
  readonly #byValue = new Map<string, Map<string, Filed[]>>()

  /** Adds a campaign or replaces it. */
  set({ id, campaign, account }: Promoter): void {
    this.delete(id)
    const check = promotionCheck(campaign, account)
    if (check === null || account === null) return
    const filed = { id, check, under: this.#leastFiled(conditionsOf(campaign, account)) }
    const { kind, shopId, values } = filed.under
    this.#byId.set(id, filed)
    const group = this.#group(kind, shopId) ?? new Map<string, Filed[]>()
    this.#byValue.set(`${kind}/${shopId}`, group)
    for (const value of values) {
      const others = group.get(value)
      if (!others) group.set(value, [filed])
      else if (others.at(-1) !== filed) others.push(filed)
    }
  }

  delete(id: string): void {
    const filed = this.#byId.get(id)
    if (!filed) return
    this.#byId.delete(id)
    const { kind, shopId, values } = filed.under
    const group = this.#group(kind, shopId)!
    for (const value of values) {
      const left = group.get(value)?.filter((each) => each !== filed) ?? []
      if (left.length > 0) group.set(value, left)
      else group.delete(value)
    }
  }

  /** The sorted ids of the campaigns that may advertise an offer, whatever their dates, switches and budgets. */
  promotersOf(offer: ProductOffer): string[] {
    const facts = factsOf(offer)
    const ids = new Set<string>()
    for (const [kind, values] of valuesOf(facts)) {
      const group = this.#group(kind, offer.shopId)
      if (!group) continue
      for (const value of values) {
        for (const { id, check } of group.get(value) ?? []) if (passes(check, facts)) ids.add(id)
      }
    }
    return [...ids].sort()
  }

  #group(kind: Condition['kind'], shopId: string): Map<string, Filed[]> | undefined {
    return this.#byValue.get(`${kind}/${shopId}`)
  }

  /** The condition whose fullest value has the fewest campaigns, so that an offer with any of its values is checked against few. */
  #leastFiled(conditions: readonly Condition[]): Condition {
    const filedUnder = ({ kind, shopId, values }: Condition) => {
      const group = this.#group(kind, shopId)
      return values.reduce((most, value) => Math.max(most, group?.get(value)?.length ?? 0), 0)
    }
    return conditions.reduce((least, each) => (filedUnder(each) < filedUnder(least) ? each : least))
  }
}

function conditionsOf({ shopId, productIds, productRule }: Campaign, account: Account): Condition[] {
  const condition = (kind: Condition['kind'], values: readonly string[]): Condition => ({ kind, shopId, values })
  if (productIds) return [condition('id', productIds)]
  const { sellerIds, brands, labels, categoryPaths } = productRule!
  const conditions = [
    condition('seller', sellerIds),
    condition('brand', brands.map(normalBrand)),
    condition('label', labels),
    condition('path', categoryPaths.map(pathKey)),
  ].filter(({ values }) => values.length > 0)
  // An advertiser without sellers promotes nothing: this condition has no values, so the campaign is filed nowhere.
  if (account.kind === 'ADVERTISER') conditions.unshift(condition('seller', account.sellerIds))
  return conditions.length > 0 ? conditions : [condition('shop', [shopId])]
}

const valuesOf = ({
  shopId,
  id,
  sellerId,
  brand,
  labels,
  paths,
}: OfferFacts): [Condition['kind'], Iterable<string>][] => [
  ['id', [id]],
  ['shop', [shopId]],
  ['seller', sellerId === null ? [] : [sellerId]],
  ['brand', brand === null ? [] : [brand]],
  ['label', labels],
  ['path', paths],
]

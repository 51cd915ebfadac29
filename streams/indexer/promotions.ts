import type { Filter, IndexWrite, ProductIndex } from '../../infra/product-index/port.ts'
import type { Campaign } from '../../schemas/records/entities.ts'
import { chunksOf } from '../../services/domain/chunks.ts'
import type { Entity, Snapshot } from '../../services/domain/snapshot.ts'
import { accountOf, type PromotionBook } from './promotion-book.ts'

/** How many offers are read at once while a campaign is applied. */
const PAGE_OFFERS = 500
/** Ids in one filter. */
const IDS_PER_FILTER = 1_000

/**
 * Rewrites the promotions of the offers that a change of this campaign can concern: those that it promotes according to the index,
 * and those that it should promote now. Each list is derived from the current state of all campaigns, so repeating this, after a
 * crash or needlessly, changes nothing. The index ignores a list when it has one for a newer offer, or from the same or a later
 * registry version.
 */
export async function applyCampaign(
  deps: { index: ProductIndex; snapshot: Snapshot; book: PromotionBook },
  campaign: Entity<'Campaign'>,
): Promise<void> {
  const { shopId } = campaign.body
  const version = deps.snapshot.position
  for (const filters of affectedOffers(deps.snapshot, campaign)) {
    for (let after: string | null = null; ; ) {
      const page = await deps.index.scan({ shopId, filters, after, limit: PAGE_OFFERS })
      const writes = page.flatMap(({ offer, offerVersion, campaignIds }): IndexWrite[] => {
        const now = deps.book.promotersOf(offer)
        if (sameList(now, campaignIds)) return []
        const { feedId, id } = offer
        return [{ kind: 'promotions', version, offerVersion, shopId, feedId, id, campaignIds: now }]
      })
      if (writes.length > 0) await deps.index.write(writes)
      const last = page.at(-1)
      if (!last || page.length < PAGE_OFFERS) break
      after = `${last.offer.feedId}/${last.offer.id}`
    }
  }
}

/** Lists of filters; together they find every offer concerned, and few others. */
function affectedOffers(snapshot: Snapshot, { id, body, deletedAt }: Entity<'Campaign'>): Filter[][] {
  const promoted: Filter[] = [{ kind: 'campaign', campaignId: id }]
  const account = accountOf(snapshot, body)
  if (deletedAt !== null || account === null || body.kind !== 'SPONSORED') return [promoted]
  const owned: Filter[] = account.kind === 'ADVERTISER' ? [{ kind: 'sellers', anyOf: account.sellerIds }] : []
  if (body.productIds) {
    const named = Array.from(chunksOf(body.productIds, IDS_PER_FILTER), (ids): Filter[] => [
      ...owned,
      { kind: 'ids', ids },
    ])
    return [promoted, ...named]
  }
  return body.productRule ? [promoted, [...owned, ...ruleFilters(body.productRule)]] : [promoted]
}

function ruleFilters(rule: NonNullable<Campaign['productRule']>): Filter[] {
  const filters: Filter[] = []
  if (rule.brands.length > 0) filters.push({ kind: 'brand', anyOf: rule.brands })
  if (rule.categoryPaths.length > 0) filters.push({ kind: 'categoryPaths', paths: rule.categoryPaths })
  if (rule.labels.length > 0) filters.push({ kind: 'labels', anyOf: rule.labels })
  if (rule.sellerIds.length > 0) filters.push({ kind: 'sellers', anyOf: rule.sellerIds })
  if (rule.priceMinMicros !== null || rule.priceMaxMicros !== null) {
    filters.push({ kind: 'price', minMicros: rule.priceMinMicros, maxMicros: rule.priceMaxMicros })
  }
  return filters
}

const sameList = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((value, at) => value === b[at])

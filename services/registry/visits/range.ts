import type { Analytics } from '../../../infra/analytics/port.ts'
import { SENT_AGAIN_MS, VISIT_LOOKBACK_MS, type VisitRange } from '../../../infra/analytics/queries/visits.ts'
import { completeSince } from '../../../infra/analytics/retention/complete-since.ts'
import { readEndedUntil } from '../../../infra/analytics/retention/ended-identifiers.ts'
import { DAY_MS } from '../../../schemas/durations.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { invalid } from '../../http/violations.ts'
import { type Moment, momentIn, readRange, throwIfReversed } from '../reports/request.ts'
import { scopeOf } from '../reports/scope.ts'
import { toIso } from '../resources/conversions.ts'
import type { FieldErrors } from '../resources/field-errors.ts'
import type { Principal } from '../rights/auth.ts'

/**
 * The shop and the time range that a query asks about. Days are those of the shop.
 * @throws Problem INVALID, with what `fieldErrors` holds, or NOT_FOUND for a shop that the caller may not see.
 */
export function rangeOf(
  snapshot: Snapshot,
  principal: Principal,
  query: { shopId: string; from: string; to: string },
  fieldErrors: FieldErrors,
): { shop: Entity<'Shop'>; range: VisitRange } {
  const moments = readRange(query, fieldErrors)
  fieldErrors.throwIfAny()
  return rangeIn(snapshot, principal, { shopId: query.shopId, ...moments })
}

/** @throws Problem NOT_FOUND for a shop that the caller may not see, INVALID for a range that ends before it begins. */
export function rangeIn(
  snapshot: Snapshot,
  principal: Principal,
  { shopId, ...moments }: { shopId: string; from: Moment; to: Moment },
): { shop: Entity<'Shop'>; range: VisitRange } {
  const shop = scopeOf(snapshot, principal, { shopId }).shops[0]!
  const { timeZone } = shop.body
  const range = { shopId: shop.id, from: momentIn(moments.from, timeZone), to: momentIn(moments.to, timeZone) }
  throwIfReversed(range)
  return { shop, range }
}

/**
 * @throws Problem INVALID when page views since `from`, or from the days before in which its buyers may have come, are forgotten or no
 * longer tell whose they are.
 */
export async function refuseForgotten(deps: { analytics: Analytics; now: () => number }, from: number): Promise<void> {
  const endedUntil = await readEndedUntil(deps.analytics)
  // The first page view of a person may be a repeat of one from before.
  const namedSince = endedUntil === 0 ? 0 : endedUntil + SENT_AGAIN_MS
  const since = Math.max((await completeSince(deps))('page_views'), namedSince)
  if (from - VISIT_LOOKBACK_MS >= since) return
  const first = toIso(since + VISIT_LOOKBACK_MS)
  const message = `must be ${first} or later: page views from before ${toIso(since)} are forgotten or kept without identifiers, and a buyer may have come ${VISIT_LOOKBACK_MS / DAY_MS} days before`
  throw invalid([{ path: 'querystring/from', message }])
}

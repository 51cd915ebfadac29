import { attributionQuery, type ShopHas } from '../../../infra/analytics/queries/attribution/attribution-query.ts'
import {
  factOf,
  isOfSlots,
  type ReportFilters,
  type ReportSpec,
  type ReportZone,
} from '../../../infra/analytics/queries/report-spec.ts'
import type { Problem } from '../../domain/errors.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { offsetSpans, offsetText } from '../../domain/time/time-zone.ts'
import { invalid } from '../../http/violations.ts'
import { measuresFor } from './figures.ts'
import { momentIn, type ReportRequest, throwIfReversed } from './request.ts'
import type { ReportScope } from './scope.ts'

/** More would not fit into the URL of a query. */
const SHOPS_MAX = 1_000
const AD_UNITS_MAX = 5_000

/**
 * What to ask Analytics for a report request, within what its caller may see.
 * @param shopHas of the shop of a report under other settings.
 * @throws Problem INVALID where one shop must be chosen, and for a range that ends before it begins in the shop that was chosen.
 * Of other shops, whose time zones the caller need not know, such a range holds nothing.
 */
export function specOf(
  snapshot: Snapshot,
  request: ReportRequest,
  scope: ReportScope,
  limit: number,
  shopHas: ShopHas | null = null,
): ReportSpec {
  const { shops } = scope
  if (request.whatIf && shops.length > 1)
    throw chooseShop('is required with model, clickWindowHours or viewWindowHours')
  if (shops.length > SHOPS_MAX) throw chooseShop(`is required where there are more than ${SHOPS_MAX} shops`)
  const needsPlacements = request.dimensions.includes('placement') || request.filters.placementId !== undefined
  const placements = needsPlacements ? placementsOf(snapshot, shops) : new Map()
  if (placements.size > AD_UNITS_MAX) throw chooseShop(`is required where there are more than ${AD_UNITS_MAX} ad units`)
  const zones = zonesOf(request, shops)
  if (request.filters.shopId !== undefined) for (const zone of zones) throwIfReversed(zone)
  const requestFact = requestFactOf(request, scope)
  const filters = filtersOf(request, scope, placements)
  return {
    zones,
    currencies: new Map(shops.map(({ id, body }) => [id, body.currency])),
    placements,
    filters,
    dimensions: request.dimensions,
    measures: measuresFor(request.metrics).filter((measure) => factOf({ requestFact, filters }, measure) !== null),
    requestFact,
    credits: creditsOf(request, shops, zones, shopHas),
    order: request.orderBy === null ? [] : measuresFor([request.orderBy]),
    limit,
    plans: {},
  }
}

function filtersOf(
  { filters }: ReportRequest,
  { accountId }: ReportScope,
  placements: ReadonlyMap<string, string>,
): ReportFilters {
  const { accountId: _, shopId: __, adUnitId, placementId, ...values } = filters
  const inPlacement = [...placements].flatMap(([id, placement]) => (placement === placementId ? [id] : []))
  const units = placementId === undefined ? [adUnitId!] : inPlacement.filter((id) => (adUnitId ?? id) === id)
  return {
    ...values,
    ...(accountId === undefined ? {} : { accountId }),
    ...(adUnitId === undefined && placementId === undefined ? {} : { adUnitIds: units }),
  }
}

/** How ad requests are counted. An ad request has no campaign, so a report narrowed to ads cannot count requests: null. */
function requestFactOf({ filters, dimensions }: ReportRequest, { accountId }: ReportScope): ReportSpec['requestFact'] {
  const { campaignId, productId, bannerId, adUnitId, placementId, algorithm } = filters
  const isGiven = (value: string | undefined) => value !== undefined
  if ([accountId, campaignId, productId, bannerId].some(isGiven)) return null
  return [adUnitId, placementId, algorithm].some(isGiven) || dimensions.some(isOfSlots) ? 'slot' : 'request'
}

function creditsOf(
  { whatIf }: ReportRequest,
  [shop]: readonly Entity<'Shop'>[],
  [zone]: readonly ReportZone[],
  shopHas: ShopHas | null,
) {
  if (!whatIf || !shop || !zone || !shopHas) return null
  return attributionQuery(whatIf, { shopId: shop.id, from: zone.from, to: zone.to }, shopHas)
}

function zonesOf(request: ReportRequest, shops: readonly Entity<'Shop'>[]): ReportZone[] {
  const byZone = Map.groupBy(shops, ({ body }) => body.timeZone)
  return [...byZone].map(([timeZone, members]) => {
    const from = momentIn(request.from, timeZone)
    const to = momentIn(request.to, timeZone)
    const spans = offsetSpans(timeZone, from, to).map((span) => ({ ...span, text: offsetText(span.offsetMs) }))
    return { timeZone, shopIds: members.map(({ id }) => id), from, to, spans }
  })
}

function placementsOf(snapshot: Snapshot, shops: readonly Entity<'Shop'>[]): Map<string, string> {
  const shopIds = new Set(shops.map(({ id }) => id))
  const units = [...snapshot.allEver('AdUnit')].filter(({ body }) => shopIds.has(body.shopId))
  return new Map(units.map(({ id, body }) => [id, body.placementId]))
}

function chooseShop(message: string): Problem {
  return invalid([{ path: 'querystring/shopId', message }])
}

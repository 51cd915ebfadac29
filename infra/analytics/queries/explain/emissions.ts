import type { Emission } from '../../../../schemas/records/events.ts'
import type { QueryParams } from '../../port.ts'

/** A list that takes longer is aborted, because other queries wait behind it. */
const EXECUTION_MAX_SECONDS = 10

/** Where a page of the list ends: its last request, in the order of the list. */
export type EmissionPlace = readonly [occurredAt: number, requestId: string]

export interface EmissionListSpec {
  shopIds: readonly string[]
  /** UTC epoch milliseconds, [from, to). */
  from: number
  to: number
  kind: string | undefined
  adUnitId: string | undefined
  /** A cid or uid. */
  person: string | undefined
  /** A product or banner that was shown, or was among the best that were not. */
  productId: string | undefined
  /** Only requests with an ad, or only those without one. */
  withAds: boolean | undefined
  /** Only requests in which one of these campaigns took part. `productId` and `withAds` then consider only ads of these campaigns. */
  campaignIds: readonly string[] | undefined
  after: EmissionPlace | null
  limit: number
}

/** Lists have one entry per slot; nested lists have one entry per ad of the slot. */
export interface EmissionListRow
  extends Pick<Emission, 'requestId' | 'shopId' | 'kind' | 'cid' | 'uid' | 'occurredAt' | 'country' | 'elapsedMicros'> {
  adUnitIds: string[]
  algorithms: string[]
  shortfalls: (string | null)[]
  shownCampaignIds: string[][]
  shownAdIds: string[][]
  droppedCampaignIds: string[][]
}

/** Ad requests, the latest first. For one shop that is the table's order, so only rows that are returned or filtered out are read. */
export function emissionListQuery(spec: EmissionListSpec): { sql: string; params: QueryParams } {
  const { shopIds, from, to, after, limit } = spec
  const [only = ''] = shopIds
  const sql = `
SELECT requestId, shopId, kind, cid, uid, occurredAt, country, elapsedMicros,
  slots.adUnitId AS adUnitIds, slots.algorithm AS algorithms, slots.shortfall AS shortfalls,
  slots.ads.campaignId AS shownCampaignIds, slots.ads.adId AS shownAdIds, slots.dropped.campaignId AS droppedCampaignIds
FROM emissions
WHERE ${[shopIds.length === 1 ? 'shopId = {shopId:String}' : 'shopId IN {shopIds:Array(String)}', ...conditions(spec)].join(' AND ')}
ORDER BY occurredAt DESC, requestId DESC
LIMIT ${Math.trunc(limit)}
SETTINGS max_execution_time = ${EXECUTION_MAX_SECONDS}`
  const [afterAt, afterRequestId] = after ?? [0, '']
  const { kind = '', adUnitId = '', person = '', productId = '', campaignIds = [] } = spec
  const given = { kind, adUnitId, person, productId, campaignIds }
  return { sql, params: { shopId: only, shopIds, from, to, afterAt, afterRequestId, ...given } }
}

function conditions(spec: EmissionListSpec): string[] {
  const { kind, adUnitId, person, productId, withAds, after } = spec
  const isOwn = spec.campaignIds === undefined ? '1' : 'campaign IN {campaignIds:Array(String)}'
  const any = (list: 'ads' | 'dropped', condition: string) =>
    `arrayExists((campaign, ad) -> ${condition}, arrayFlatten(slots.${list}.campaignId), arrayFlatten(slots.${list}.adId))`
  const either = (condition: string) => `(${any('ads', condition)} OR ${any('dropped', condition)})`
  return [
    'occurredAt >= {from:Int64} AND occurredAt < {to:Int64}',
    ...(after === null ? [] : ['(occurredAt, requestId) < ({afterAt:Int64}, {afterRequestId:String})']),
    ...(kind === undefined ? [] : ['kind = {kind:String}']),
    ...(adUnitId === undefined ? [] : ['has(slots.adUnitId, {adUnitId:String})']),
    ...(person === undefined ? [] : ['(cid = {person:String} OR uid = {person:String})']),
    ...(spec.campaignIds === undefined ? [] : [either(isOwn)]),
    ...(productId === undefined ? [] : [either(`${isOwn} AND ad = {productId:String}`)]),
    ...(withAds === undefined ? [] : [`${withAds ? '' : 'NOT '}${any('ads', isOwn)}`]),
  ]
}

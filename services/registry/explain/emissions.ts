import { type Analytics, AnalyticsGaveUp } from '../../../infra/analytics/port.ts'
import {
  type EmissionListRow,
  type EmissionListSpec,
  type EmissionPlace,
  emissionListQuery,
} from '../../../infra/analytics/queries/explain/emissions.ts'
import { readClosedUntil } from '../../../infra/analytics/retention/closed-months.ts'
import { readEndedUntil } from '../../../infra/analytics/retention/ended-identifiers.ts'
import { MINUTE_MS } from '../../../schemas/durations.ts'
import { type EmissionListQuery, REQUESTS_PAGE_DEFAULT } from '../../../schemas/http/panel/reports/emissions.ts'
import type { EmittedSlot } from '../../../schemas/records/events.ts'
import { Problem } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { invalid } from '../../http/violations.ts'
import { scopeOf } from '../reports/scope.ts'
import { toIso } from '../resources/conversions.ts'
import { readPosition, writePosition } from '../resources/paging.ts'
import type { Principal } from '../rights/auth.ts'
import { ofAccount } from '../rights/indexes.ts'
import { type DisplayNames, namesFor, type Pseudonyms } from './pseudonyms.ts'
import { rangeOf } from './range.ts'
import { whyShort } from './reasons.ts'

/** A row that has just been stored may have the time of a clock that is ahead of this one. */
const CLOCKS_APART_MS = 60_000
/** Most lists are of the last minutes, so the search begins there. Each step is STEP_FACTOR times as long as the previous one. */
const FIRST_STEP_MS = 15 * MINUTE_MS
const STEP_FACTOR = 8
/** No further step begins after this time. */
const SEARCH_MAX_MS = 10_000

export interface EmissionListDeps {
  analytics: Analytics
  snapshot: Snapshot
  pseudonyms: Pseudonyms
  now: () => number
}

/**
 * Lists the latest ad requests. Advertisers see those in which their campaigns took part, with their own ads only.
 * @throws Problem INVALID, NOT_FOUND for ids that the caller may not see, FORBIDDEN for advertisers who name a person.
 */
export async function listEmissions(
  { analytics, snapshot, pseudonyms, now }: EmissionListDeps,
  { principal, query }: { principal: Principal; query: EmissionListQuery },
) {
  const { limit = REQUESTS_PAGE_DEFAULT, cursor, shopId, adUnitId, campaignId } = query
  const { kind, person, productId, withAds } = query
  const isAdvertiser = principal.role === 'ADVERTISER'
  if (isAdvertiser && person !== undefined) {
    throw new Problem('FORBIDDEN', 'Only the publisher of the shop and the operator can search by person')
  }
  const range = rangeOf(query, now() + CLOCKS_APART_MS)
  await refuseForgotten(analytics, range.from)
  if (person !== undefined) await refuseEnded(analytics, range.from)
  const own = isAdvertiser ? campaignsOf(snapshot, principal.accountId) : undefined
  const spec: Omit<EmissionListSpec, 'from' | 'to' | 'after' | 'limit'> = {
    shopIds: scopeOf(snapshot, principal, { shopId, adUnitId, campaignId }).shops.map(({ id }) => id),
    campaignIds: campaignId === undefined ? own : [campaignId],
    ...{ kind, adUnitId, person, productId, withAds },
  }
  let after: EmissionPlace | null = cursor === undefined ? null : readPosition(cursor, 'number', 'string')
  const rows: EmissionListRow[] = []
  const deadline = now() + SEARCH_MAX_MS
  // One row more tells whether there is another page.
  const wanted = limit + 1
  let searchedFrom = Math.min(range.to, after === null ? range.to : after[0] + 1)
  for (let step = FIRST_STEP_MS; isOpen(); ) {
    const window = { from: Math.max(range.from, searchedFrom - step), to: searchedFrom }
    const missing = wanted - rows.length
    const { sql, params } = emissionListQuery({ ...spec, ...window, after, limit: missing })
    const found = await analytics.query<EmissionListRow>(sql, params).catch(nullWhenTooMuch)
    if (found === null) break
    // A record that came twice is one request.
    rows.push(...found.filter(({ requestId }, i) => requestId !== found[i - 1]?.requestId))
    if (found.length < missing) {
      searchedFrom = window.from
      step *= STEP_FACTOR
    } else {
      after = placeOf(found.at(-1)!)
      searchedFrom = after[0] + 1
    }
  }
  function isOpen(): boolean {
    return rows.length < wanted && searchedFrom > range.from && spec.shopIds.length > 0 && now() < deadline
  }
  // Rows of the range may have been dropped or changed during the search.
  await refuseForgotten(analytics, range.from)
  if (person !== undefined) await refuseEnded(analytics, range.from)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const names = namesFor(principal, pseudonyms)
  return {
    items: shown.map((row) => itemOf(row, { snapshot, names, own: own && new Set(own) })),
    nextCursor: last && rows.length > limit ? writePosition(...placeOf(last)) : null,
    searchedFrom: toIso(rows.length > limit && last ? last.occurredAt : searchedFrom),
  }
}

/** @throws Problem INVALID when ad requests since `from` have been forgotten. */
async function refuseForgotten(analytics: Analytics, from: number): Promise<void> {
  const closedUntil = await readClosedUntil(analytics)
  if (from >= closedUntil) return
  const message = `must be ${toIso(closedUntil)} or later: ad requests from before are forgotten`
  throw invalid([{ path: 'querystring/from', message }])
}

/** @throws Problem INVALID when a person cannot be found in ad requests since `from`. */
async function refuseEnded(analytics: Analytics, from: number): Promise<void> {
  const endedUntil = await readEndedUntil(analytics)
  if (from >= endedUntil) return
  const message = `must be ${toIso(endedUntil)} or later with person: ad requests from before are kept without identifiers`
  throw invalid([{ path: 'querystring/from', message }])
}

/** An addition to the message for an ad request that is not found. */
export async function forgottenHint(analytics: Analytics): Promise<string> {
  const closedUntil = await readClosedUntil(analytics)
  return Number.isFinite(closedUntil) ? `, and those from before ${toIso(closedUntil)} are forgotten` : ''
}

const placeOf = ({ occurredAt, requestId }: EmissionListRow): [...EmissionPlace] => [occurredAt, requestId]

const campaignsOf = (snapshot: Snapshot, accountId: string): string[] =>
  snapshot.underEver(ofAccount.Campaign, accountId).map(({ id }) => id)

function itemOf(
  row: EmissionListRow,
  { snapshot, names, own }: { snapshot: Snapshot; names: DisplayNames; own: ReadonlySet<string> | undefined },
) {
  const { requestId, shopId, kind, cid, uid, occurredAt, country, elapsedMicros } = row
  const isVisible = (campaignId: string) => own === undefined || own.has(campaignId)
  const slots = row.adUnitIds.map((adUnitId, i) => {
    const shortfall = row.shortfalls[i] as EmittedSlot['shortfall']
    const ads = row.shownCampaignIds[i]!.map((campaignId, j) => ({ campaignId, adId: row.shownAdIds[i]![j]! }))
    const isConcerned =
      own === undefined || row.shownCampaignIds[i]!.some(isVisible) || row.droppedCampaignIds[i]!.some(isVisible)
    return {
      isConcerned,
      adUnitId,
      adUnitName: snapshot.getEver('AdUnit', adUnitId)?.body.name ?? null,
      algorithm: row.algorithms[i]!,
      shortfall,
      why: shortfall === null ? null : whyShort(shortfall, ads.length + row.droppedCampaignIds[i]!.length),
      ads: ads
        .filter(({ campaignId }) => isVisible(campaignId))
        .map((ad) => ({ ...ad, campaignName: snapshot.getEver('Campaign', ad.campaignId)?.body.name ?? null })),
    }
  })
  return {
    requestId,
    shopId,
    shopName: snapshot.getEver('Shop', shopId)?.body.name ?? null,
    kind: kind as 'SPONSORED' | 'DISPLAY',
    clientId: names.person(shopId, cid),
    userId: names.person(shopId, uid),
    occurredAt: toIso(occurredAt),
    country,
    elapsedMs: elapsedMicros / 1000,
    slots: slots.filter(({ isConcerned }) => isConcerned).map(({ isConcerned, ...slot }) => slot),
  }
}

/** Null when the engine gave up a step: the answer then has the rows that were found before. */
function nullWhenTooMuch(error: unknown): null {
  if (error instanceof AnalyticsGaveUp) return null
  throw error
}

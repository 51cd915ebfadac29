import { personShard } from '../../infra/counters/shards.ts'
import { EVENT_LIFE_MS } from '../../schemas/event-times.ts'
import type { Campaign } from '../../schemas/records/entities.ts'
import type { AdEvent, JudgedEvent, ShowIdClaims, Verdict } from '../../schemas/records/events.ts'
import { VIEWS_PRICED } from '../../services/domain/campaign/campaign.ts'
import { memoized } from '../../services/domain/memoized.ts'
import { capReservationKey, crossClientKey, dayIn, viewsKey } from '../../services/domain/money/counter-keys.ts'
import { bucketOf, endOfFlight } from '../../services/domain/money/in-flight.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { isTrafficRule, trafficRulesOf } from '../../services/domain/traffic-rules.ts'
import type { BatchCounters } from './batch-counters.ts'
import { type Decision, type Limit, limitOf, NOWHERE, type Step } from './step.ts'
import {
  acquaintancesOf,
  actorOf,
  addTrafficLimits,
  type Counting,
  partiesOf,
  seenKey,
  type TrafficTerms,
  trafficTermsOf,
} from './traffic.ts'

/**
 * How many events one browser may send in a day for ads that were shown to others. Some are honest: people lose their cid, and one
 * person shares a page between two devices. Whoever sends more has collected showIds.
 */
export const FOREIGN_MAX_PER_DAY = 20

/** Where the counters of an event are: the shard of its campaign, which has the number of its partition, and how many shards there are. */
export interface Place {
  shard: number
  shards: number
}

/** The caps and budgets of a campaign, and the time zone and traffic rules of its shop. */
export interface Terms extends Pick<Campaign, 'capping'> {
  timeZone: string
  /** Null when the windows that the rules count in are over. */
  traffic: TrafficTerms | null
  /** The limits that are the same for all events of the campaign: views of a person and day, what is billed in all and in a day. */
  limits: { capped: Limit; total: Limit; daily: Limit }
}

/** Memoized by the list of settings itself, which is never changed in place. */
const trafficOf = memoized((settings: Parameters<typeof trafficRulesOf>[0]) => trafficTermsOf(trafficRulesOf(settings)))

/** A deleted campaign or shop keeps its last terms. Null when the campaign or its shop was never known. */
export function termsOf(
  { claims }: { claims: Pick<ShowIdClaims, 'campaignId' | 'shopId'> },
  snapshot: Snapshot,
): Terms | null {
  const campaign = snapshot.getEver('Campaign', claims.campaignId)?.body
  const shop = snapshot.getEver('Shop', claims.shopId)?.body
  if (!campaign || !shop) return null
  const { capping } = campaign
  return { capping, timeZone: shop.timeZone, traffic: trafficOf(shop.invalidTraffic), limits: campaignLimits(campaign) }
}

export function campaignLimits({
  capping,
  budgetMicros,
  dailyBudgetMicros,
}: Pick<Campaign, 'capping' | 'budgetMicros' | 'dailyBudgetMicros'>): Terms['limits'] {
  return {
    capped: limitOf('CAPPED', { max: capping }),
    total: limitOf('OVER_BUDGET', { max: budgetMicros, isBilled: true }),
    daily: limitOf('OVER_BUDGET', { max: dailyBudgetMicros, isBilled: true }),
  }
}

/** What the judge decides about an event. */
export type Judgement = Pick<JudgedEvent, 'verdict' | 'billedMicros' | 'invalidReason' | 'marks'>

export const invalid = (verdict: Verdict): Judgement => {
  return { verdict, billedMicros: 0, invalidReason: null, marks: [] }
}

/** The verdict on an event that is not counted at all; null when the counters decide. */
export function verdictWithoutCounters({ bot, type, occurredAt, claims }: AdEvent): 'BOT' | 'EXPIRED' | null {
  if (bot) return 'BOT'
  return occurredAt - claims.emittedAt > EVENT_LIFE_MS[type] ? 'EXPIRED' : null
}

/**
 * The step that judges an event, and counts it when it is valid.
 * @param terms null when the campaign is not known.
 * @param counters the counters of the event's batch.
 */
export function judgingStep(event: AdEvent, place: Place, terms: Terms | null, counters: BatchCounters): Step {
  const { type, claims, receivedAt } = event
  // The step takes no `once` key: the event becomes a dead letter, unjudged, and may come again once the campaign is known.
  if (!terms) return { ...UNJUDGED, now: receivedAt }
  const counting = { event, counters, parties: partiesOf(event, counters), rules: terms.traffic }
  const { micros, thousandths } = chargeOf(type, claims)
  addLimits(counting, place, terms, micros > 0 || thousandths > 0)
  const { limits, places } = counters.limits.take()
  return {
    once: counters.seen.of(seenKey(type, claims)),
    releases: releasesOf(event, terms),
    limits,
    places,
    micros,
    actor: actorOf(counting),
    acquaintances: acquaintancesOf(counting),
    carry: thousandths === 0 ? null : { counter: counters.campaign(claims.campaignId).thousandths, thousandths },
    now: receivedAt,
  }
}

/** What a decision means; null when the campaign was not known. */
export function judgement(event: AdEvent, decision: Decision): Judgement | null {
  const { ended, marks } = decision
  switch (ended) {
    case 'APPLIED':
      return { verdict: 'VALID', billedMicros: chargeOf(event.type, event.claims).micros, invalidReason: null, marks }
    case 'CARRIED':
      return {
        verdict: 'VALID',
        billedMicros: chargeOf(event.type, event.claims).micros + 1,
        invalidReason: null,
        marks,
      }
    case 'SEEN':
      return invalid('DUPLICATE')
    case 'CAPPED':
    case 'OVER_BUDGET':
    case 'REPLAYED':
      return invalid(ended)
    case 'UNKNOWN_CAMPAIGN':
      return null
    default:
      if (!isTrafficRule(ended)) throw new Error(`A decision that no step asks for: ${decision.outcome}`)
      return { ...invalid('INVALID_TRAFFIC'), invalidReason: ended }
  }
}

/**
 * What a valid event costs: a sponsored click its price, a display view a thousandth of its price. Thousandths of a micro are
 * collected per campaign and billed when they complete one, so that 1,000 views cost exactly their price.
 */
export function chargeOf(
  type: AdEvent['type'],
  { kind, autoPromo, priceMicros }: Pick<ShowIdClaims, 'kind' | 'autoPromo' | 'priceMicros'>,
): { micros: number; thousandths: number } {
  if (!autoPromo && kind === 'SPONSORED' && type === 'CLICK') return { micros: priceMicros, thousandths: 0 }
  if (!autoPromo && kind === 'DISPLAY' && type === 'VIEW') {
    return { micros: Math.floor(priceMicros / VIEWS_PRICED), thousandths: priceMicros % VIEWS_PRICED }
  }
  return { micros: 0, thousandths: 0 }
}

/** Whether the event comes from another browser than the ad was shown to, without a uid that links the two. */
function isForeign({ cid, uid, claims }: AdEvent): boolean {
  return cid !== claims.cid && !(uid && uid === claims.uid)
}

/** Adds the limits of an event. The first one that is exceeded is given as the reason. */
function addLimits(counting: Counting, place: Place, terms: Terms, isBilled: boolean): void {
  const { event, counters } = counting
  const day = dayIn(terms.timeZone, event.occurredAt)
  if (isForeign(event)) addForeignLimit(counting, place, day)
  addTrafficLimits(counting, counters.limits)
  addCapLimits(counting, place, terms, day)
  if (isBilled) addBudgetLimits(counting, terms, day)
}

function addForeignLimit({ event: { cid, claims }, counters }: Counting, { shards }: Place, day: string): void {
  const counter = counters.counters.of(crossClientKey(personShard(cid, shards), claims.shopId, day, cid))
  counters.limits.add(REPLAYED, counter)
}

/** Views are counted only while their campaign has a cap, so a cap that is set during a day counts from then on. */
function addCapLimits({ event, counters }: Counting, { shard }: Place, { capping, limits }: Terms, day: string): void {
  const { type, cid, uid, claims } = event
  if (type !== 'VIEW' || capping === null) return
  counters.limits.add(limits.capped, counters.counters.of(viewsKey(shard, 'cid', claims, day, cid)))
  if (uid) counters.limits.add(limits.capped, counters.counters.of(viewsKey(shard, 'uid', claims, day, uid)))
}

function addBudgetLimits({ event, counters }: Counting, { limits }: Terms, day: string): void {
  const { type, claims, receivedAt } = event
  const campaign = counters.campaign(claims.campaignId)
  counters.limits.add(limits.total, campaign.spend)
  counters.limits.add(limits.daily, campaign.dailySpend(day))
  const bucket = bucketOf(claims.emittedAt)
  // Selection learns by this counter that the money it reserved for the impression is spent.
  if (type === 'VIEW' && receivedAt < endOfFlight(bucket)) counters.limits.add(SETTLED, campaign.settled(bucket))
}

/** What selection has reserved of the cap for the ad that is viewed now. From now on the view counts instead, or nothing ever will. */
function releasesOf({ type, claims }: AdEvent, { capping, timeZone }: Terms): Step['releases'] {
  if (type !== 'VIEW' || capping === null) return NO_RELEASES
  const day = dayIn(timeZone, claims.emittedAt)
  const { cid, uid, requestId: holder } = claims
  const byCid = { key: capReservationKey('cid', claims, day, cid), holder }
  return uid ? [byCid, { key: capReservationKey('uid', claims, day, uid), holder }] : [byCid]
}

const NO_RELEASES: Step['releases'] = []
const REPLAYED = limitOf('REPLAYED', { max: FOREIGN_MAX_PER_DAY })
const SETTLED = limitOf('SETTLED', { max: null, isBilled: true })
/** Its limit is exceeded by every event, so that it counts nothing, and only has an outcome. */
const UNJUDGED = {
  ...{ once: null, releases: NO_RELEASES, actor: null, acquaintances: [], carry: null, micros: 0 },
  ...{ limits: [limitOf('UNKNOWN_CAMPAIGN', { max: 0 })], places: [NOWHERE] },
}

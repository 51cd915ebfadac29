import type { CounterKey } from '../../infra/counters/port.ts'
import { personShard } from '../../infra/counters/shards.ts'
import type { Campaign } from '../../schemas/records/entities.ts'
import type { AdEvent, JudgedEvent, ShowIdClaims, Verdict } from '../../schemas/records/events.ts'
import { VIEWS_PRICED } from '../../services/domain/campaign/campaign.ts'
import { memoized } from '../../services/domain/memoized.ts'
import {
  capReservationKey,
  crossClientKey,
  dailySpendKey,
  dayIn,
  LIFE_MS,
  spendKey,
  thousandthsKey,
  viewsKey,
} from '../../services/domain/money/counter-keys.ts'
import { bucketOf, endOfFlight, settledKey } from '../../services/domain/money/in-flight.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { isTrafficRule, type TrafficRules, trafficRulesOf } from '../../services/domain/traffic-rules.ts'
import type { BatchCounters } from './batch-counters.ts'
import { type Decision, type Limit, partsOf, type Step } from './step.ts'
import { acquaintancesOf, actorOf, type Counting, partiesOf, seenKey, trafficLimits } from './traffic.ts'

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
export interface Terms extends Pick<Campaign, 'capping' | 'budgetMicros' | 'dailyBudgetMicros'> {
  timeZone: string
  /** Null when the windows that the rules count in are over. */
  traffic: TrafficRules | null
}

/** Memoized by the list of settings itself, which is never changed in place. */
const rulesOf = memoized(trafficRulesOf)

/** A deleted campaign or shop keeps its last terms. Null when the campaign or its shop was never known. */
export function termsOf(
  { claims }: { claims: Pick<ShowIdClaims, 'campaignId' | 'shopId'> },
  snapshot: Snapshot,
): Terms | null {
  const campaign = snapshot.getEver('Campaign', claims.campaignId)?.body
  const shop = snapshot.getEver('Shop', claims.shopId)?.body
  if (!campaign || !shop) return null
  const { capping, budgetMicros, dailyBudgetMicros } = campaign
  const traffic = rulesOf(shop.invalidTraffic)
  return { capping, budgetMicros, dailyBudgetMicros, timeZone: shop.timeZone, traffic }
}

/** What the judge decides about an event. */
export type Judgement = Pick<JudgedEvent, 'verdict' | 'billedMicros' | 'invalidReason' | 'marks'>

export const invalid = (verdict: Verdict): Judgement => {
  return { verdict, billedMicros: 0, invalidReason: null, marks: [] }
}

/** The verdict on an event that is not counted at all; null when the counters decide. */
export function verdictWithoutCounters({ bot, type, occurredAt, claims }: AdEvent): 'BOT' | 'EXPIRED' | null {
  if (bot) return 'BOT'
  return occurredAt - claims.emittedAt > LIFE_MS[type] ? 'EXPIRED' : null
}

/**
 * The step that judges an event, and counts it when it is valid.
 * @param terms null when the campaign is not known.
 * @param counters the counters of the event's batch.
 */
export function judgingStep(event: AdEvent, place: Place, terms: Terms | null, counters: BatchCounters): Step {
  const { type, claims, receivedAt } = event
  // The step takes no `once` key: the event becomes a dead letter, unjudged, and may come again once the campaign is known.
  if (!terms) return { ...NO_STEP, limits: [UNKNOWN_CAMPAIGN], now: receivedAt }
  const counting = { event, counters, parties: partiesOf(event, counters), rules: terms.traffic }
  return {
    once: counters.seen.of(seenKey(type, claims)),
    releases: releasesOf(event, terms),
    limits: limitsOf(counting, place, terms),
    actor: actorOf(counting),
    acquaintances: acquaintancesOf(counting),
    carry: carryOf(event, place, counters),
    now: receivedAt,
  }
}

/** What a decision means; null when the campaign was not known. */
export function judgement(event: AdEvent, decision: Decision): Judgement | null {
  const { ended, marks } = partsOf(decision)
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

/** The limits of an event. The first one that is exceeded is given as the reason. */
function limitsOf(counting: Counting, place: Place, terms: Terms): Limit[] {
  const { event } = counting
  const day = dayIn(terms.timeZone, event.occurredAt)
  const foreign = isForeign(event) ? [foreignLimit(counting, place, day)] : NO_LIMITS
  return foreign.concat(
    trafficLimits(counting),
    capLimits(counting, place, terms, day),
    budgetLimits(counting, place, terms, day),
  )
}

function foreignLimit({ event: { cid, claims }, counters }: Counting, { shards }: Place, day: string): Limit {
  const counter = counters.counters.of(crossClientKey(personShard(cid, shards), claims.shopId, day, cid))
  return { name: 'REPLAYED', counter, window: null, add: 1, max: FOREIGN_MAX_PER_DAY }
}

/** Views are counted only while their campaign has a cap, so a cap that is set during a day counts from then on. */
function capLimits({ event, counters }: Counting, { shard }: Place, { capping }: Terms, day: string): Limit[] {
  const { type, cid, uid, claims } = event
  if (type !== 'VIEW' || capping === null) return NO_LIMITS
  const limitBy = (by: 'cid' | 'uid', person: string): Limit => {
    const counter = counters.counters.of(viewsKey(shard, by, claims, day, person))
    return { name: 'CAPPED', counter, window: null, add: 1, max: capping }
  }
  return uid ? [limitBy('cid', cid), limitBy('uid', uid)] : [limitBy('cid', cid)]
}

function budgetLimits({ event, counters }: Counting, { shard }: Place, terms: Terms, day: string): Limit[] {
  const { type, claims, receivedAt } = event
  const { micros, thousandths } = chargeOf(type, claims)
  if (micros === 0 && thousandths === 0) return NO_LIMITS
  const { campaignId, shopId, emittedAt } = claims
  const campaign = counters.owners.owner('campaign', shopId, campaignId)
  const limitAt = (name: string, key: CounterKey, max: number | null): Limit => {
    const counter = counters.counters.ownedBy(campaign, key)
    return { name, counter, window: null, add: micros, max, carries: true }
  }
  const total = limitAt('OVER_BUDGET', spendKey(shard, campaignId), terms.budgetMicros)
  const daily = limitAt('OVER_BUDGET', dailySpendKey(shard, campaignId, day), terms.dailyBudgetMicros)
  const bucket = bucketOf(emittedAt)
  if (type !== 'VIEW' || receivedAt >= endOfFlight(bucket)) return [total, daily]
  // Selection learns by this counter that the money it reserved for the impression is spent.
  return [total, daily, limitAt('SETTLED', settledKey(shard, campaignId, bucket), null)]
}

/** What selection has reserved of the cap for the ad that is viewed now. From now on the view counts instead, or nothing ever will. */
function releasesOf({ type, claims }: AdEvent, { capping, timeZone }: Terms): Step['releases'] {
  if (type !== 'VIEW' || capping === null) return NO_RELEASES
  const day = dayIn(timeZone, claims.emittedAt)
  const { cid, uid, requestId: holder } = claims
  const byCid = { key: capReservationKey('cid', claims, day, cid), holder }
  return uid ? [byCid, { key: capReservationKey('uid', claims, day, uid), holder }] : [byCid]
}

function carryOf({ type, claims }: AdEvent, { shard }: Place, { owners, counters }: BatchCounters): Step['carry'] {
  const { thousandths } = chargeOf(type, claims)
  if (thousandths === 0) return null
  const { shopId, campaignId } = claims
  const campaign = owners.owner('campaign', shopId, campaignId)
  return { counter: counters.ownedBy(campaign, thousandthsKey(shard, campaignId)), thousandths }
}

const NO_LIMITS: Limit[] = []
const NO_RELEASES: Step['releases'] = []
/** A limit that every event exceeds. Its step counts nothing, and only has an outcome. */
const UNKNOWN_CAMPAIGN: Limit = { name: 'UNKNOWN_CAMPAIGN', counter: null, window: null, add: 1, max: 0 }
const NO_STEP = { once: null, releases: [], limits: [], actor: null, acquaintances: [], carry: null }

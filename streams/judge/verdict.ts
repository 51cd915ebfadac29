import type { Limit, Outcome, Step } from '../../infra/counters/port.ts'
import type { Campaign } from '../../schemas/records/entities.ts'
import type { AdEvent, JudgedEvent, Verdict } from '../../schemas/records/events.ts'
import { VIEWS_PRICED } from '../../services/domain/campaign/campaign.ts'
import {
  crossClientKey,
  dailySpendKey,
  dayIn,
  onceKey,
  spendKey,
  viewsKey,
} from '../../services/domain/money/counter-keys.ts'
import { bucketOf, endOfFlight, settledKey, settledUntil } from '../../services/domain/money/in-flight.ts'
import { isTrafficRule, type TrafficRules } from '../../services/domain/traffic-rules.ts'
import { actorOf, trafficLimits } from './traffic.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Time from the emission to the event, by event type. */
const LIFE_MS = { VIEW: 24 * HOUR_MS, CLICK: 30 * DAY_MS } as const
/** An event may be received up to 7 days after it happened; a day more is for clocks that differ. */
const LATE_MAX_MS = 8 * DAY_MS

/**
 * Events of a day that one browser may send for ads that others were given. People lose a cid, and two devices of one
 * person share a page; who sends more has got hold of showIds.
 */
export const FOREIGN_MAX_PER_DAY = 20

/** The place of an event in `ad-events`. */
export interface SourcePosition {
  partition: number
  offset: number
}

/** The name under which the counters remember how far a partition of `ad-events` is applied. */
export function sourceOf(partition: number): string {
  return `ad-events/${partition}`
}

/** The caps and budgets of a campaign, and the time zone and traffic rules of its shop. */
export interface Terms extends Pick<Campaign, 'capping' | 'budgetMicros' | 'dailyBudgetMicros'> {
  timeZone: string
  traffic: TrafficRules
}

/** What the judge decides about an event. */
export type Judgement = Pick<JudgedEvent, 'verdict' | 'billedMicros' | 'invalidReason' | 'marks'>

export const invalid = (verdict: Verdict): Judgement => {
  return { verdict, billedMicros: 0, invalidReason: null, marks: [] }
}

/** The verdict on an event that is not counted at all; null: the counters decide. */
export function verdictWithoutCounters({ bot, type, occurredAt, claims }: AdEvent): 'BOT' | 'EXPIRED' | null {
  if (bot) return 'BOT'
  return occurredAt - claims.emittedAt > LIFE_MS[type] ? 'EXPIRED' : null
}

/**
 * The step that judges an event, and counts it when it is valid. Its outcome stands for good: a replay of the position gets
 * the same, even when the campaign, or its absence, has changed since.
 * @param terms null when the campaign is not known.
 */
export function judgingStep(event: AdEvent, position: SourcePosition, terms: Terms | null): Step {
  const step = stepAt(event, position)
  // It takes no once key: set aside, it was not judged, and may come again once the campaign is known.
  if (!terms) return { ...step, once: null, limits: [alwaysHeld('UNKNOWN_CAMPAIGN')] }
  const limits = limitsOf(event, { ...terms, foreignMax: FOREIGN_MAX_PER_DAY })
  return { ...step, limits, carry: carryOf(event), actor: actorOf(event) }
}

/** The step that makes empty counters what `judgingStep` made of them, whatever the campaign's terms are now. */
export function recountingStep(event: JudgedEvent, timeZone: string): Step {
  const position = { partition: event.sourcePartition, offset: event.sourceOffset }
  const step = stepAt(event, position)
  if (event.verdict !== 'VALID') return { ...step, limits: [alwaysHeld(event.invalidReason ?? event.verdict)] }
  const free = { timeZone, traffic: null, foreignMax: null, capping: null, budgetMicros: null, dailyBudgetMicros: null }
  const marks = event.marks.map((name) => ({ ...alwaysHeld(name), marks: true }))
  return { ...step, limits: [...limitsOf(event, free), ...marks], carry: carryOf(event), actor: actorOf(event) }
}

/** What an outcome of the counters means; null when the campaign was not known. */
export function judgement(event: AdEvent, outcome: Outcome): Judgement | null {
  const [ended, ...marks] = outcome.split('+')
  switch (ended) {
    case 'APPLIED':
      return { verdict: 'VALID', billedMicros: chargeOf(event).micros, invalidReason: null, marks }
    case 'CARRIED':
      return { verdict: 'VALID', billedMicros: chargeOf(event).micros + 1, invalidReason: null, marks }
    case 'SEEN':
      return invalid('DUPLICATE')
    case 'CAPPED':
    case 'OVER_BUDGET':
    case 'DUPLICATE':
    case 'REPLAYED':
      return invalid(ended)
    case 'UNKNOWN_CAMPAIGN':
      return null
    default:
      if (!isTrafficRule(outcome)) {
        throw new Error(`Counters gave an outcome that no step asks for: ${outcome}`)
      }
      return { ...invalid('INVALID_TRAFFIC'), invalidReason: outcome }
  }
}

/**
 * What a valid event costs: a sponsored click its price, a display view a thousandth of its price. Thousandths of a micro are
 * collected per campaign and billed when they complete one, so that 1,000 views cost exactly their price.
 */
function chargeOf({ type, claims }: AdEvent): { micros: number; thousandths: number } {
  const { kind, autoPromo, priceMicros } = claims
  if (!autoPromo && kind === 'SPONSORED' && type === 'CLICK') return { micros: priceMicros, thousandths: 0 }
  if (!autoPromo && kind === 'DISPLAY' && type === 'VIEW') {
    return { micros: Math.floor(priceMicros / VIEWS_PRICED), thousandths: priceMicros % VIEWS_PRICED }
  }
  return { micros: 0, thousandths: 0 }
}

function stepAt(event: AdEvent, { partition, offset }: SourcePosition): Step {
  const { type, claims, receivedAt } = event
  return {
    source: sourceOf(partition),
    offset,
    once: { key: onceKey(type, claims), expiresAt: claims.emittedAt + LIFE_MS[type] + LATE_MAX_MS },
    limits: [],
    // The log's time and not the clock's: a replay must expire keys as the first run did.
    now: receivedAt,
  }
}

/** Terms of which null means: count it, but apply no limit. */
type FreeableTerms = Omit<Terms, 'budgetMicros' | 'traffic'> & {
  budgetMicros: number | null
  traffic: TrafficRules | null
  foreignMax: number | null
}

/** Whether the event comes from another browser than the ad was shown to, without a uid that links the two. */
function isForeign({ cid, uid, claims }: AdEvent): boolean {
  return cid !== claims.cid && !(uid && uid === claims.uid)
}

/**
 * In the order in which they are given as the reason. Views are counted even without a cap, so that one set later in the
 * day knows of them.
 */
function limitsOf(event: AdEvent, terms: FreeableTerms): Limit[] {
  const { timeZone, traffic, foreignMax, capping, budgetMicros, dailyBudgetMicros } = terms
  const { type, cid, uid, claims, occurredAt, receivedAt } = event
  const day = dayIn(timeZone, occurredAt)
  const dayEnds = occurredAt + DAY_MS + LATE_MAX_MS
  const limits: Limit[] = []
  if (isForeign(event)) {
    const key = crossClientKey(claims.shopId, day, cid)
    limits.push({ name: 'REPLAYED', key, add: 1, max: foreignMax, expiresAt: dayEnds })
  }
  limits.push(...trafficLimits(event, traffic))
  if (type === 'VIEW') {
    const view = { name: 'CAPPED', add: 1, max: capping, expiresAt: dayEnds }
    limits.push({ ...view, key: viewsKey('cid', claims, day, cid) })
    if (uid) limits.push({ ...view, key: viewsKey('uid', claims, day, uid) })
  }
  const { micros, thousandths } = chargeOf(event)
  if (micros > 0 || thousandths > 0) {
    const spend = { name: 'OVER_BUDGET', add: micros, carries: true }
    limits.push(
      { ...spend, key: spendKey(claims.campaignId), max: budgetMicros, expiresAt: null },
      { ...spend, key: dailySpendKey(claims.campaignId, day), max: dailyBudgetMicros, expiresAt: dayEnds },
    )
    // Selection learns by this counter that the money it reserved for the impression is spent.
    const bucket = bucketOf(claims.emittedAt)
    if (type === 'VIEW' && receivedAt < endOfFlight(bucket)) {
      limits.push({
        ...spend,
        name: 'SETTLED',
        key: settledKey(claims.campaignId, bucket),
        max: null,
        expiresAt: settledUntil(bucket),
        brief: true,
      })
    }
  }
  return limits
}

function carryOf(event: AdEvent): Step['carry'] {
  const { thousandths } = chargeOf(event)
  return thousandths > 0 ? { key: `${spendKey(event.claims.campaignId)}/thousandths`, thousandths } : null
}

/** A limit that every event exceeds: its step counts nothing and only leaves its outcome. */
function alwaysHeld(name: string): Limit {
  return { name, key: 'always-held', add: 1, max: 0, expiresAt: null }
}

import { pathFingerprint } from '../../infra/counters/fingerprint.ts'
import type { CounterGroup, SeenKey } from '../../infra/counters/port.ts'
import type { AdEvent, ShowIdClaims } from '../../schemas/records/events.ts'
import type { TrafficRuleName } from '../../schemas/records/traffic-rules.ts'
import { memoized } from '../../services/domain/memoized.ts'
import { LAG_MAX_MS, seenGroup } from '../../services/domain/money/counter-keys.ts'
import type { TrafficRules } from '../../services/domain/traffic-rules.ts'
import type { BatchCounters } from './batch-counters.ts'
import type { Counter } from './counted/counter-table.ts'
import type { Owner } from './counted/owners.ts'
import { COUNTED, type Counted, type Window } from './counted/windows.ts'
import type { Acquaintance, Actor, Allowance, Limit } from './step.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * A person who first viewed an ad this long ago is known; until then the person is a newcomer. Somebody who invents people
 * has to wait this long for each of them.
 */
export const KNOWN_AFTER_MS = HOUR_MS
/** Views of this week and of the previous one are remembered to tell who is known. */
export const WEEK_MS = 7 * DAY_MS

/** Even people who click a lot click fewer than one in five of the ads they view. */
const VIEWS_PER_CLICK = 5
/**
 * People may be invented, and an attacker who waits for an hour has known ones. So many views of one address allow fewer clicks: up to
 * these numbers at the rate of people who click a lot, and further ones at twice the average rate.
 */
const EAGER_CLICKS_MAX = { known: 30, new: 6 }
const CROWD_VIEWS_PER_CLICK = 35
/** This many views by known people allow one more newcomer. */
const VIEWS_PER_NEWCOMER = 2
/** Each view by a known person allows this many more views by newcomers. */
const NEWCOMER_VIEWS_PER_VIEW = 10

/** An ad unit with at least this many views, today's and yesterday's together, is on a page that reports views. */
const REPORTED_VIEWS_MIN = 100

/** The least time between an ad request and a click: the ad must arrive, be drawn, be seen and be reached. */
const CLICK_MIN_MS = { list: 500, recommendation: 700, banner: 1_000 } as const
/** Algorithms of lists, which are at the top of a page; recommendations are further down. */
const LIST_ALGORITHMS = ['BESTSELLERS', 'CONTEXT_MATCH']

/** An ad that was shown once counts one view and one click: a repeated event has the same key. */
export function seenKey(
  type: AdEvent['type'],
  { requestId, campaignId, adId, emittedAt }: Pick<ShowIdClaims, 'requestId' | 'campaignId' | 'adId' | 'emittedAt'>,
): SeenKey {
  return { group: seenGroup(type, emittedAt), fingerprint: pathFingerprint([requestId, campaignId, adId]) }
}

/** Those that an event is counted by, besides its campaign. */
export interface Parties {
  address: Window
  agent: Window | null
  network: Window | null
  cid: Owner
  unit: Owner
}

/** Null when the event has no public address, as when somebody tests on their own machine. */
export function partiesOf(event: AdEvent, { owners, windows }: BatchCounters): Parties | null {
  const { claims, cid, receivedAt, addressHash, previousAddressHash, agentHash, networkHash } = event
  if (addressHash === null) return null
  const { shopId, adUnitId } = claims
  const address = owners.owner('address', shopId, addressHash)
  const before = previousAddressHash === null ? address : owners.owner('address', shopId, previousAddressHash)
  return {
    address: windows.of(address, receivedAt, before),
    agent: agentHash === null ? null : windows.of(owners.owner('agent', shopId, agentHash), receivedAt),
    network: networkHash === null ? null : windows.of(owners.owner('network', shopId, networkHash), receivedAt),
    cid: owners.owner('cid', shopId, cid),
    unit: owners.owner('unit', shopId, adUnitId),
  }
}

/** What an event is judged by. */
export interface Counting {
  event: AdEvent
  counters: BatchCounters
  parties: Parties | null
  /** Null when the windows that the event counts in are over. */
  rules: TrafficRules | null
}

/** The person who views, for the rules that tell newcomers from known people; null when no such rule applies to the event. */
export function actorOf({ event, counters, parties }: Counting): Actor | null {
  if (event.type !== 'VIEW' || parties === null) return null
  return { firstSeen: firstSeenOf(parties, event.receivedAt, counters), knownAfterMs: KNOWN_AFTER_MS }
}

/**
 * The rules against invalid traffic that an event is judged by, and the counters it adds to. The first rule that is broken is
 * the reason given. Rules that count need a public address.
 */
export function trafficLimits({ event, counters, parties, rules }: Counting): Limit[] {
  const isView = event.type === 'VIEW'
  if (!rules) return isView && parties !== null ? [countedUnitView(event, counters, parties)] : []
  if (parties === null) return isView ? [] : clickChecks(event, rules)
  const asked = { event, counters, rules, parties }
  if (isView) return viewLimits(asked)
  return [...clickLimits(asked), ...viewedChecks(asked), ...clickChecks(event, rules)]
}

/** The windows that count a view as one by a known person or by a newcomer: those of parties that may be several people. */
export function acquaintancesOf({ event, parties, rules }: Counting): readonly Window[] {
  if (!rules || event.type !== 'VIEW' || parties === null) return NOBODY
  const { address, agent, network } = parties
  if (agent === null) return network === null ? [address] : [address, network]
  return network === null ? [address, agent] : [address, agent, network]
}

const NOBODY: readonly Window[] = []

interface Asked {
  event: AdEvent
  counters: BatchCounters
  rules: TrafficRules
  parties: Parties
}

/** How many clicks the views of known people and of newcomers earn. */
const CLICKS_EARNED: readonly Allowance[] = [
  { by: COUNTED.known, gives: 1, per: VIEWS_PER_CLICK, max: EAGER_CLICKS_MAX.known },
  { by: COUNTED.known, gives: 1, per: CROWD_VIEWS_PER_CLICK, max: null },
  { by: COUNTED.new, gives: 1, per: VIEWS_PER_CLICK, max: EAGER_CLICKS_MAX.new },
  { by: COUNTED.new, gives: 1, per: CROWD_VIEWS_PER_CLICK, max: null },
]
const NEWCOMERS_ALLOWED: readonly Allowance[] = [{ by: COUNTED.known, gives: 1, per: VIEWS_PER_NEWCOMER, max: null }]
const NEWCOMER_VIEWS_ALLOWED: readonly Allowance[] = [
  { by: COUNTED.known, gives: NEWCOMER_VIEWS_PER_VIEW, per: 1, max: null },
]

function clickLimits({ event, counters, rules, parties }: Asked): Limit[] {
  const { address, agent, network, cid } = parties
  const limits = [windowLimit('ADDRESS_CLICKS', rules, address, COUNTED.clicks, CLICKS_EARNED)]
  if (agent !== null) limits.push(windowLimit('AGENT_CLICKS', rules, agent, COUNTED.clicks, CLICKS_EARNED))
  if (network !== null) limits.push(windowLimit('NETWORK_CLICKS', rules, network, COUNTED.clicks, CLICKS_EARNED))
  limits.push(windowLimit('CID_CLICKS', rules, counters.windows.of(cid, event.receivedAt), COUNTED.clicks))
  return limits
}

/** Checks that a browser has viewed something before it clicks. They add to no counter. */
function viewedChecks({ event, counters, rules, parties }: Asked): Limit[] {
  const { claims, receivedAt } = event
  const checks: Limit[] = []
  if (rules.CLICKS_ONLY.mode !== 'OFF') {
    // The value of these counters is the time of the first view: as an allowance it exceeds any number of clicks.
    const viewed: Allowance = { by: firstSeenOf(parties, receivedAt, counters), gives: 1, per: 1, max: null }
    const window = counters.windows.of(parties.cid, receivedAt)
    const clicksOnly = windowLimit('CLICKS_ONLY', rules, window, COUNTED.clicks, [viewed])
    checks.push({ ...clicksOnly, add: 0, max: rules.CLICKS_ONLY.max! - 1 })
  }
  if (rules.NO_VIEW.mode !== 'OFF') {
    checks.push({
      ...{ name: 'NO_VIEW', window: null, marks: isMark(rules, 'NO_VIEW'), add: 0, max: REPORTED_VIEWS_MIN - 1 },
      counter: unitViews(parties, receivedAt, counters),
      earlier: unitViews(parties, receivedAt - DAY_MS, counters),
      unlessSeen: counters.seen.of(seenKey('VIEW', claims)),
    })
  }
  return checks
}

function clickChecks({ claims, occurredAt }: AdEvent, rules: TrafficRules): Limit[] {
  if (occurredAt - claims.emittedAt >= clickMinMs(claims) || rules.TOO_FAST.mode === 'OFF') return []
  return [{ name: 'TOO_FAST', counter: null, window: null, marks: isMark(rules, 'TOO_FAST'), add: 1, max: 0 }]
}

function viewLimits({ event, counters, rules, parties }: Asked): Limit[] {
  const { claims, receivedAt } = event
  const unitView = countedUnitView(event, counters, parties)
  if (claims.kind !== 'DISPLAY' || claims.autoPromo) return [unitView]
  const { address, cid } = parties
  return [
    windowLimit('CID_VIEWS', rules, counters.windows.of(cid, receivedAt), COUNTED.views),
    windowLimit('ADDRESS_PEOPLE', rules, address, COUNTED.people, NEWCOMERS_ALLOWED, 'FIRST'),
    windowLimit('ADDRESS_VIEWS', rules, address, COUNTED.views, NEWCOMER_VIEWS_ALLOWED, 'NEW'),
    unitView,
  ]
}

const unitGroup = memoized((day: number) => {
  return { name: `unit/${day}`, keptUntil: (day + 2) * DAY_MS + LAG_MAX_MS, spread: 1 }
})
/** When people were first seen in a week. */
export const knownGroup = memoized((week: number) => {
  return { name: `person/${week}`, keptUntil: (week + 2) * WEEK_MS + LAG_MAX_MS, spread: 1024 }
})

/** Views of ad units on the day of `at`. */
export const unitViewsGroup = (at: number): CounterGroup => unitGroup(Math.floor(at / DAY_MS))

function countedUnitView({ receivedAt }: AdEvent, counters: BatchCounters, parties: Parties): Limit {
  return { name: 'COUNTED', counter: unitViews(parties, receivedAt, counters), window: null, add: 1, max: null }
}

/** The views of an ad unit on the day of `at`. */
function unitViews({ unit }: Parties, at: number, { counters }: BatchCounters): Counter {
  return counters.ofOwner(unit, unitViewsGroup(at))
}

/** The counters of when a browser first viewed an ad in the week of `at`, and in the week before. */
function firstSeenOf({ cid }: Parties, at: number, { counters }: BatchCounters): [Counter, Counter] {
  const week = Math.floor(at / WEEK_MS)
  return [counters.ofOwner(cid, knownGroup(week)), counters.ofOwner(cid, knownGroup(week - 1))]
}

function windowLimit(
  name: TrafficRuleName,
  rules: TrafficRules,
  window: Window,
  counted: Counted,
  allowances: readonly Allowance[] = NO_ALLOWANCES,
  of?: Acquaintance,
): Limit {
  const { mode, max } = rules[name]
  const marks = mode === 'MARK'
  return { name, counter: null, window, counted, add: 1, max: mode === 'OFF' ? null : max, allowances, of, marks }
}

const isMark = (rules: TrafficRules, name: TrafficRuleName) => rules[name].mode === 'MARK'
const NO_ALLOWANCES: readonly Allowance[] = []

function clickMinMs({ kind, algorithm }: ShowIdClaims): number {
  if (kind === 'DISPLAY') return CLICK_MIN_MS.banner
  return LIST_ALGORITHMS.some((each) => algorithm.startsWith(each)) ? CLICK_MIN_MS.list : CLICK_MIN_MS.recommendation
}

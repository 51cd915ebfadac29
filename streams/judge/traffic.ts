import { pathFingerprint } from '../../infra/counters/fingerprint.ts'
import type { CounterGroup, SeenKey } from '../../infra/counters/port.ts'
import { DAY_MS, HOUR_MS } from '../../schemas/durations.ts'
import type { AdEvent, ShowIdClaims } from '../../schemas/records/events.ts'
import type { TrafficRuleName } from '../../schemas/records/traffic-rules.ts'
import { memoized } from '../../services/domain/memoized.ts'
import { LAG_MAX_MS, seenGroup } from '../../services/domain/money/counter-keys.ts'
import type { TrafficRules } from '../../services/domain/traffic-rules.ts'
import type { BatchCounters } from './batch-counters.ts'
import type { Counter } from './counted/counter-table.ts'
import type { Owner } from './counted/owners.ts'
import type { StepLimits } from './counted/step-limits.ts'
import { COUNTED, type Counted, type Window } from './counted/windows.ts'
import { type Actor, type Allowance, type Limit, limitOf, NOWHERE } from './step.ts'

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
}

/** Null when the event has no public address, as when somebody tests on their own machine. */
export function partiesOf(event: AdEvent, { owners, windows }: BatchCounters): Parties | null {
  const { claims, cid, receivedAt, addressHash, previousAddressHash, agentHash, networkHash } = event
  if (addressHash === null) return null
  const { shopId } = claims
  const address = owners.owner('address', shopId, addressHash)
  const before = previousAddressHash === null ? address : owners.owner('address', shopId, previousAddressHash)
  return {
    address: windows.of(address, receivedAt, before),
    agent: agentHash === null ? null : windows.of(owners.owner('agent', shopId, agentHash), receivedAt),
    network: networkHash === null ? null : windows.of(owners.owner('network', shopId, networkHash), receivedAt),
    cid: owners.owner('cid', shopId, cid),
  }
}

/** What an event is judged by. */
export interface Counting {
  event: AdEvent
  counters: BatchCounters
  parties: Parties | null
  /** Null when the windows that the event counts in are over. */
  rules: TrafficTerms | null
}

/** The person who views, for the rules that tell newcomers from known people; null when no such rule applies to the event. */
export function actorOf({ event, counters, parties }: Counting): Actor | null {
  if (event.type !== 'VIEW' || parties === null) return null
  return { firstSeen: firstSeenOf(parties, event.receivedAt, counters), knownAfterMs: KNOWN_AFTER_MS }
}

/**
 * Adds the rules against invalid traffic that an event is judged by, and the counters it adds to. The first rule that is broken is
 * the reason given. Rules that count need a public address.
 */
export function addTrafficLimits({ event, counters, parties, rules }: Counting, to: StepLimits): void {
  if (event.type === 'VIEW') {
    if (parties === null) return
    if (rules) addViewLimits({ event, counters, rules, parties }, to)
    to.add(UNIT_VIEW, unitViews(event.claims, event.receivedAt, counters))
    return
  }
  if (!rules) return
  if (parties !== null) {
    addClickLimits({ event, counters, rules, parties }, to)
    addViewedChecks({ event, counters, rules, parties }, to)
  }
  addClickChecks(event, rules, to)
}

const UNIT_VIEW = limitOf('COUNTED', { max: null })

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
  rules: TrafficTerms
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

/** The rules of a shop, with the limits that are the same for all its events. */
export interface TrafficTerms extends TrafficRules {
  limits: ReturnType<typeof limitsOf>
}

export const trafficTermsOf = (rules: TrafficRules): TrafficTerms => ({ ...rules, limits: limitsOf(rules) })

function limitsOf(rules: TrafficRules) {
  const of = (name: TrafficRuleName, counted: Counted, rest: Partial<Limit> = {}) => {
    const { mode, max } = rules[name]
    return limitOf(name, { max: mode === 'OFF' ? null : max, counted, marks: mode === 'MARK', ...rest })
  }
  return {
    addressClicks: of('ADDRESS_CLICKS', COUNTED.clicks, { allowances: CLICKS_EARNED }),
    agentClicks: of('AGENT_CLICKS', COUNTED.clicks, { allowances: CLICKS_EARNED }),
    networkClicks: of('NETWORK_CLICKS', COUNTED.clicks, { allowances: CLICKS_EARNED }),
    cidClicks: of('CID_CLICKS', COUNTED.clicks),
    cidViews: of('CID_VIEWS', COUNTED.views),
    addressPeople: of('ADDRESS_PEOPLE', COUNTED.people, { allowances: NEWCOMERS_ALLOWED, of: 'FIRST' }),
    addressViews: of('ADDRESS_VIEWS', COUNTED.views, { allowances: NEWCOMER_VIEWS_ALLOWED, of: 'NEW' }),
    tooFast: limitOf('TOO_FAST', { max: 0, marks: rules.TOO_FAST.mode === 'MARK' }),
  }
}

function addClickLimits({ event, counters, rules, parties }: Asked, to: StepLimits): void {
  const { address, agent, network, cid } = parties
  const { addressClicks, agentClicks, networkClicks, cidClicks } = rules.limits
  to.add(addressClicks, address)
  if (agent !== null) to.add(agentClicks, agent)
  if (network !== null) to.add(networkClicks, network)
  to.add(cidClicks, counters.windows.of(cid, event.receivedAt))
}

/** Checks that a browser has viewed something before it clicks. They add to no counter. */
function addViewedChecks({ event, counters, rules, parties }: Asked, to: StepLimits): void {
  const { claims, receivedAt } = event
  const { CLICKS_ONLY, NO_VIEW } = rules
  if (CLICKS_ONLY.mode !== 'OFF') {
    // The value of these counters is the time of the first view: as an allowance it exceeds any number of clicks.
    const viewed: Allowance = { by: firstSeenOf(parties, receivedAt, counters), gives: 1, per: 1, max: null }
    const clicksOnly = { add: 0, max: CLICKS_ONLY.max! - 1, counted: COUNTED.clicks, allowances: [viewed] }
    const limit = limitOf('CLICKS_ONLY', { ...clicksOnly, marks: CLICKS_ONLY.mode === 'MARK' })
    to.add(limit, counters.windows.of(parties.cid, receivedAt))
  }
  if (NO_VIEW.mode !== 'OFF') {
    const limit = limitOf('NO_VIEW', {
      ...{ add: 0, max: REPORTED_VIEWS_MIN - 1, marks: NO_VIEW.mode === 'MARK' },
      earlier: unitViews(claims, receivedAt - DAY_MS, counters),
      unlessSeen: counters.seen.of(seenKey('VIEW', claims)),
    })
    to.add(limit, unitViews(claims, receivedAt, counters))
  }
}

function addClickChecks({ claims, occurredAt }: AdEvent, rules: TrafficTerms, to: StepLimits): void {
  if (occurredAt - claims.emittedAt >= clickMinMs(claims) || rules.TOO_FAST.mode === 'OFF') return
  to.add(rules.limits.tooFast, NOWHERE)
}

function addViewLimits({ event, counters, rules, parties }: Asked, to: StepLimits): void {
  const { claims, receivedAt } = event
  if (claims.kind !== 'DISPLAY' || claims.autoPromo) return
  const { cidViews, addressPeople, addressViews } = rules.limits
  to.add(cidViews, counters.windows.of(parties.cid, receivedAt))
  to.add(addressPeople, parties.address)
  to.add(addressViews, parties.address)
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

/** The views of an ad unit on the day of `at`. */
function unitViews({ adUnitId }: ShowIdClaims, at: number, { counters }: BatchCounters): Counter {
  return counters.named(adUnitId, unitViewsGroup(at))
}

/** The counters of when a browser first viewed an ad in the week of `at`, and in the week before. */
function firstSeenOf({ cid }: Parties, at: number, { counters }: BatchCounters): [Counter, Counter] {
  const week = Math.floor(at / WEEK_MS)
  return [counters.ofOwner(cid, knownGroup(week)), counters.ofOwner(cid, knownGroup(week - 1))]
}

function clickMinMs({ kind, algorithm }: ShowIdClaims): number {
  if (kind === 'DISPLAY') return CLICK_MIN_MS.banner
  return LIST_ALGORITHMS.some((each) => algorithm.startsWith(each)) ? CLICK_MIN_MS.list : CLICK_MIN_MS.recommendation
}

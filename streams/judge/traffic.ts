import { pathFingerprint } from '../../infra/counters/fingerprint.ts'
import type { CounterGroup, CounterKey, SeenKey } from '../../infra/counters/port.ts'
import type { AdEvent, ShowIdClaims } from '../../schemas/records/events.ts'
import type { TrafficRuleName } from '../../schemas/records/traffic-rules.ts'
import { memoized } from '../../services/domain/memoized.ts'
import { LAG_MAX_MS, seenGroup } from '../../services/domain/money/counter-keys.ts'
import type { TrafficRules } from '../../services/domain/traffic-rules.ts'
import type { Actor, Allowance, Limit } from './step.ts'
import { COUNTED, type Owner, type WindowIndex, type WindowTallies } from './windows/windows.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * A person who first viewed an ad this long ago is known; until then the person is a newcomer. Somebody who invents people
 * has to wait as long for each of them.
 */
export const KNOWN_AFTER_MS = HOUR_MS
/** A person is known by the views of this week and the one before. */
export const WEEK_MS = 7 * DAY_MS

/** Even people who click a lot click fewer than one in five of the ads they view. */
const VIEWS_PER_CLICK = 5
/**
 * Newcomers may be invented, so the views of many of them allow fewer clicks: up to this many at the rate of people who
 * click a lot, and beyond that at twice the average rate.
 */
const EAGER_CLICKS_MAX = 6
const NEWCOMER_VIEWS_PER_CLICK = 35
/** This many views by known people allow one more newcomer. */
const VIEWS_PER_NEWCOMER = 2
/** Each view by a known person allows this many more views by newcomers. */
const NEWCOMER_VIEWS_PER_VIEW = 10

/** An ad unit with at least this many views, today and yesterday, is on a page that reports views. */
const REPORTED_VIEWS_MIN = 100

/** The least time between an ad request and a click: the ad must arrive, be drawn, be seen and be reached. */
const CLICK_MIN_MS = { list: 500, recommendation: 700, banner: 1_000 } as const
/** Algorithms of lists, which stand at the top of a page; recommendations stand further down. */
const LIST_ALGORITHMS = ['BESTSELLERS', 'CONTEXT_MATCH']

/** An ad that was shown once counts one view and one click: a repeated event has the same key. */
export function seenKey(
  type: AdEvent['type'],
  { requestId, campaignId, adId, emittedAt }: Pick<ShowIdClaims, 'requestId' | 'campaignId' | 'adId' | 'emittedAt'>,
): SeenKey {
  return { group: seenGroup(type, emittedAt), fingerprint: pathFingerprint([requestId, campaignId, adId]) }
}

/** Whom an event is counted by, beside its campaign. */
export interface Parties {
  address: WindowTallies
  agent: WindowTallies | null
  network: WindowTallies | null
  cid: Owner
  unit: Owner
}

/** Null: the event has no public address, which somebody who tests on the own machine does not have. */
export function partiesOf(event: AdEvent, windows: WindowIndex): Parties | null {
  const { claims, cid, receivedAt, addressHash, previousAddressHash, agentHash, networkHash } = event
  if (addressHash === null) return null
  const { shopId, adUnitId } = claims
  const address = windows.owner('address', shopId, addressHash)
  return {
    address: address.tallies(receivedAt, previousAddressHash ?? undefined),
    agent: agentHash === null ? null : windows.owner('agent', shopId, agentHash).tallies(receivedAt),
    network: networkHash === null ? null : windows.owner('network', shopId, networkHash).tallies(receivedAt),
    cid: windows.owner('cid', shopId, cid),
    unit: windows.owner('unit', shopId, adUnitId),
  }
}

/** What an event is judged by. */
export interface Counting {
  event: AdEvent
  windows: WindowIndex
  parties: Parties | null
  /** Null: the windows that the event counts in are over. */
  rules: TrafficRules | null
}

/** The person who views, for the rules that tell newcomers from known people; null when no such rule applies to the event. */
export function actorOf({ event, parties }: Counting): Actor | null {
  if (event.type !== 'VIEW' || parties === null) return null
  return { keys: knownKeys(parties, event.receivedAt), knownAfterMs: KNOWN_AFTER_MS }
}

/**
 * The rules against invalid traffic that an event is judged by, and the counters it adds to. The first rule that is broken is
 * the reason given. Rules that count need a public address.
 */
export function trafficLimits({ event, parties, rules }: Counting): Limit[] {
  const isView = event.type === 'VIEW'
  if (!rules) return isView && parties !== null ? [countedUnitView(event, parties)] : []
  const asked = { event, rules }
  if (parties === null) return isView ? [] : clickChecks(asked)
  if (isView) return viewLimits({ ...asked, parties })
  return [...clickLimits({ ...asked, parties }), ...viewedChecks({ ...asked, parties }), ...clickChecks(asked)]
}

/** In whose windows a view counts as one by a known person or by a newcomer: of those who may be several people. */
export function acquaintancesOf({ event, parties, rules }: Counting): readonly WindowTallies[] {
  if (!rules || event.type !== 'VIEW' || parties === null) return NOBODY
  const { address, agent, network } = parties
  if (agent === null) return network === null ? [address] : [address, network]
  return network === null ? [address, agent] : [address, agent, network]
}

const NOBODY: readonly WindowTallies[] = []

interface Asked {
  event: AdEvent
  rules: TrafficRules
  parties: Parties
}

/** The views of known people and of newcomers that earn clicks. */
const CLICKS_EARNED: readonly Allowance[] = [
  { by: COUNTED.known, gives: 1, per: VIEWS_PER_CLICK, max: null },
  { by: COUNTED.new, gives: 1, per: VIEWS_PER_CLICK, max: EAGER_CLICKS_MAX },
  { by: COUNTED.new, gives: 1, per: NEWCOMER_VIEWS_PER_CLICK, max: null },
]
const NEWCOMERS_ALLOWED: readonly Allowance[] = [{ by: COUNTED.known, gives: 1, per: VIEWS_PER_NEWCOMER, max: null }]
const NEWCOMER_VIEWS_ALLOWED: readonly Allowance[] = [
  { by: COUNTED.known, gives: NEWCOMER_VIEWS_PER_VIEW, per: 1, max: null },
]

function clickLimits({ event, rules, parties }: Asked): Limit[] {
  const { address, agent, network, cid } = parties
  const clicksAt = (name: TrafficRuleName, tallies: WindowTallies, allowances: readonly Allowance[]): Limit => {
    return limitOf(name, rules, { tallies, counted: COUNTED.clicks, allowances })
  }
  const limits = [clicksAt('ADDRESS_CLICKS', address, CLICKS_EARNED)]
  if (agent !== null) limits.push(clicksAt('AGENT_CLICKS', agent, CLICKS_EARNED))
  if (network !== null) limits.push(clicksAt('NETWORK_CLICKS', network, CLICKS_EARNED))
  limits.push(clicksAt('CID_CLICKS', cid.tallies(event.receivedAt), NO_ALLOWANCES))
  return limits
}

/** Whether the clicks of a browser have views before them, which a click is checked against without adding to a counter. */
function viewedChecks({ event, rules, parties }: Asked): Limit[] {
  const { claims, receivedAt } = event
  const checks: Limit[] = []
  if (rules.CLICKS_ONLY.mode !== 'OFF') {
    // The value of this key is the time of the first view: as an allowance it exceeds any number of clicks.
    const viewed: Allowance = { by: knownKeys(parties, receivedAt), gives: 1, per: 1, max: null }
    const tallies = parties.cid.tallies(receivedAt)
    const clicksOnly = { tallies, counted: COUNTED.clicks, allowances: [viewed] }
    checks.push({ ...limitOf('CLICKS_ONLY', rules, clicksOnly), add: 0, max: rules.CLICKS_ONLY.max! - 1 })
  }
  if (rules.NO_VIEW.mode !== 'OFF') {
    const [today, yesterday] = [receivedAt, receivedAt - DAY_MS].map((at) => parties.unit.key(unitViewsGroup(at)))
    const noView = limitOf('NO_VIEW', rules, { key: today!, window: [yesterday!] })
    checks.push({ ...noView, unlessSeen: seenKey('VIEW', claims), add: 0, max: REPORTED_VIEWS_MIN - 1 })
  }
  return checks
}

function clickChecks({ event: { claims, occurredAt }, rules }: Omit<Asked, 'parties'>): Limit[] {
  const isTooFast = occurredAt - claims.emittedAt < clickMinMs(claims)
  return isTooFast && rules.TOO_FAST.mode !== 'OFF' ? [{ ...limitOf('TOO_FAST', rules, {}), max: 0 }] : []
}

function viewLimits({ event, rules, parties }: Asked): Limit[] {
  const { claims, receivedAt } = event
  const unitView = countedUnitView(event, parties)
  if (claims.kind !== 'DISPLAY' || claims.autoPromo) return [unitView]
  const tallies = parties.address
  const byCid = { tallies: parties.cid.tallies(receivedAt), counted: COUNTED.views }
  const people = { tallies, counted: COUNTED.people, allowances: NEWCOMERS_ALLOWED, of: 'FIRST' } as const
  const views = { tallies, counted: COUNTED.views, allowances: NEWCOMER_VIEWS_ALLOWED, of: 'NEW' } as const
  return [
    limitOf('CID_VIEWS', rules, byCid),
    limitOf('ADDRESS_PEOPLE', rules, people),
    limitOf('ADDRESS_VIEWS', rules, views),
    unitView,
  ]
}

const unitGroup = memoized((day: number) => {
  return { name: `unit/${day}`, keptUntil: (day + 2) * DAY_MS, spread: 1 }
})
/** When people were first seen in a week. */
export const knownGroup = memoized((week: number) => {
  return { name: `person/${week}`, keptUntil: (week + 2) * WEEK_MS + LAG_MAX_MS, spread: 1024 }
})

/** Views of ad units on the day of `at`. */
export const unitViewsGroup = (at: number): CounterGroup => unitGroup(Math.floor(at / DAY_MS))

function countedUnitView({ receivedAt }: AdEvent, { unit }: Parties): Limit {
  return { name: 'COUNTED', key: unit.key(unitViewsGroup(receivedAt)), add: 1, max: null }
}

function knownKeys({ cid }: Parties, at: number): [CounterKey, CounterKey] {
  const week = Math.floor(at / WEEK_MS)
  return [cid.key(knownGroup(week)), cid.key(knownGroup(week - 1))]
}

type Counts = Partial<Pick<Limit, 'key' | 'tallies' | 'counted' | 'window' | 'allowances' | 'of'>>

function limitOf(name: TrafficRuleName, rules: TrafficRules, counts: Counts): Limit {
  const { key = null, tallies, counted, window, allowances, of } = counts
  const { mode, max } = rules[name]
  const isOff = mode === 'OFF'
  const marks = mode === 'MARK'
  return { name, key, tallies, counted, add: 1, max: isOff ? null : max, window, allowances, of, marks }
}

const NO_ALLOWANCES: readonly Allowance[] = []

function clickMinMs({ kind, algorithm }: ShowIdClaims): number {
  if (kind === 'DISPLAY') return CLICK_MIN_MS.banner
  return LIST_ALGORITHMS.some((each) => algorithm.startsWith(each)) ? CLICK_MIN_MS.list : CLICK_MIN_MS.recommendation
}

import { fingerprintOf } from '../../infra/counters/fingerprint.ts'
import type { CounterKey } from '../../infra/counters/port.ts'
import type { AdEvent, ShowIdClaims } from '../../schemas/records/events.ts'
import type { TrafficRuleName } from '../../schemas/records/traffic-rules.ts'
import { memoized } from '../../services/domain/memoized.ts'
import { LAG_MAX_MS, seenKey } from '../../services/domain/money/counter-keys.ts'
import type { TrafficRules } from '../../services/domain/traffic-rules.ts'
import type { Actor, Allowance, Limit } from './step.ts'
import { COUNTED, type WindowIndex, type WindowTallies } from './windows/windows.ts'

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

/** Whom an event is counted by, beside its campaign. */
export interface Counting {
  windows: WindowIndex
  /** Null: the windows that the event counts in are over. */
  rules: TrafficRules | null
}

/** The person who views, for the rules that tell newcomers from known people; null when no such rule applies to the event. */
export function actorOf(event: AdEvent, windows: WindowIndex): Actor | null {
  if (event.type !== 'VIEW' || event.addressHash === null) return null
  return { keys: knownKeys(event, windows), knownAfterMs: KNOWN_AFTER_MS }
}

/**
 * The rules against invalid traffic that an event is judged by, and the counters it adds to. The first rule that is broken is
 * the reason given. Rules that count need a public address, which somebody who tests on the own machine does not have.
 */
export function trafficLimits(event: AdEvent, { rules, windows }: Counting): Limit[] {
  const isView = event.type === 'VIEW'
  if (!rules) return isView && event.addressHash !== null ? [countedUnitView(event, windows)] : []
  const asked = { event, rules, windows }
  if (event.addressHash === null) return isView ? [] : checksOf(asked)
  return isView ? viewLimits(asked) : [...clickLimits(asked), ...checksOf(asked)]
}

/** In whose windows a view counts as one by a known person or by a newcomer: of those who may be several people. */
export function acquaintancesOf(event: AdEvent, { rules, windows }: Counting): readonly WindowTallies[] {
  const { type, addressHash, previousAddressHash, agentHash, networkHash } = event
  if (!rules || type !== 'VIEW' || addressHash === null) return NOBODY
  const all = [tallyOf('address', event, windows, addressHash, previousAddressHash ?? undefined)]
  if (agentHash !== null) all.push(tallyOf('agent', event, windows, agentHash))
  if (networkHash !== null) all.push(tallyOf('network', event, windows, networkHash))
  return all
}

const NOBODY: readonly WindowTallies[] = []

interface Asked {
  event: AdEvent
  rules: TrafficRules
  windows: WindowIndex
}

function tallyOf(
  by: 'address' | 'agent' | 'network' | 'cid',
  { claims, receivedAt }: AdEvent,
  windows: WindowIndex,
  name: string,
  before = name,
): WindowTallies {
  return windows.tallies(by, claims.shopId, receivedAt, name, before)
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

function clickLimits({ event, rules, windows }: Asked): Limit[] {
  const { addressHash, previousAddressHash, agentHash, networkHash, cid } = event
  const clicksAt = (name: TrafficRuleName, tallies: WindowTallies, allowances: readonly Allowance[]): Limit => {
    return limitOf(name, rules, { tallies, counted: COUNTED.clicks, allowances })
  }
  const limits = [
    clicksAt(
      'ADDRESS_CLICKS',
      tallyOf('address', event, windows, addressHash!, previousAddressHash ?? undefined),
      CLICKS_EARNED,
    ),
  ]
  if (agentHash !== null)
    limits.push(clicksAt('AGENT_CLICKS', tallyOf('agent', event, windows, agentHash), CLICKS_EARNED))
  if (networkHash !== null)
    limits.push(clicksAt('NETWORK_CLICKS', tallyOf('network', event, windows, networkHash), CLICKS_EARNED))
  limits.push(clicksAt('CID_CLICKS', tallyOf('cid', event, windows, cid), NO_ALLOWANCES))
  return limits
}

/** Rules that a click is checked against without adding to a counter. Only one from a known address is counted. */
function checksOf({ event, rules, windows }: Asked): Limit[] {
  const { addressHash, cid, claims, occurredAt } = event
  const checks: Limit[] = []
  if (addressHash !== null) {
    const tallies = tallyOf('cid', event, windows, cid)
    // The value of this key is the time of the first view: as an allowance it exceeds any number of clicks.
    const viewed: Allowance = { by: knownKeys(event, windows), gives: 1, per: 1, max: null }
    const clicksOnly = { tallies, counted: COUNTED.clicks, allowances: [viewed] }
    const [key, yesterday] = unitViews(event, windows)
    checks.push(
      { ...limitOf('CLICKS_ONLY', rules, clicksOnly), add: 0, max: rules.CLICKS_ONLY.max! - 1 },
      {
        ...{ ...limitOf('NO_VIEW', rules, { key, window: [yesterday] }), unlessSeen: seenKey('VIEW', claims) },
        ...{ add: 0, max: REPORTED_VIEWS_MIN - 1 },
      },
    )
  }
  if (occurredAt - claims.emittedAt < clickMinMs(claims)) {
    checks.push({ ...limitOf('TOO_FAST', rules, {}), max: 0 })
  }
  return checks.filter(({ name }) => rules[name as TrafficRuleName].mode !== 'OFF')
}

function viewLimits({ event, rules, windows }: Asked): Limit[] {
  const { claims, addressHash, previousAddressHash, cid } = event
  const unitView = countedUnitView(event, windows)
  if (claims.kind !== 'DISPLAY' || claims.autoPromo) return [unitView]
  const address = tallyOf('address', event, windows, addressHash!, previousAddressHash ?? undefined)
  const byCid = { tallies: tallyOf('cid', event, windows, cid), counted: COUNTED.views }
  const people = { tallies: address, counted: COUNTED.people, allowances: NEWCOMERS_ALLOWED, of: 'FIRST' } as const
  const views = { tallies: address, counted: COUNTED.views, allowances: NEWCOMER_VIEWS_ALLOWED, of: 'NEW' } as const
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

/** Views of an ad unit, today and yesterday. */
function unitViews({ claims, receivedAt }: AdEvent, windows: WindowIndex): [CounterKey, CounterKey] {
  const { adUnitId } = claims
  const shard = windows.shardOf('unit', claims.shopId, adUnitId)
  return [unitViewsKey(shard, adUnitId, receivedAt), unitViewsKey(shard, adUnitId, receivedAt - DAY_MS)]
}

/** Views of an ad unit on the day of `at`. */
export function unitViewsKey(shard: number, adUnitId: string, at: number): CounterKey {
  return { shard, group: unitGroup(Math.floor(at / DAY_MS)), id: adUnitId }
}

function countedUnitView(event: AdEvent, windows: WindowIndex): Limit {
  return { name: 'COUNTED', key: unitViews(event, windows)[0], add: 1, max: null }
}

function knownKeys({ cid, claims, receivedAt }: AdEvent, windows: WindowIndex): [CounterKey, CounterKey] {
  const week = Math.floor(receivedAt / WEEK_MS)
  const shard = windows.shardOf('cid', claims.shopId, cid)
  const fingerprint = fingerprintOf(cid)
  return [
    { shard, group: knownGroup(week), id: cid, fingerprint },
    { shard, group: knownGroup(week - 1), id: cid, fingerprint },
  ]
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

import type { CounterGroup, CounterKey } from '../../infra/counters/port.ts'
import { personShard } from '../../infra/counters/shards.ts'
import type { AdEvent, ShowIdClaims } from '../../schemas/records/events.ts'
import type { TrafficRuleName } from '../../schemas/records/traffic-rules.ts'
import { memoized } from '../../services/domain/memoized.ts'
import { LAG_MAX_MS, seenKey } from '../../services/domain/money/counter-keys.ts'
import type { TrafficRules } from '../../services/domain/traffic-rules.ts'
import type { Acquaintance, Actor, Allowance, Limit } from './step.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** The sliding window is the current half hour and the two before it: always at least an hour. */
const PART_MS = 30 * MINUTE_MS
const PARTS = 3
/** The earliest time that windows which are still open have counted. */
export const WINDOWS_MS = PARTS * PART_MS

/**
 * A person who first viewed an ad this long ago is known; until then the person is a newcomer. Somebody who invents people
 * has to wait as long for each of them.
 */
const KNOWN_AFTER_MS = HOUR_MS
/** A person is known by the views of this week and the one before. */
const WEEK_MS = 7 * DAY_MS

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

/**
 * The person who views, for the rules that tell newcomers from known people; null when no such rule applies to the event.
 * @param shards how many the counters have.
 */
export function actorOf({ type, cid, addressHash, receivedAt }: AdEvent, shards: number): Actor | null {
  if (type !== 'VIEW' || addressHash === null) return null
  return { keys: knownKeys(cid, receivedAt, shards), knownAfterMs: KNOWN_AFTER_MS }
}

/**
 * The rules against invalid traffic that an event is judged by, and the counters it adds to. The first rule that is broken is
 * the reason given. Rules that count need a public address, which somebody who tests on the own machine does not have.
 * @param rules null: the windows that the event counts in are over.
 */
export function trafficLimits(event: AdEvent, rules: TrafficRules | null, shards: number): Limit[] {
  const isView = event.type === 'VIEW'
  if (!rules) return isView && event.addressHash !== null ? [countedAt(unitViews(event, shards).key)] : []
  const asked = { event, rules, shards }
  const sources = sourcesOf(event, shards)
  if (!sources) return isView ? [] : checksOf(asked, null)
  if (isView) return viewLimits(asked, sources)
  const cid = sourceOf('cid', event, shards, event.cid)
  return [...clickLimits(asked, sources, cid), ...checksOf(asked, cid)]
}

interface Asked {
  event: AdEvent
  rules: TrafficRules
  shards: number
}

type By = 'address' | 'agent' | 'network' | 'cid'

/** Something that several events may share, and where its windows lie. */
interface Source {
  by: By
  window: Window
  now: Owner
  /** Under yesterday's name. */
  yesterday: Owner
}
type Owner = Pick<CounterKey, 'shard' | 'id'>

/** What several people may share, the narrowest first; null: the address is not known. */
function sourcesOf(event: AdEvent, shards: number): Source[] | null {
  const { addressHash, previousAddressHash, agentHash, networkHash } = event
  if (addressHash === null) return null
  const sources = [sourceOf('address', event, shards, addressHash, previousAddressHash ?? addressHash)]
  if (agentHash !== null) sources.push(sourceOf('agent', event, shards, agentHash))
  if (networkHash !== null) sources.push(sourceOf('network', event, shards, networkHash))
  return sources
}

function sourceOf(by: By, { claims, receivedAt }: AdEvent, shards: number, named: string, before = named): Source {
  // Joined: a template makes a chain of its parts, which takes twice as long to be found among other ids.
  const ownerOf = (name: string) => ({ shard: personShard(name, shards), id: [by, claims.shopId, name].join('/') })
  const now = ownerOf(named)
  const yesterday = before === named ? now : ownerOf(before)
  return { by, window: windowUpTo(Math.floor(receivedAt / PART_MS)), now, yesterday }
}

const clickRules = { address: 'ADDRESS_CLICKS', agent: 'AGENT_CLICKS', network: 'NETWORK_CLICKS' } as const

function clickLimits({ rules }: Asked, sources: readonly Source[], cid: Source): Limit[] {
  return [
    ...sources.map((source) =>
      limitOf(clickRules[source.by as keyof typeof clickRules], rules, counter('clicks', source), clicksEarned(source)),
    ),
    limitOf('CID_CLICKS', rules, counter('clicks', cid)),
  ]
}

function clicksEarned(source: Source): Allowance[] {
  const known = keysOf(counter('known', source))
  const newcomers = keysOf(counter('new', source))
  return [
    { keys: known, gives: 1, per: VIEWS_PER_CLICK, max: null },
    { keys: newcomers, gives: 1, per: VIEWS_PER_CLICK, max: EAGER_CLICKS_MAX },
    { keys: newcomers, gives: 1, per: NEWCOMER_VIEWS_PER_CLICK, max: null },
  ]
}

/**
 * Rules that a click is checked against without adding to a counter.
 * @param by null: the click is not counted.
 */
function checksOf({ event, rules, shards }: Asked, by: Source | null): Limit[] {
  const { cid, claims, occurredAt, receivedAt } = event
  const checks: Limit[] = []
  if (by) {
    // The value of this key is the time of the first view: as an allowance it exceeds any number of clicks.
    const viewed: Allowance = { keys: knownKeys(cid, receivedAt, shards), gives: 1, per: 1, max: null }
    const clicksOnly = limitOf('CLICKS_ONLY', rules, counter('clicks', by), [viewed])
    const noView = { ...limitOf('NO_VIEW', rules, unitViews(event, shards)), unlessSeen: seenKey('VIEW', claims) }
    checks.push(
      { ...clicksOnly, add: 0, max: rules.CLICKS_ONLY.max! - 1 },
      { ...noView, add: 0, max: REPORTED_VIEWS_MIN - 1 },
    )
  }
  if (occurredAt - claims.emittedAt < clickMinMs(claims)) {
    checks.push({ ...limitOf('TOO_FAST', rules, NOTHING), max: 0 })
  }
  return checks.filter(({ name }) => rules[name as TrafficRuleName].mode !== 'OFF')
}

function viewLimits({ event, rules, shards }: Asked, sources: readonly Source[]): Limit[] {
  const { claims } = event
  const limits: Limit[] = []
  if (claims.kind === 'DISPLAY' && !claims.autoPromo) {
    const cid = sourceOf('cid', event, shards, event.cid)
    const address = sources[0]!
    const known = keysOf(counter('known', address))
    const people = { keys: known, gives: 1, per: VIEWS_PER_NEWCOMER, max: null }
    const views = { keys: known, gives: NEWCOMER_VIEWS_PER_VIEW, per: 1, max: null }
    limits.push(
      limitOf('CID_VIEWS', rules, counter('views', cid)),
      limitOf('ADDRESS_PEOPLE', rules, counter('people', address), [people], 'FIRST'),
      limitOf('ADDRESS_VIEWS', rules, counter('views', address), [views], 'NEW'),
    )
  }
  for (const source of sources) {
    const { current } = source.window
    limits.push(countedAt(keyIn(current, 'known', source), 'KNOWN'), countedAt(keyIn(current, 'new', source), 'NEW'))
  }
  limits.push(countedAt(unitViews(event, shards).key))
  return limits
}

/** The key of the current part of the window, and those of the parts before it. */
interface Counter {
  key: CounterKey | null
  window: readonly CounterKey[]
}

const NOTHING: Counter = { key: null, window: [] }

const keysOf = ({ key, window }: Counter) => (key ? [key, ...window] : window)

/** What is counted of somebody in a part of the window, side by side. */
const COUNTED = { clicks: 0, views: 1, people: 2, known: 3, new: 4 } as const
type Counted = keyof typeof COUNTED

const windowGroup = memoized((part: number) => {
  return { name: `window/${part}`, keptUntil: (part + PARTS) * PART_MS, spread: 512, counts: 5 }
})
const unitGroup = memoized((day: number) => {
  return { name: `unit/${day}`, keptUntil: (day + 2) * DAY_MS, spread: 1 }
})
const knownGroup = memoized((week: number) => {
  return { name: `person/${week}`, keptUntil: (week + 2) * WEEK_MS + LAG_MAX_MS, spread: 1024 }
})

interface WindowPart {
  group: CounterGroup
  /** It began on the day before the current part. */
  isYesterday: boolean
}
interface Window {
  current: WindowPart
  earlier: readonly WindowPart[]
}

const dayOf = (part: number) => Math.floor((part * PART_MS) / DAY_MS)

const windowUpTo = memoized((part: number): Window => {
  const partAt = (at: number) => ({ group: windowGroup(at), isYesterday: dayOf(at) < dayOf(part) })
  return {
    current: partAt(part),
    earlier: Array.from({ length: PARTS - 1 }, (_, i) => partAt(part - 1 - i)),
  }
})

/** A counter of the current window. */
function counter(what: Counted, source: Source): Counter {
  const { current, earlier } = source.window
  return { key: keyIn(current, what, source), window: earlier.map((part) => keyIn(part, what, source)) }
}

function keyIn({ group, isYesterday }: WindowPart, what: Counted, { now, yesterday }: Source): CounterKey {
  const { shard, id } = isYesterday ? yesterday : now
  return { shard, group, id, count: COUNTED[what] }
}

/** Views of an ad unit, today and yesterday. */
function unitViews({ claims, receivedAt }: AdEvent, shards: number): Counter {
  const day = Math.floor(receivedAt / DAY_MS)
  const shard = personShard(claims.adUnitId, shards)
  const keyOf = (each: number) => ({ shard, group: unitGroup(each), id: claims.adUnitId })
  return { key: keyOf(day), window: [keyOf(day - 1)] }
}

function knownKeys(cid: string, at: number, shards: number): [CounterKey, CounterKey] {
  const week = Math.floor(at / WEEK_MS)
  const shard = personShard(cid, shards)
  return [
    { shard, group: knownGroup(week), id: cid },
    { shard, group: knownGroup(week - 1), id: cid },
  ]
}

function limitOf(
  name: TrafficRuleName,
  rules: TrafficRules,
  { key, window }: Counter,
  allowances: readonly Allowance[] = NO_ALLOWANCES,
  of?: Acquaintance,
): Limit {
  const { mode, max } = rules[name]
  if (mode === 'OFF') return { name, key, add: 1, max: null, of }
  return { name, key, add: 1, max, of, window, allowances, marks: mode === 'MARK' }
}

const NO_ALLOWANCES: readonly Allowance[] = []

const countedAt = (key: CounterKey | null, of?: Acquaintance): Limit => {
  return { name: 'COUNTED', key, add: 1, max: null, of }
}

function clickMinMs({ kind, algorithm }: ShowIdClaims): number {
  if (kind === 'DISPLAY') return CLICK_MIN_MS.banner
  return LIST_ALGORITHMS.some((each) => algorithm.startsWith(each)) ? CLICK_MIN_MS.list : CLICK_MIN_MS.recommendation
}

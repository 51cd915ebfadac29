import type { Actor, Allowance, Limit } from '../../infra/counters/port.ts'
import type { AdEvent, ShowIdClaims } from '../../schemas/records/events.ts'
import type { TrafficRuleName } from '../../schemas/records/traffic-rules.ts'
import { onceKey } from '../../services/domain/money/counter-keys.ts'
import type { TrafficRules } from '../../services/domain/traffic-rules.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** The sliding window is the current half hour and the two before it: always at least an hour. */
const PART_MS = 30 * MINUTE_MS
const PARTS = 3

/**
 * A person who first viewed an ad this long ago is known; until then the person is a newcomer. Somebody who invents people
 * has to wait as long for each of them.
 */
const KNOWN_AFTER_MS = HOUR_MS
const KNOWN_FOR_MS = 7 * DAY_MS

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

/** The person who views, for the rules that tell newcomers from known people; null when no such rule applies to the event. */
export function actorOf({ type, cid, addressHash, receivedAt }: AdEvent): Actor | null {
  if (type !== 'VIEW' || addressHash === null) return null
  return { key: knownKey(cid), knownAfterMs: KNOWN_AFTER_MS, expiresAt: receivedAt + KNOWN_FOR_MS }
}

/**
 * The rules against invalid traffic that an event is judged by, and the counters it adds to. The first rule that is broken is
 * the reason given. Rules that count need a public address, which somebody who tests on the own machine does not have.
 * @param rules null: the event is counted and not judged.
 */
export function trafficLimits(event: AdEvent, rules: TrafficRules | null): Limit[] {
  const sources = sourcesOf(event)
  if (event.type === 'VIEW') return sources ? viewLimits(event, sources, rules) : []
  const counted = sources ? clickLimits(event, sources, rules) : []
  return rules ? [...counted, ...checksOf(event, sources !== null, rules)] : counted
}

type By = 'address' | 'agent' | 'network'
type Sources = readonly (readonly [By, string])[]

/** The sources that several events may share, the narrowest first; null: the address is not known. */
function sourcesOf({ addressHash, agentHash, networkHash }: AdEvent): Sources | null {
  if (addressHash === null) return null
  const known: Sources = [['address', addressHash]]
  const wider = [['agent', agentHash] as const, ['network', networkHash] as const]
  return [...known, ...wider.flatMap(([by, hash]) => (hash === null ? [] : [[by, hash] as const]))]
}

const clickRules = { address: 'ADDRESS_CLICKS', agent: 'AGENT_CLICKS', network: 'NETWORK_CLICKS' } as const

function clickLimits(event: AdEvent, sources: Sources, rules: TrafficRules | null): Limit[] {
  return [
    ...sources.map(([by, hash]) => {
      const clicks = counter('clicks', event, by, hash)
      return limitOf(clickRules[by], rules, clicks, clicksEarned(event, by, hash))
    }),
    limitOf('CID_CLICKS', rules, counter('clicks', event, 'cid', event.cid)),
  ]
}

function clicksEarned(event: AdEvent, by: By, hash: string): Allowance[] {
  const known = keysOf(counter('known', event, by, hash))
  const newcomers = keysOf(counter('new', event, by, hash))
  return [
    { keys: known, gives: 1, per: VIEWS_PER_CLICK, max: null },
    { keys: newcomers, gives: 1, per: VIEWS_PER_CLICK, max: EAGER_CLICKS_MAX },
    { keys: newcomers, gives: 1, per: NEWCOMER_VIEWS_PER_CLICK, max: null },
  ]
}

/** Rules that a click is checked against without adding to a counter. */
function checksOf(event: AdEvent, isCounted: boolean, rules: TrafficRules): Limit[] {
  const { cid, claims, occurredAt } = event
  const checks: Limit[] = []
  if (isCounted) {
    // The value of this key is the time of the first view: as an allowance it exceeds any number of clicks.
    const viewed: Allowance = { keys: [knownKey(cid)], gives: 1, per: 1, max: null }
    const clicksOnly = limitOf('CLICKS_ONLY', rules, counter('clicks', event, 'cid', cid), [viewed])
    const noView = { ...limitOf('NO_VIEW', rules, unitViews(event)), unlessTaken: onceKey('VIEW', claims) }
    checks.push(
      { ...clicksOnly, add: 0, max: rules.CLICKS_ONLY.max! - 1 },
      { ...noView, add: 0, max: REPORTED_VIEWS_MIN - 1 },
    )
  }
  if (occurredAt - claims.emittedAt < clickMinMs(claims)) {
    const always = limitOf('TOO_FAST', rules, { key: 'always-held', window: [], expiresAt: 0 })
    checks.push({ ...always, add: 1, max: 0 })
  }
  return checks.filter(({ name }) => rules[name as TrafficRuleName].mode !== 'OFF')
}

function viewLimits(event: AdEvent, sources: Sources, rules: TrafficRules | null): Limit[] {
  const { cid, claims } = event
  const limits: Limit[] = []
  if (claims.kind === 'DISPLAY' && !claims.autoPromo) {
    const address = sources[0]![1]
    const known = keysOf(counter('known', event, 'address', address))
    const people = { keys: known, gives: 1, per: VIEWS_PER_NEWCOMER, max: null }
    const views = { keys: known, gives: NEWCOMER_VIEWS_PER_VIEW, per: 1, max: null }
    limits.push(
      limitOf('CID_VIEWS', rules, counter('views', event, 'cid', cid)),
      { ...limitOf('ADDRESS_PEOPLE', rules, counter('people', event, 'address', address), [people]), of: 'FIRST' },
      { ...limitOf('ADDRESS_VIEWS', rules, counter('views', event, 'address', address), [views]), of: 'NEW' },
    )
  }
  for (const [by, hash] of sources) {
    limits.push(
      { ...countedAt(counter('known', event, by, hash)), of: 'KNOWN' },
      { ...countedAt(counter('new', event, by, hash)), of: 'NEW' },
    )
  }
  return [...limits, countedAt(unitViews(event))]
}

/** The key of the current part of the window, and those of the parts before it. */
interface Counter {
  key: string
  window: string[]
  expiresAt: number
}

const keysOf = ({ key, window }: Counter) => [key, ...window]

type Counted = 'clicks' | 'views' | 'people' | 'known' | 'new'

function counter(
  what: Counted,
  { claims, receivedAt, previousAddressHash }: AdEvent,
  by: By | 'cid',
  who: string,
): Counter {
  const part = Math.floor(receivedAt / PART_MS)
  const day = Math.floor(receivedAt / DAY_MS)
  const keyOf = (each: number) => {
    // Parts of yesterday are keyed by yesterday's hash of the address.
    const isYesterday = Math.floor((each * PART_MS) / DAY_MS) < day
    const named = by === 'address' && isYesterday ? (previousAddressHash ?? who) : who
    return `ivt/${what}/${by}/${each}/${claims.shopId}/${named}`
  }
  const window = Array.from({ length: PARTS - 1 }, (_, i) => keyOf(part - 1 - i))
  return { key: keyOf(part), window, expiresAt: (part + PARTS) * PART_MS }
}

/** Views of an ad unit, today and yesterday. */
function unitViews({ claims, receivedAt }: AdEvent): Counter {
  const day = Math.floor(receivedAt / DAY_MS)
  const keyOf = (each: number) => `ivt/unit/${each}/${claims.adUnitId}`
  return { key: keyOf(day), window: [keyOf(day - 1)], expiresAt: (day + 2) * DAY_MS }
}

const knownKey = (cid: string) => `ivt/known/${cid}`

function limitOf(
  name: TrafficRuleName,
  rules: TrafficRules | null,
  { key, window, expiresAt }: Counter,
  allowances: Allowance[] = [],
): Limit {
  const { mode, max } = rules?.[name] ?? { mode: 'OFF', max: 0 }
  const counted = { name, key, add: 1, max: null, expiresAt, brief: true }
  return mode === 'OFF' ? counted : { ...counted, max, window, allowances, marks: mode === 'MARK' }
}

const countedAt = ({ key, expiresAt }: Counter): Limit => {
  return { name: 'COUNTED', key, add: 1, max: null, expiresAt, brief: true }
}

function clickMinMs({ kind, algorithm }: ShowIdClaims): number {
  if (kind === 'DISPLAY') return CLICK_MIN_MS.banner
  return LIST_ALGORITHMS.some((each) => algorithm.startsWith(each)) ? CLICK_MIN_MS.list : CLICK_MIN_MS.recommendation
}

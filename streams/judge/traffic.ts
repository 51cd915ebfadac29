import type { Actor, Allowance, Limit } from '../../infra/counters/port.ts'
import type { AdEvent, ShowIdClaims } from '../../schemas/records/events.ts'
import type { TrafficRuleName } from '../../schemas/records/traffic-rules.ts'
import { onceKey } from '../../services/domain/money/counter-keys.ts'
import type { TrafficRules } from '../../services/domain/traffic-rules.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** A sliding hour is the part of an hour under way and the two before it: never less than an hour. */
const PART_MS = 30 * MINUTE_MS
const PARTS = 3

/** Who has viewed an ad so long ago is known, and no newcomer any more. Whoever makes up people must wait as long. */
const KNOWN_AFTER_MS = HOUR_MS
const KNOWN_FOR_MS = 7 * DAY_MS

/** Of five ads that people view they click fewer than one, also those who click much. */
const VIEWS_PER_CLICK = 5
/**
 * Newcomers may be made up, and the views of a crowd of them earn less: so many clicks as people who click much, and
 * beyond that twice as many as people click on average.
 */
const EAGER_CLICKS_MAX = 6
const NEWCOMER_VIEWS_PER_CLICK = 35
/** Newcomers that are one more for so many views by people who are known. */
const VIEWS_PER_NEWCOMER = 2
/** Views of newcomers that are more for every view by people who are known. */
const NEWCOMER_VIEWS_PER_VIEW = 10

/** An ad unit whose page reports views has so many in the days that are looked at. */
const REPORTED_VIEWS_MIN = 100

/** Least time from the answer to an ad request to a click on it: to arrive, to be drawn, to be seen and to be reached. */
const CLICK_MIN_MS = { list: 500, recommendation: 700, banner: 1_000 } as const
/** What people look for stands on top of the page; what is recommended stands below. */
const LIST_ALGORITHMS = ['BESTSELLERS', 'CONTEXT_MATCH']

/** Who views, for the rules that tell newcomers from people who are known. Only where there are such rules. */
export function actorOf({ type, cid, addressHash, receivedAt }: AdEvent): Actor | null {
  if (type !== 'VIEW' || addressHash === null) return null
  return { key: knownKey(cid), knownAfterMs: KNOWN_AFTER_MS, expiresAt: receivedAt + KNOWN_FOR_MS }
}

/**
 * The rules against invalid traffic that an event is judged by, and what it counts for later ones, in the order in which
 * they are given as the reason. Rules that count need a public address: who tests on his own machine has none.
 * @param rules null: only counts.
 */
export function trafficLimits(event: AdEvent, rules: TrafficRules | null): Limit[] {
  const sources = sourcesOf(event)
  if (event.type === 'VIEW') return sources ? viewLimits(event, sources, rules) : []
  const counted = sources ? clickLimits(event, sources, rules) : []
  return rules ? [...counted, ...checksOf(event, sources !== null, rules)] : counted
}

type By = 'address' | 'agent' | 'network'
type Sources = readonly (readonly [By, string])[]

/** Who may stand behind several events, the narrowest first; null: not known. */
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

/** Rules that a click is held against without being counted. */
function checksOf(event: AdEvent, isCounted: boolean, rules: TrafficRules): Limit[] {
  const { cid, claims, occurredAt } = event
  const checks: Limit[] = []
  if (isCounted) {
    // The time at which somebody was first seen is beyond any number of clicks.
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

/** Where something is counted now, and where it was counted in the parts of the window before. */
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
    // Yesterday's parts know the address by yesterday's hash.
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

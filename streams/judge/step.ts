import type { ShardChange } from '../../infra/counters/port.ts'
import { memoized } from '../../services/domain/memoized.ts'
import type { Counter } from './counted/counter-table.ts'
import type { Seen } from './counted/seen-table.ts'
import { COUNTED, type Counted, type Window } from './counted/windows.ts'

/**
 * What an event asks of the counters, and what it adds to them when it is valid. It refers to counters by the numbers that its batch
 * gives them (`batch-counters.ts`).
 */
export interface Step {
  /** Only the first step with this key goes on, whatever its limits then say; later ones end as 'SEEN'. Null when there is no key. */
  once: Seen | null
  /** Reservations that end when `once` is taken. */
  releases: ShardChange['released']
  /**
   * All limits are checked before any counter is raised. The first limit, in order, whose value and amount would exceed its max ends
   * the step with its `name`. A limit with a null max only counts. When all limits hold, every counter is raised by its amount.
   */
  limits: readonly Limit[]
  /** For each limit, the window that it counts in if it has a `counted`, or else the counter; NOWHERE when there is neither. */
  places: readonly (Window | Counter)[]
  /** What a limit that `isBilled` adds. */
  micros: number
  actor: Actor | null
  /** The windows that count the step as one by a known person or by a newcomer. Empty without an actor. */
  acquaintances: readonly Window[]
  /**
   * Thousandths of a unit, 1 to 999, collected in `counter`. Once they complete a unit, the counter is reduced by 1,000, every limit
   * that `isBilled` is checked and raised by one more, and the step ends as 'CARRIED'. A step that a limit ends collects nothing.
   */
  carry: { counter: Counter; thousandths: number } | null
  /** UTC epoch milliseconds: when the actor acted. */
  now: number
}

/** What a limit says. It is mostly the same for many steps, which share it: what it counts in is among the step's `places`. */
export interface Limit {
  name: string
  /** Which of the window's counts is limited; null when the limit counts in a counter, or when `add` alone is compared with `max`. */
  counted: Counted | null
  /** A safe integer. It is negative only for refunds, which have no `max`. */
  add: number
  max: number | null
  /** Whether the limit adds the step's `micros` in place of `add`, and the unit that the step's `carry` completes. */
  isBilled: boolean
  /** The same counter of the previous day, whose value is added to that of the counter. */
  earlier: Counter | null
  /** What raises `max`. */
  allowances: readonly Allowance[]
  /** True when the limit does not end the step: if it is exceeded, it is not raised, and `+name` is appended to the outcome. */
  marks: boolean
  /** The limit applies only to such an actor: FIRST, of whom nothing is remembered; NEW, who is not KNOWN yet; or KNOWN. */
  of: Acquaintance | null
  /** The limit is checked only while this was not seen. */
  unlessSeen: Seen | null
}

/** The place of a limit that counts in nothing. */
export const NOWHERE = -1

/** A limit that adds 1, unless it says otherwise. All limits have the same fields in the same order, so that reading them is fast. */
export function limitOf(name: string, rest: Partial<Limit> & Pick<Limit, 'max'>): Limit {
  return {
    ...{ name, counted: null, add: 1, max: null, isBilled: false, earlier: null },
    ...{ allowances: NO_ALLOWANCES, marks: false, of: null, unlessSeen: null },
    ...rest,
  }
}

/** Who acts. The first counter remembers the earliest `now` of a step that was carried out; the others do so for earlier times. */
export interface Actor {
  firstSeen: readonly [Counter, ...Counter[]]
  /** An actor who was first seen at least this long ago is KNOWN. */
  knownAfterMs: number
}

/** Raises the `max` of a limit by `gives` for every `per` that was counted, rounded down, and by at most the `max` given here. */
export interface Allowance {
  /** What was counted: the sum of these counters, or another count of the window that the limit counts in. */
  by: readonly Counter[] | Counted
  gives: number
  per: number
  max: number | null
}

export type Acquaintance = 'FIRST' | 'NEW' | 'KNOWN'

/** Everything that the changes of a decided step follow from. */
export interface Decision {
  /**
   * 'APPLIED' or 'CARRIED', followed by the names of the limits that mark it (`APPLIED+FAST`); 'SEEN'; or the name of the
   * limit that stopped the step.
   */
  outcome: string
  actor: Acquaintance | null
  /** The outcome without the names of the limits that mark it. */
  ended: string
  marks: readonly string[]
}

/** Receives the counters that a step is decided by. The same one may come several times. */
export interface CounterQuestions {
  asked(counter: Counter): void
  askedWindow(window: Window): void
  askedSeen(seen: Seen): void
  /** A counter that may be changed without being read. */
  changing(counter: Counter): void
  changingWindow(window: Window): void
}

/** The values that a step is decided by, including the changes of the steps before it. */
export interface CounterValues {
  value(counter: Counter): number
  /** The sum over the whole window. */
  tallied(window: Window, counted: Counted): number
  isSeen(seen: Seen): boolean
}

/** Receives the changes of a step. */
export interface CounterChanges {
  add(counter: Counter, amount: number): void
  /** Raises a count in the current part of the window. */
  tally(window: Window, counted: Counted, amount: number): void
  /** Sets a counter that is 0, or higher than the value. */
  lower(counter: Counter, value: number): void
  see(seen: Seen): void
  release(reservations: Step['releases']): void
}

// A step is asked for, decided and carried out by loops over indexes: an iterator for each list was a tenth of an event's garbage.
const THOUSANDTHS = 1000
const NO_ALLOWANCES: readonly Allowance[] = []

/** Decides a step; changes nothing. */
export function decide(step: Step, values: CounterValues): Decision {
  const { once, limits, places, actor: acting, now } = step
  const actor = acting && acquaintanceOf(acting, now, values)
  if (once !== null && values.isSeen(once)) return decisionOf('SEEN', actor)
  const carried = carriedBy(step, values)
  let outcome = carried ? 'CARRIED' : 'APPLIED'
  for (let i = 0; i < limits.length; i++) {
    const limit = limits[i]!
    if (limit.max === null || !isThere(limit, actor)) continue
    if (limit.unlessSeen !== null && values.isSeen(limit.unlessSeen)) continue
    const raised = countedBy(limit, places[i]!, values) + amountOf(limit, step, carried)
    if (raised <= limit.max || raised <= limit.max + allowedBy(limit, places[i]!, values)) continue
    if (!limit.marks) return decisionOf(limit.name, actor)
    outcome += `+${limit.name}`
  }
  return decisionOf(outcome, actor)
}

/** Makes the changes of a decided step, without reading anything. */
export function carryOut(step: Step, decided: Decision, to: CounterChanges): void {
  const { once, limits, places, actor, acquaintances, carry, now } = step
  if (decided.outcome === 'SEEN') return
  if (once !== null) {
    to.see(once)
    to.release(step.releases)
  }
  const { ended, marks } = decided
  if (ended !== 'APPLIED' && ended !== 'CARRIED') return
  const carried = ended === 'CARRIED' ? 1 : 0
  for (let i = 0; i < limits.length; i++) {
    const limit = limits[i]!
    const place = places[i]!
    if (place === NOWHERE || !isThere(limit, decided.actor)) continue
    if (marks.length > 0 && marks.includes(limit.name)) continue
    const amount = amountOf(limit, step, carried)
    if (limit.counted !== null) to.tally(place, limit.counted, amount)
    else to.add(place, amount)
  }
  const acquaintance = decided.actor === 'KNOWN' ? COUNTED.known : COUNTED.new
  for (let i = 0; i < acquaintances.length; i++) to.tally(acquaintances[i]!, acquaintance, 1)
  if (carry) to.add(carry.counter, carry.thousandths - carried * THOUSANDTHS)
  if (actor) to.lower(actor.firstSeen[0], now)
}

/** There are few different decisions, so steps that are decided alike share one. */
export const decisionOf = (outcome: string, actor: Acquaintance | null): Decision =>
  decisionsOn(outcome)[actor ?? 'NOBODY']

const decisionsOn = memoized((outcome: string) => {
  const [ended, ...marks] = outcome.split('+') as [string, ...string[]]
  const of = (actor: Acquaintance | null): Decision => ({ outcome, actor, ended, marks })
  return { FIRST: of('FIRST'), NEW: of('NEW'), KNOWN: of('KNOWN'), NOBODY: of(null) }
})

/** Asks for everything that `decide` may read, and names what else `carryOut` may change. */
export function askWith({ once, limits, places, actor, acquaintances, carry }: Step, to: CounterQuestions): void {
  if (once !== null) to.askedSeen(once)
  for (let i = 0; i < limits.length; i++) askWithLimit(limits[i]!, places[i]!, to)
  if (actor !== null) askAll(actor.firstSeen, to)
  for (let i = 0; i < acquaintances.length; i++) to.changingWindow(acquaintances[i]!)
  if (carry) to.asked(carry.counter)
}

function askWithLimit(
  { max, counted, earlier, allowances, unlessSeen }: Limit,
  place: number,
  to: CounterQuestions,
): void {
  if (unlessSeen !== null) to.askedSeen(unlessSeen)
  if (earlier !== null) to.asked(earlier)
  for (let i = 0; i < allowances.length; i++) {
    const { by } = allowances[i]!
    if (typeof by === 'object') askAll(by, to)
  }
  if (place === NOWHERE) return
  if (counted !== null) {
    if (max === null) to.changingWindow(place)
    else to.askedWindow(place)
  } else if (max === null) to.changing(place)
  else to.asked(place)
}

function askAll(counters: readonly Counter[], to: CounterQuestions): void {
  for (let i = 0; i < counters.length; i++) to.asked(counters[i]!)
}

/** How well the actor is known, by what the counters say before the step. */
export function acquaintanceOf(
  { firstSeen, knownAfterMs }: Actor,
  now: number,
  values: Pick<CounterValues, 'value'>,
): Acquaintance {
  let first = Number.POSITIVE_INFINITY
  for (let i = 0; i < firstSeen.length; i++) {
    const at = values.value(firstSeen[i]!)
    if (at > 0 && at < first) first = at
  }
  if (first === Number.POSITIVE_INFINITY) return 'FIRST'
  return now - first >= knownAfterMs ? 'KNOWN' : 'NEW'
}

function isThere({ of }: Limit, actor: Acquaintance | null): boolean {
  if (of === null || actor === null) return of === null
  return of === 'NEW' ? actor !== 'KNOWN' : of === actor
}

function carriedBy({ carry }: Step, values: CounterValues): 0 | 1 {
  return carry && values.value(carry.counter) + carry.thousandths >= THOUSANDTHS ? 1 : 0
}

const amountOf = ({ isBilled, add }: Limit, { micros }: Step, carried: 0 | 1) => (isBilled ? micros + carried : add)

function countedBy({ counted, earlier }: Limit, place: number, values: CounterValues): number {
  if (counted !== null) return values.tallied(place, counted)
  return (place === NOWHERE ? 0 : values.value(place)) + (earlier === null ? 0 : values.value(earlier))
}

function allowedBy({ allowances }: Limit, place: number, values: CounterValues): number {
  let sum = 0
  for (let i = 0; i < allowances.length; i++) sum += allowed(allowances[i]!, place, values)
  return sum
}

function allowed({ by, gives, per, max }: Allowance, window: Window, values: CounterValues): number {
  const counted = typeof by === 'number' ? values.tallied(window, by) : sumOf(by, values)
  const given = Math.floor((counted * gives) / per)
  return max === null ? given : Math.min(given, max)
}

function sumOf(counters: readonly Counter[], values: CounterValues): number {
  let sum = 0
  for (let i = 0; i < counters.length; i++) sum += values.value(counters[i]!)
  return sum
}

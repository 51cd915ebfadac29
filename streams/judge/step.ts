import type { ShardChange } from '../../infra/counters/port.ts'
import type { Counter } from './counted/counter-table.ts'
import type { Seen } from './counted/seen-table.ts'
import { COUNTED, type Counted, type Window } from './counted/windows.ts'

/**
 * What an event asks of the counters, and what it adds to them when it is valid. It names them by the numbers that its batch gives
 * them (`batch-counters.ts`).
 */
export interface Step {
  /** Only the first step with this goes on, whatever its limits then say; later ones end as 'SEEN'. */
  once: Seen | null
  /** Reservations that end when `once` is taken. */
  releases: ShardChange['released']
  /**
   * All limits are checked before any is raised: the first, in order, whose value + add would exceed max ends the
   * step as its `name`. Null max: only counted. With all held, every counter is raised by its `add`.
   */
  limits: readonly Limit[]
  actor: Actor | null
  /** Whose windows count the step as one of a known person, or of a newcomer. Empty without an actor. */
  acquaintances: readonly Window[]
  /**
   * Thousandths of a unit, 1 to 999, collected in `counter`. Once they complete a unit, 1,000 leave it, every limit
   * that `carries` is checked and raised by one more, and the step ends as 'CARRIED'. A step held back collects nothing.
   */
  carry: { counter: Counter; thousandths: number } | null
  /** UTC epoch milliseconds: when the actor acted. */
  now: number
}

export interface Limit {
  name: string
  /** Null: this counts nothing. Without `window` too, `add` alone is compared with `max`. */
  counter: Counter | null
  /** What counts in place of `counter`: one of the counters of somebody's window. */
  window: Window | null
  counted?: Counted
  /** A safe integer from 0 on. */
  add: number
  max: number | null
  /** Takes the unit that the step's `carry` completes. */
  carries?: boolean
  /** What counts with `counter`: the day before. */
  earlier?: Counter
  /** What raises `max`. */
  allowances?: readonly Allowance[]
  /** Exceeded, it does not end the step: it is not raised, and the outcome has `+name` at its end. */
  marks?: boolean
  /** The limit is there only for such an actor: FIRST, of whom nothing is remembered; NEW, not yet KNOWN. */
  of?: Acquaintance
  /** The limit is there only while this was not seen. */
  unlessSeen?: Seen
}

/** Who acts: the first counter remembers the earliest `now` of a step that was carried out, the others what was before. */
export interface Actor {
  firstSeen: readonly [Counter, ...Counter[]]
  /** KNOWN is who was remembered so long ago. */
  knownAfterMs: number
}

/** `gives` for every `per` that was counted, rounded down, at most `max`. */
export interface Allowance {
  /** By these, or by another counter of the window that the limit counts in. */
  by: readonly Counter[] | Counted
  gives: number
  per: number
  max: number | null
}

export type Acquaintance = 'FIRST' | 'NEW' | 'KNOWN'

/** All that a step's changes follow from, once it is decided. */
export interface Decision {
  /**
   * 'APPLIED' or 'CARRIED', followed by the names of the limits that mark it (`APPLIED+FAST`); 'SEEN'; or the name of the
   * limit that stopped the step.
   */
  outcome: string
  actor: Acquaintance | null
}

/** What takes the counters that a step is decided by, some of them several times. */
export interface CounterQuestions {
  asked(counter: Counter): void
  askedWindow(window: Window): void
  askedSeen(seen: Seen): void
  /** What may be changed without being read. */
  changing(counter: Counter): void
  changingWindow(window: Window): void
}

/** The values that a step is decided by, with all that the steps before it changed. */
export interface CounterValues {
  value(counter: Counter): number
  /** Over the whole window. */
  tallied(window: Window, counted: Counted): number
  isSeen(seen: Seen): boolean
}

/** What takes the changes of a step. */
export interface CounterChanges {
  add(counter: Counter, amount: number): void
  /** In the current part of the window. */
  tally(window: Window, counted: Counted, amount: number): void
  /** Sets a counter that is 0 or higher. */
  lower(counter: Counter, value: number): void
  see(seen: Seen): void
  release(reservations: Step['releases']): void
}

const THOUSANDTHS = 1000
const NO_COUNTERS: readonly Counter[] = []
const NO_ALLOWANCES: readonly Allowance[] = []

/** Decides a step; changes nothing. */
export function decide(step: Step, values: CounterValues): Decision {
  const { once, limits, actor: acting, now } = step
  const actor = acting && acquaintanceOf(acting, now, values)
  if (once !== null && values.isSeen(once)) return { outcome: 'SEEN', actor }
  const carried = carriedBy(step, values)
  let outcome = carried ? 'CARRIED' : 'APPLIED'
  for (const limit of limits) {
    if (limit.max === null || !isThere(limit, actor)) continue
    if (limit.unlessSeen !== undefined && values.isSeen(limit.unlessSeen)) continue
    const add = limit.add + (limit.carries ? carried : 0)
    const raised = countedBy(limit, values) + add
    if (raised <= limit.max || raised <= maxOf(limit, limit.max, values)) continue
    if (!limit.marks) return { outcome: limit.name, actor }
    outcome += `+${limit.name}`
  }
  return { outcome, actor }
}

/** Makes the changes of a step that was decided, without reading anything. */
export function carryOut(
  { once, releases, limits, actor, acquaintances, carry, now }: Step,
  decided: Decision,
  to: CounterChanges,
): void {
  if (decided.outcome === 'SEEN') return
  if (once !== null) {
    to.see(once)
    to.release(releases)
  }
  const { ended, marks } = partsOf(decided)
  if (ended !== 'APPLIED' && ended !== 'CARRIED') return
  const carried = ended === 'CARRIED' ? 1 : 0
  for (const limit of limits) {
    const { counter, window, counted } = limit
    if (counter === null && window === null) continue
    if (!isThere(limit, decided.actor) || marks.includes(limit.name)) continue
    const amount = limit.add + (limit.carries ? carried : 0)
    if (window !== null) to.tally(window, counted!, amount)
    else to.add(counter!, amount)
  }
  const acquaintance = decided.actor === 'KNOWN' ? COUNTED.known : COUNTED.new
  for (const each of acquaintances) to.tally(each, acquaintance, 1)
  if (carry) to.add(carry.counter, carry.thousandths - carried * THOUSANDTHS)
  if (actor) to.lower(actor.firstSeen[0], now)
}

/** How a step has ended, and the limits that mark it. */
export function partsOf({ outcome }: Pick<Decision, 'outcome'>): { ended: string; marks: string[] } {
  if (!outcome.includes('+')) return { ended: outcome, marks: [] }
  const [ended, ...marks] = outcome.split('+')
  return { ended: ended!, marks }
}

/** Asks for all that `decide` may read, and names what else `carryOut` may change. */
export function askWith({ once, limits, actor, acquaintances, carry }: Step, to: CounterQuestions): void {
  if (once !== null) to.askedSeen(once)
  for (const { counter, window, max, earlier, allowances, unlessSeen } of limits) {
    if (unlessSeen !== undefined) to.askedSeen(unlessSeen)
    if (max === null) {
      if (window !== null) to.changingWindow(window)
      else if (counter !== null) to.changing(counter)
      continue
    }
    if (counter !== null) to.asked(counter)
    if (window !== null) to.askedWindow(window)
    if (earlier !== undefined) to.asked(earlier)
    for (const { by } of allowances ?? NO_ALLOWANCES) if (typeof by === 'object') for (const each of by) to.asked(each)
  }
  for (const each of actor?.firstSeen ?? NO_COUNTERS) to.asked(each)
  for (const each of acquaintances) to.changingWindow(each)
  if (carry) to.asked(carry.counter)
}

/** By what the counters say before the step. */
export function acquaintanceOf(
  { firstSeen, knownAfterMs }: Actor,
  now: number,
  values: Pick<CounterValues, 'value'>,
): Acquaintance {
  let first = Number.POSITIVE_INFINITY
  for (const counter of firstSeen) {
    const at = values.value(counter)
    if (at > 0 && at < first) first = at
  }
  if (first === Number.POSITIVE_INFINITY) return 'FIRST'
  return now - first >= knownAfterMs ? 'KNOWN' : 'NEW'
}

function isThere({ of }: Limit, actor: Acquaintance | null): boolean {
  if (of === undefined || actor === null) return of === undefined
  return of === 'NEW' ? actor !== 'KNOWN' : of === actor
}

function carriedBy({ carry }: Step, values: CounterValues): 0 | 1 {
  return carry && values.value(carry.counter) + carry.thousandths >= THOUSANDTHS ? 1 : 0
}

function countedBy({ counter, window, counted, earlier }: Limit, values: CounterValues): number {
  if (window !== null) return values.tallied(window, counted!)
  return (counter === null ? 0 : values.value(counter)) + (earlier === undefined ? 0 : values.value(earlier))
}

function maxOf({ allowances, window }: Limit, max: number, values: CounterValues): number {
  let sum = max
  for (const each of allowances ?? NO_ALLOWANCES) sum += allowed(each, window, values)
  return sum
}

function allowed({ by, gives, per, max }: Allowance, window: Window | null, values: CounterValues): number {
  const counted = typeof by === 'number' ? values.tallied(window!, by) : sumOf(by, values)
  const given = Math.floor((counted * gives) / per)
  return max === null ? given : Math.min(given, max)
}

function sumOf(counters: readonly Counter[], values: CounterValues): number {
  let sum = 0
  for (const counter of counters) sum += values.value(counter)
  return sum
}

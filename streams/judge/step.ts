import type { CounterKey, SeenKey, ShardChange } from '../../infra/counters/port.ts'
import { COUNTED, type Counted, type WindowTallies } from './windows/windows.ts'

/** What an event asks of the counters, and what it adds to them when it is valid. */
export interface Step {
  /** Only the first step with this key goes on, whatever its limits then say; later ones end as 'SEEN'. */
  once: SeenKey | null
  /** Reservations that end when the key of `once` is taken. */
  releases: ShardChange['released']
  /**
   * All limits are checked before any is raised: the first, in order, whose value + add would exceed max ends the
   * step as its `name`. Null max: only counted. With all held, every key is raised by its `add`.
   */
  limits: readonly Limit[]
  actor: Actor | null
  /** Whose windows count the step as one of a known person, or of a newcomer. Empty without an actor. */
  acquaintances: readonly WindowTallies[]
  /**
   * Thousandths of a unit, 1 to 999, collected at `key`. Once they complete a unit, 1,000 leave the key, every limit
   * that `carries` is checked and raised by one more, and the step ends as 'CARRIED'. A step held back collects nothing.
   */
  carry: { key: CounterKey; thousandths: number } | null
  /** UTC epoch milliseconds: when the actor acted. */
  now: number
}

export interface Limit {
  name: string
  /** Null: this counts nothing. Without `tallies` too, `add` alone is compared with `max`. */
  key: CounterKey | null
  /** What counts in place of `key`: a counter of somebody's window. */
  tallies?: WindowTallies
  counted?: Counted
  /** A safe integer from 0 on. */
  add: number
  max: number | null
  /** Takes the unit that the step's `carry` completes. */
  carries?: boolean
  /** Keys whose values count with that of `key`: the earlier parts of a sliding window. */
  window?: readonly CounterKey[]
  /** What raises `max`. */
  allowances?: readonly Allowance[]
  /** Exceeded, it does not end the step: it is not raised, and the outcome has `+name` at its end. */
  marks?: boolean
  /** The limit is there only for such an actor: FIRST, of whom nothing is remembered; NEW, not yet KNOWN. */
  of?: Acquaintance
  /** The limit is there only while this key was not seen. */
  unlessSeen?: SeenKey
}

/** Who acts: the first key remembers the earliest `now` of a step that was carried out, the others what was before. */
export interface Actor {
  keys: readonly [CounterKey, ...CounterKey[]]
  /** KNOWN is who was remembered so long ago. */
  knownAfterMs: number
}

/** `gives` for every `per` that was counted, rounded down, at most `max`. */
export interface Allowance {
  /** By these, or by another counter of the window that the limit counts in. */
  by: readonly CounterKey[] | Counted
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

/** What takes the keys that a step is decided by, some of them several times. */
export interface CounterQuestions {
  asked(key: CounterKey): void
  askedTallies(tallies: WindowTallies): void
  askedSeen(key: SeenKey): void
}

/** The values that a step is decided by, with all that the steps before it changed. */
export interface CounterValues {
  value(key: CounterKey): number
  /** Over the whole window. */
  tallied(tallies: WindowTallies, counted: Counted): number
  isSeen(key: SeenKey): boolean
}

/** What takes the changes of a step. */
export interface CounterChanges {
  add(key: CounterKey, amount: number): void
  /** In the current part of the window. */
  tally(tallies: WindowTallies, counted: Counted, amount: number): void
  /** Sets a counter that is 0 or higher. */
  lower(key: CounterKey, value: number): void
  see(key: SeenKey): void
  release(reservations: Step['releases']): void
}

const THOUSANDTHS = 1000
const NO_KEYS: readonly CounterKey[] = []
const NO_ALLOWANCES: readonly Allowance[] = []

/** Decides a step; changes nothing. */
export function decide(step: Step, values: CounterValues): Decision {
  const { once, limits, actor: acting, now } = step
  const actor = acting && acquaintanceOf(acting, now, values)
  if (once && values.isSeen(once)) return { outcome: 'SEEN', actor }
  const carried = carriedBy(step, values)
  let outcome = carried ? 'CARRIED' : 'APPLIED'
  for (const limit of limits) {
    if (limit.max === null || !isThere(limit, actor)) continue
    if (limit.unlessSeen && values.isSeen(limit.unlessSeen)) continue
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
  if (once) {
    to.see(once)
    to.release(releases)
  }
  const { ended, marks } = partsOf(decided)
  if (ended !== 'APPLIED' && ended !== 'CARRIED') return
  const carried = ended === 'CARRIED' ? 1 : 0
  for (const limit of limits) {
    const { key, tallies, counted } = limit
    if (key === null && !tallies) continue
    if (!isThere(limit, decided.actor) || marks.includes(limit.name)) continue
    const amount = limit.add + (limit.carries ? carried : 0)
    if (tallies) to.tally(tallies, counted!, amount)
    else to.add(key!, amount)
  }
  const acquaintance = decided.actor === 'KNOWN' ? COUNTED.known : COUNTED.new
  for (const each of acquaintances) to.tally(each, acquaintance, 1)
  if (carry) to.add(carry.key, carry.thousandths - carried * THOUSANDTHS)
  if (actor) to.lower(actor.keys[0], now)
}

/** How a step has ended, and the limits that mark it. */
export function partsOf({ outcome }: Pick<Decision, 'outcome'>): { ended: string; marks: string[] } {
  if (!outcome.includes('+')) return { ended: outcome, marks: [] }
  const [ended, ...marks] = outcome.split('+')
  return { ended: ended!, marks }
}

/** Asks for all that `decide` may read. */
export function askWith({ once, limits, actor, carry }: Step, to: CounterQuestions): void {
  if (once) to.askedSeen(once)
  for (const { key, tallies, max, window, allowances, unlessSeen } of limits) {
    if (unlessSeen) to.askedSeen(unlessSeen)
    if (max === null) continue
    if (key) to.asked(key)
    if (tallies) to.askedTallies(tallies)
    for (const each of window ?? NO_KEYS) to.asked(each)
    for (const { by } of allowances ?? NO_ALLOWANCES) if (typeof by === 'object') for (const each of by) to.asked(each)
  }
  for (const key of actor?.keys ?? NO_KEYS) to.asked(key)
  if (carry) to.asked(carry.key)
}

/** By what the keys say before the step. */
export function acquaintanceOf(
  { keys, knownAfterMs }: Actor,
  now: number,
  values: Pick<CounterValues, 'value'>,
): Acquaintance {
  let first = Number.POSITIVE_INFINITY
  for (const key of keys) {
    const at = values.value(key)
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
  return carry && values.value(carry.key) + carry.thousandths >= THOUSANDTHS ? 1 : 0
}

function countedBy({ key, tallies, counted, window }: Limit, values: CounterValues): number {
  if (tallies) return values.tallied(tallies, counted!)
  return (key ? values.value(key) : 0) + sumOf(window ?? NO_KEYS, values)
}

function maxOf({ allowances, tallies }: Limit, max: number, values: CounterValues): number {
  let sum = max
  for (const each of allowances ?? NO_ALLOWANCES) sum += allowed(each, tallies, values)
  return sum
}

function allowed(
  { by, gives, per, max }: Allowance,
  tallies: WindowTallies | undefined,
  values: CounterValues,
): number {
  const counted = typeof by === 'number' ? values.tallied(tallies!, by) : sumOf(by, values)
  const given = Math.floor((counted * gives) / per)
  return max === null ? given : Math.min(given, max)
}

function sumOf(keys: readonly CounterKey[], values: CounterValues): number {
  let sum = 0
  for (const key of keys) sum += values.value(key)
  return sum
}

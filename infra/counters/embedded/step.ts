import type { Allowance, Limit, Outcome, Step } from '../port.ts'

/** What a step reads and writes; every call sees what the calls before it wrote. */
export interface CounterState {
  /** The value, or 0 when the key is unknown or expired at `now`. */
  value(key: string, now: number): number
  set(key: string, value: number, expiresAt: number | null): void
  /** True for the first to take the key; an expired key can be taken again. */
  takeOnce(key: string, expiresAt: number, now: number): boolean
  isTaken(key: string, now: number): boolean
}

const THOUSANDTHS = 1000

/** Judges one step and carries it out: the rule of `Step`, whatever holds the state. */
export function applyStep(step: Step, state: CounterState): Outcome {
  const { once, actor, now } = step
  if (once && !state.takeOnce(once.key, once.expiresAt, now)) return 'SEEN'

  const rest = step.carry ? state.value(step.carry.key, now) + step.carry.thousandths : 0
  const carried = rest >= THOUSANDTHS ? 1 : 0
  const since = actor ? state.value(actor.key, now) : 0
  const raised: { limit: Limit; add: number }[] = []
  let outcome = carried ? 'CARRIED' : 'APPLIED'
  for (const limit of step.limits) {
    if (!isThere(limit, step, since, state)) continue
    const add = limit.add + (limit.carries ? carried : 0)
    if (limit.max === null || countedBy(limit, state, now) + add <= maxOf(limit, limit.max, state, now)) {
      raised.push({ limit, add })
    } else if (limit.marks) outcome += `+${limit.name}`
    else return limit.name
  }
  for (const { limit, add } of raised) {
    state.set(limit.key, Math.max(0, state.value(limit.key, now) + add), limit.expiresAt)
  }
  if (step.carry) state.set(step.carry.key, rest - carried * THOUSANDTHS, null)
  if (actor && (since === 0 || now < since)) state.set(actor.key, now, actor.expiresAt)
  return outcome
}

function isThere({ of, unlessTaken }: Limit, { actor, now }: Step, since: number, state: CounterState): boolean {
  if (unlessTaken !== undefined && state.isTaken(unlessTaken, now)) return false
  if (of === undefined || !actor) return of === undefined
  if (of === 'FIRST') return since === 0
  const isKnown = since > 0 && now - since >= actor.knownAfterMs
  return isKnown === (of === 'KNOWN')
}

function countedBy({ key, window }: Limit, state: CounterState, now: number): number {
  return state.value(key, now) + sumOf(window ?? [], state, now)
}

function maxOf({ allowances }: Limit, max: number, state: CounterState, now: number): number {
  return (allowances ?? []).reduce((sum, each) => sum + allowed(each, state, now), max)
}

function allowed({ keys, gives, per, max }: Allowance, state: CounterState, now: number): number {
  const given = Math.floor((sumOf(keys, state, now) * gives) / per)
  return max === null ? given : Math.min(given, max)
}

const sumOf = (keys: readonly string[], state: CounterState, now: number) =>
  keys.reduce((sum, key) => sum + state.value(key, now), 0)

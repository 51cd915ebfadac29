import type { Outcome, Step } from './port.ts'

/** What a step reads and writes; every call sees what the calls before it wrote. */
export interface CounterState {
  /** The value, or 0 when the key is unknown or expired at `now`. */
  value(key: string, now: number): number
  set(key: string, value: number, expiresAt: number | null): void
  /** True for the first to take the key; an expired key can be taken again. */
  takeOnce(key: string, expiresAt: number, now: number): boolean
}

const THOUSANDTHS = 1000

/** Judges one step and carries it out: the rule of `Step`, whatever holds the state. */
export function applyStep(step: Step, state: CounterState): Outcome {
  const { once, limits, now } = step
  if (once && !state.takeOnce(once.key, once.expiresAt, now)) return 'SEEN'

  const rest = step.carry ? state.value(step.carry.key, now) + step.carry.thousandths : 0
  const carried = rest >= THOUSANDTHS ? 1 : 0
  const adds = limits.map((limit) => limit.add + (limit.carries ? carried : 0))
  for (const [i, limit] of limits.entries()) {
    if (limit.max !== null && state.value(limit.key, now) + adds[i]! > limit.max) return limit.name
  }
  for (const [i, limit] of limits.entries()) {
    state.set(limit.key, state.value(limit.key, now) + adds[i]!, limit.expiresAt)
  }
  if (step.carry) state.set(step.carry.key, rest - carried * THOUSANDTHS, null)
  return carried ? 'CARRIED' : 'APPLIED'
}

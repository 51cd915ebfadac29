import { defaultLimits, type Limits } from '../services/domain/limits.ts'

/** Counts as the usual limits do, and refuses nothing: for benches and floods that test something else. */
export const generousLimits = Object.fromEntries(
  Object.keys(defaultLimits).flatMap((name) => (name.endsWith('PerMinute') ? [[name, 1_000_000_000]] : [])),
) as Partial<Limits>

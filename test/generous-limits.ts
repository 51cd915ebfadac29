import { defaultLimits, type Limits } from '../services/domain/limits.ts'

/** Limits that count like the usual ones but refuse nothing, for benchmarks and load tests of something else. */
export const generousLimits = Object.fromEntries(
  Object.keys(defaultLimits).flatMap((name) => (name.endsWith('PerMinute') ? [[name, 1_000_000_000]] : [])),
) as Partial<Limits>

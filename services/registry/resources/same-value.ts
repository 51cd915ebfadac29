import { isDeepStrictEqual } from 'node:util'

/**
 * Whether two values of the registry are equal. Values that were read from the log have prototypes of their own, so they are
 * not strictly equal to the same values that this process has just written.
 */
export function isSameValue(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(structuredClone(one), structuredClone(other))
}

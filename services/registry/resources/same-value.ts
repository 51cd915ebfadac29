import { isDeepStrictEqual } from 'node:util'

/**
 * Whether two values of the registry hold the same. What was read from the log has prototypes of its own, so an entity is not strictly
 * equal to the same one that this process has just written.
 */
export function isSameValue(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(structuredClone(one), structuredClone(other))
}

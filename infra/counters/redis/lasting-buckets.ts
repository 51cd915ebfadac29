import { LRUCache } from 'lru-cache'
import { MINUTE_MS } from '../../../schemas/durations.ts'
import { type BucketGroup, kindOf } from './keys.ts'

/** Groups of a source that are remembered: those that are in use, such as of this day and of the half hours of a late day. */
const GROUPS_MAX = 64
/** Groups of a wider spread would take too much memory. */
const SPREAD_MAX = 65_536
/** By its own clock, Redis may expire a group this long before it ends by this process's clock. */
const CLOCKS_DIFFER_MS = 10 * MINUTE_MS
const BYTE_BITS = 8

/**
 * The hashes and tally blocks that a source has written to in a shard, and which therefore live until the end that their group named
 * then: setting it again for every counter would cost Redis as much as counting. What is remembered holds for one position of the
 * source, because Redis may lose the writes together with the position.
 */
export class LastingBuckets {
  readonly #groups = new LRUCache<string, Uint8Array>({ max: GROUPS_MAX })
  #position = -1

  /** Forgets everything, unless the last store has left the source at this position. */
  expect(position: number): void {
    if (position !== this.#position || position === -1) this.#groups.clear()
  }

  /** Tells which buckets of a group last until its end already. @param now UTC epoch milliseconds. */
  of(group: BucketGroup, now: number): (bucket: number) => boolean {
    if (group.keptUntil === null || group.keptUntil - now < CLOCKS_DIFFER_MS) return () => false
    const bits = this.#groups.get(nameOf(group))
    if (bits === undefined) return () => false
    return (bucket) => (bits[Math.floor(bucket / BYTE_BITS)]! & (1 << (bucket % BYTE_BITS))) !== 0
  }

  /** Remembers the buckets written by the store that has left the source at the position. */
  remember(written: Iterable<{ group: BucketGroup; parts: readonly { bucket: number }[] }>, position: number): void {
    this.#position = position
    for (const { group, parts } of written) {
      if (parts.length === 0 || group.keptUntil === null || group.spread > SPREAD_MAX) continue
      let bits = this.#groups.get(nameOf(group))
      if (!bits) {
        bits = new Uint8Array(Math.ceil(group.spread / BYTE_BITS))
        this.#groups.set(nameOf(group), bits)
      }
      for (const { bucket } of parts) bits[Math.floor(bucket / BYTE_BITS)]! |= 1 << (bucket % BYTE_BITS)
    }
  }
}

const nameOf = (group: BucketGroup) => `${kindOf(group)}/${group.keptUntil}/${group.name}`

import { hashOf } from '../../../../services/domain/auction/auction.ts'

const COUNTS = 4_096

/**
 * Counts the changes that searches of a shop may show. The counts lie in memory that all threads share, so that looking at one costs
 * no message. Shops may share a count.
 */
export class Revisions {
  readonly counts: Int32Array

  /** @param counts those of the thread that searches; it makes them itself. */
  constructor(counts: Int32Array = new Int32Array(new SharedArrayBuffer(COUNTS * Int32Array.BYTES_PER_ELEMENT))) {
    this.counts = counts
  }

  of(shopId: string): number {
    return Atomics.load(this.counts, hashOf(shopId) % COUNTS)
  }

  add(shopIds: Iterable<string>): void {
    for (const shopId of shopIds) Atomics.add(this.counts, hashOf(shopId) % COUNTS, 1)
  }

  addToAll(): void {
    for (let at = 0; at < COUNTS; at++) Atomics.add(this.counts, at, 1)
  }
}

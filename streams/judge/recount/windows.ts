import type { ShardChange, TallyKey } from '../../../infra/counters/port.ts'
import { type Counted, type SharedBy, WindowIndex } from '../windows/windows.ts'

/** What a page of judged events adds to the windows of 90 minutes. */
export class WindowCounts {
  readonly index: WindowIndex
  /** What is forgotten by then is not counted, UTC epoch milliseconds. */
  readonly #now: number
  /** By `Counted`. */
  readonly #added = new Map<TallyKey, number[]>()

  constructor({ shards, now }: { shards: number; now: number }) {
    this.index = new WindowIndex(shards)
    this.#now = now
  }

  /** Whom an event is counted by, in the part of the window that it was received in. */
  owner(by: SharedBy, shopId: string, name: string, receivedAt: number): TallyKey {
    return this.index.tallies(by, shopId, receivedAt, name).current.key
  }

  add(key: TallyKey, counted: Counted): void {
    let counts = this.#added.get(key)
    if (!counts) {
      counts = new Array<number>(key.group.counts).fill(0)
      this.#added.set(key, counts)
    }
    counts[counted]!++
  }

  *added(): Generator<ShardChange['tally'][number]> {
    for (const [key, counts] of this.#added) {
      const { keptUntil } = key.group
      if (keptUntil !== null && keptUntil <= this.#now) continue
      for (let count = 0; count < counts.length; count++) {
        if (counts[count]! > 0) yield { key, count, amount: counts[count]! }
      }
    }
  }
}

import { FingerprintIndex } from '../../../infra/counters/fingerprint-index.ts'
import type { SeenKey } from '../../../infra/counters/port.ts'

/** The number of a seen key within a batch. */
export type Seen = number

/** The seen keys of one group. */
interface Group {
  fingerprints: FingerprintIndex
  /** By the number of the fingerprint. */
  numbers: Seen[]
}

/** The seen keys that a batch asks for and adds. */
export class SeenTable {
  readonly keys: SeenKey[] = []
  readonly isSeen: boolean[] = []
  readonly #isAsked: boolean[] = []
  readonly #asked: Seen[] = []
  readonly #isNew: boolean[] = []
  /** By name. */
  readonly #groups = new Map<string, Group>()

  of(key: SeenKey): Seen {
    const { fingerprints, numbers } = this.#groupOf(key)
    const { low, high } = key.fingerprint
    const place = fingerprints.add(low, high)
    if (place < numbers.length) return numbers[place]!
    const seen = this.keys.push(key) - 1
    this.isSeen.push(false)
    this.#isAsked.push(false)
    this.#isNew.push(false)
    numbers.push(seen)
    return seen
  }

  ask(seen: Seen): void {
    if (this.#isAsked[seen]) return
    this.#isAsked[seen] = true
    this.#asked.push(seen)
  }

  /** The keys to load. */
  loads(): SeenKey[] {
    return this.#asked.map((seen) => this.keys[seen]!)
  }

  /** @param loaded what `loads` has asked for. */
  take(loaded: readonly boolean[]): void {
    for (let i = 0; i < loaded.length; i++) this.isSeen[this.#asked[i]!] = loaded[i]!
  }

  /** @returns whether the batch had not seen it before. */
  see(seen: Seen): boolean {
    if (this.#isNew[seen]) return false
    this.#isNew[seen] = true
    this.isSeen[seen] = true
    return true
  }

  #groupOf({ group: { name } }: SeenKey): Group {
    const known = this.#groups.get(name)
    if (known) return known
    const group = { fingerprints: new FingerprintIndex(), numbers: [] }
    this.#groups.set(name, group)
    return group
  }
}

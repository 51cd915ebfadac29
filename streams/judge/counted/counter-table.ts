import { fingerprintIn, fingerprintOf } from '../../../infra/counters/fingerprint.ts'
import { FingerprintIndex } from '../../../infra/counters/fingerprint-index.ts'
import type { CounterGroup, CounterKey, ShardChange } from '../../../infra/counters/port.ts'
import { personShard } from '../../../infra/counters/shards.ts'
import { IntegerList } from './integer-list.ts'
import type { Owner, Owners } from './owners.ts'

/** The number of a counter within a batch. */
export type Counter = number
const NONE = -1

/** The counters of a batch: what they held, and what the batch changes. */
export class CounterTable {
  // By counter.
  readonly keys: CounterKey[] = []
  /** The loaded values, with the changes of the batch. */
  readonly values: number[] = []
  readonly #added: number[] = []
  /** 0 when the batch has not lowered the counter. */
  readonly #lowered: number[] = []
  /** 1 once the counter is asked for, and once it is changed. */
  readonly #isAsked = new IntegerList()
  readonly #isChanged = new IntegerList()
  /** The next counter in the same place; NONE for the last. */
  readonly #next = new IntegerList()
  readonly #owners: Owners
  /** Counters are kept in places. A place is the number of a fingerprint. */
  readonly #places = new FingerprintIndex()
  /** By place: the counter that was put there last. */
  readonly #lastAt = new IntegerList()
  /** By owner: the place of its name, so that the name is hashed once. */
  readonly #placeOf = new IntegerList()
  readonly #named = new Map<CounterGroup, Map<string, Counter>>()
  // By shard.
  readonly #asked: ReadonlyMap<number, Counter[]>
  readonly #changed: ReadonlyMap<number, Counter[]>

  constructor(owners: Owners, shards: readonly number[]) {
    this.#owners = owners
    this.#asked = new Map(shards.map((shard) => [shard, []]))
    this.#changed = new Map(shards.map((shard) => [shard, []]))
  }

  of(key: CounterKey): Counter {
    const { low, high } = fingerprintIn(key)
    return this.#at(this.#places.add(low, high), key)
  }

  /** The counter of a group that is not exact, whose id is the owner's name, whatever the shop. */
  ofOwner(owner: Owner, group: CounterGroup): Counter {
    const place = this.#place(owner)
    const shard = this.#owners.shards[owner]!
    for (let known = this.#last(place); known !== NONE; known = this.#next.at(known)) {
      const key = this.keys[known]!
      if (key.shard === shard && isSameGroup(key.group, group)) return known
    }
    const id = this.#owners.names[owner]!
    return this.#made({ shard, group, id, fingerprint: this.#places.fingerprint(place) }, place)
  }

  /** The counter of a group that is not exact, whose id is a name that many events share, in the shard of the name. */
  named(name: string, group: CounterGroup): Counter {
    const known = this.#namedIn(group)
    let counter = known.get(name)
    if (counter === undefined) {
      counter = this.of({ shard: personShard(name, this.#owners.shardCount), group, id: name })
      known.set(name, counter)
    }
    return counter
  }

  ask(counter: Counter): void {
    if (this.#isAsked.at(counter) === 1) return
    this.#isAsked.set(counter, 1)
    this.#asked.get(this.keys[counter]!.shard)!.push(counter)
  }

  add(counter: Counter, amount: number): void {
    this.#markChanged(counter)
    this.#added[counter]! += amount
    this.values[counter]! += amount
  }

  /** Sets a counter that is 0, or higher than the value. */
  lower(counter: Counter, value: number): void {
    const before = this.values[counter]!
    if (before > 0 && before <= value) return
    this.#markChanged(counter)
    this.#lowered[counter] = value
    this.values[counter] = value
  }

  /** The keys to load from a shard. */
  loads(shard: number): CounterKey[] {
    return this.#asked.get(shard)!.map((counter) => this.keys[counter]!)
  }

  /** @param loaded what `loads` has asked for, before anything is changed. */
  take(shard: number, loaded: readonly number[]): void {
    const asked = this.#asked.get(shard)!
    for (let i = 0; i < asked.length; i++) this.values[asked[i]!] = loaded[i]!
  }

  changes(shard: number): Pick<ShardChange, 'add' | 'lower'> {
    const changed = this.#changed.get(shard)!
    const added = changed.filter((counter) => this.#added[counter] !== 0)
    const lowered = changed.filter((counter) => this.#lowered[counter] !== 0)
    return {
      add: added.map((counter) => ({ key: this.keys[counter]!, amount: this.#added[counter]! })),
      lower: lowered.map((counter) => ({ key: this.keys[counter]!, value: this.#lowered[counter]! })),
    }
  }

  #markChanged(counter: Counter): void {
    if (this.#isChanged.at(counter) === 1) return
    this.#isChanged.set(counter, 1)
    this.#changed.get(this.keys[counter]!.shard)!.push(counter)
  }

  #namedIn(group: CounterGroup): Map<string, Counter> {
    const known = this.#named.get(group) ?? new Map<string, Counter>()
    this.#named.set(group, known)
    return known
  }

  #place(owner: Owner): number {
    while (this.#placeOf.length <= owner) this.#placeOf.push(NONE)
    let place = this.#placeOf.at(owner)
    if (place === NONE) {
      const { low, high } = fingerprintOf(this.#owners.names[owner]!)
      place = this.#places.add(low, high)
      this.#placeOf.set(owner, place)
    }
    return place
  }

  #last(place: number): Counter {
    return place < this.#lastAt.length ? this.#lastAt.at(place) : NONE
  }

  #at(place: number, key: CounterKey): Counter {
    for (let known = this.#last(place); known !== NONE; known = this.#next.at(known)) {
      if (isSame(this.keys[known]!, key)) return known
    }
    return this.#made(key, place)
  }

  #made(key: CounterKey, place: number): Counter {
    const counter = this.keys.push(key) - 1
    this.values.push(0)
    this.#added.push(0)
    this.#lowered.push(0)
    this.#isAsked.push(0)
    this.#isChanged.push(0)
    this.#next.push(this.#last(place))
    if (place === this.#lastAt.length) this.#lastAt.push(counter)
    else this.#lastAt.set(place, counter)
    return counter
  }
}

/** Whether two keys in one place are the same. Different exact ids may share a place. */
function isSame(one: CounterKey, other: CounterKey): boolean {
  if (one.shard !== other.shard || !isSameGroup(one.group, other.group)) return false
  return !one.group.exact || one.id === other.id
}

function isSameGroup(one: CounterGroup, other: CounterGroup): boolean {
  return one === other || one.name === other.name
}

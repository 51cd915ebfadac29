import { fingerprintIn, type IdFingerprint } from '../fingerprint.ts'
import type { CounterKey, ShardChange, TallyKey } from '../port.ts'
import { type BucketGroup, countsOf } from './keys.ts'
import { CountTable } from './number-tables.ts'

/** The known counters of a group: those used recently, and those last used before that. */
interface KnownGroup {
  recent: CountTable
  former: CountTable
}

/** The counters of some keys. */
export interface LookedUp<Key> {
  /** The counters of all keys, one key after the other; 0 where nothing is known. */
  values: Float64Array
  missing: Key[]
  /** Where in `values` the counters of each missing key begin. */
  places: number[]
}

/**
 * How many keys all shards of a process remember together, so that a shard with a busy campaign may remember more than others. When
 * half of them were used, all shards forget those that were not used meanwhile.
 */
export class KnownLimit {
  readonly #max: number
  readonly #shards: KnownValues[] = []
  #recent = 0

  /** @param max about how many keys are remembered. */
  constructor(max: number) {
    this.#max = max
  }

  add(shard: KnownValues): void {
    this.#shards.push(shard)
  }

  /** Makes room for one more recent key. */
  take(): void {
    if (this.#recent >= this.#max / 2) {
      for (const shard of this.#shards) shard.forgetFormer()
      this.#recent = 0
    }
    this.#recent++
  }

  /** Gives back the room of recent keys. */
  release(keys: number): void {
    this.#recent -= keys
  }
}

/**
 * A cache of the counters of one shard, as they are while the shard has the token that is known here. Every store replaces the token,
 * so as long as only this process changes the shard, its counters need not be read again. Exact counters, which are those of money,
 * are never remembered.
 */
export class KnownValues {
  readonly #limit: KnownLimit
  readonly #now: () => number
  #token: string | null = null
  /** By kind and name of the group. */
  #groups = new Map<string, KnownGroup>()
  /** The number of recent keys. */
  #recent = 0

  /** @param now UTC epoch milliseconds. */
  constructor(limit: KnownLimit, now: () => number) {
    this.#limit = limit
    this.#now = now
    limit.add(this)
  }

  /** Null when nothing is known. */
  get token(): string | null {
    return this.#token
  }

  /** Forgets everything, unless it is known under this token. */
  expect(token: string | null): void {
    if (token !== null && token === this.#token) return
    this.#token = token
    this.#groups = new Map()
    this.#limit.release(this.#recent)
    this.#recent = 0
  }

  /** Forgets the keys that were not used since the last call. */
  forgetFormer(): void {
    for (const [name, known] of this.#groups) {
      if (known.recent.size === 0) this.#groups.delete(name)
      known.former = known.recent
      known.recent = new CountTable(known.former.width)
    }
    this.#recent = 0
  }

  lookUp<Key extends CounterKey | TallyKey>(keys: readonly Key[]): LookedUp<Key> {
    let length = 0
    for (let i = 0; i < keys.length; i++) length += countsOf(keys[i]!.group)
    const found: LookedUp<Key> = { values: new Float64Array(length), missing: [], places: [] }
    const groupFor = this.#groupsNow()
    let place = 0
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!
      const counts = countsOf(key.group)
      const known = groupFor(key.group)
      const at = this.#find(known, key)
      if (at < 0) {
        found.missing.push(key)
        found.places.push(place)
      } else {
        for (let count = 0; count < counts; count++) found.values[place + count] = known!.recent.counts[at + count]!
      }
      place += counts
    }
    return found
  }

  /** Remembers what was read of the missing keys under the known token. Without a known token, nothing is remembered. */
  learn({ values, missing, places }: LookedUp<CounterKey | TallyKey>): void {
    if (this.#token === null) return
    const now = this.#now()
    for (let i = 0; i < missing.length; i++) {
      const key = missing[i]!
      if (isRemembered(key.group, now)) this.#put(this.#groupOf(key.group), key, values, places[i]!)
    }
  }

  /** Applies a change that was stored. @param former the token before the change. @param token the one that the change has set. */
  stored({ add, tally, lower }: ShardChange, { former, token }: { former: string; token: string }): void {
    if (former !== this.#token) {
      this.expect(null)
      return
    }
    this.#token = token
    const groupFor = this.#groupsNow()
    for (const { key, amount } of add) {
      const known = groupFor(key.group)
      const at = this.#find(known, key)
      if (at >= 0) known!.recent.counts[at] = Math.max(0, known!.recent.counts[at]! + amount)
    }
    for (const { key, amounts } of tally) {
      const known = groupFor(key.group)
      const at = this.#find(known, key)
      if (at < 0) continue
      for (let count = 0; count < amounts.length; count++) known!.recent.counts[at + count]! += amounts[count]!
    }
    for (const { key, value } of lower) {
      const known = groupFor(key.group)
      const at = this.#find(known, key)
      if (at < 0) continue
      const before = known!.recent.counts[at]!
      if (before === 0 || before > value) known!.recent.counts[at] = value
    }
  }

  /** Returns a lookup for one call, which looks for each group only once; it gives null when nothing of the group is remembered. */
  #groupsNow(): (group: BucketGroup) => KnownGroup | null {
    const now = this.#now()
    const groups = new Map<BucketGroup, KnownGroup | null>()
    return (group) => {
      let known = groups.get(group)
      if (known === undefined) {
        known = isRemembered(group, now) ? (this.#groups.get(nameOf(group)) ?? null) : null
        groups.set(group, known)
      }
      return known
    }
  }

  /** Where the counters of a key begin in `recent`, to which former ones are moved first; below 0 when they are not known. */
  #find(known: KnownGroup | null, key: CounterKey | TallyKey): number {
    if (known === null) return -1
    const fingerprint = fingerprintFor(key)
    const at = known.recent.find(fingerprint)
    if (at >= 0) return at
    const former = known.former.find(fingerprint)
    return former < 0 ? -1 : this.#put(known, key, known.former.counts, former)
  }

  #put(known: KnownGroup, key: CounterKey | TallyKey, values: Float64Array, at: number): number {
    this.#limit.take()
    this.#recent++
    return known.recent.set(fingerprintFor(key), values, at)
  }

  #groupOf(group: BucketGroup): KnownGroup {
    const name = nameOf(group)
    let known = this.#groups.get(name)
    if (!known) {
      known = { recent: new CountTable(countsOf(group)), former: new CountTable(countsOf(group)) }
      this.#groups.set(name, known)
    }
    return known
  }
}

/** A group that has ended by this process's clock is not remembered, even if Redis, by its own clock, has not forgotten it yet. */
function isRemembered(group: BucketGroup, now: number): boolean {
  if ('exact' in group && group.exact) return false
  return group.keptUntil === null || group.keptUntil > now
}

function fingerprintFor(key: CounterKey | TallyKey): IdFingerprint {
  return 'id' in key ? fingerprintIn(key) : key.fingerprint
}

const names = new WeakMap<BucketGroup, string>()

function nameOf(group: BucketGroup): string {
  let name = names.get(group)
  if (name === undefined) {
    name = `${'counts' in group ? 't' : 'c'}/${group.name}`
    names.set(group, name)
  }
  return name
}

import { fingerprintIn, type IdFingerprint } from '../fingerprint.ts'
import type { CounterKey, ShardChange, TallyKey } from '../port.ts'
import { type BucketGroup, countsOf } from './keys.ts'
import { CountTable } from './number-tables.ts'

/** What is known of a group: what was used lately, and what was used before that. */
interface KnownGroup {
  recent: CountTable
  former: CountTable
}

/** The counters of some keys. */
export interface LookedUp<Key> {
  /** One key's after the other's, in order; 0 where nothing is known. */
  values: Float64Array
  missing: Key[]
  /** Where the counters of those begin. */
  places: number[]
}

/**
 * What this process knows of the counters of one shard, as they stood when the shard's token was the one that is known. Every
 * store sets the token anew, so counters that only this process changes need not be read again. Exact counters, which
 * are those of money, are never remembered. Of what is known the half that was not used for longest is dropped at a time.
 */
export class KnownValues {
  readonly #max: number
  readonly #now: () => number
  #token: string | null = null
  /** By kind and name of the group. */
  #groups = new Map<string, KnownGroup>()
  /** Of recent keys. */
  #size = 0

  /** @param max about how many keys are remembered. @param now UTC epoch milliseconds. */
  constructor(max: number, now: () => number) {
    this.#max = max
    this.#now = now
  }

  /** Null: nothing is known. */
  get token(): string | null {
    return this.#token
  }

  /** Forgets what is known, unless it was known under this token. */
  expect(token: string | null): void {
    if (token !== null && token === this.#token) return
    this.#token = token
    this.#groups = new Map()
    this.#size = 0
  }

  lookUp<Key extends CounterKey | TallyKey>(keys: readonly Key[]): LookedUp<Key> {
    let length = 0
    for (const { group } of keys) length += countsOf(group)
    const found: LookedUp<Key> = { values: new Float64Array(length), missing: [], places: [] }
    const groupFor = this.#groupsNow()
    let place = 0
    for (const key of keys) {
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

  /** What was read of the missing keys under the token that is known; without one, nothing is learned. */
  learn({ values, missing, places }: LookedUp<CounterKey | TallyKey>): void {
    if (this.#token === null) return
    const now = this.#now()
    for (let i = 0; i < missing.length; i++) {
      const key = missing[i]!
      if (isRemembered(key.group, now)) this.#put(this.#groupOf(key.group), key, values, places[i]!)
    }
  }

  /** What was stored. @param former the token before it. @param token the one that it has set. */
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

  /** Tells the groups of one call, each looked for once; null: nothing is remembered of it. */
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

  /** Where the counters of a key begin among those that are recent, to which they are brought; below 0: they are not known. */
  #find(known: KnownGroup | null, key: CounterKey | TallyKey): number {
    if (known === null) return -1
    const fingerprint = fingerprintFor(key)
    const at = known.recent.find(fingerprint)
    if (at >= 0) return at
    const former = known.former.find(fingerprint)
    return former < 0 ? -1 : this.#put(known, key, known.former.counts, former)
  }

  #put(known: KnownGroup, key: CounterKey | TallyKey, values: Float64Array, at: number): number {
    if (this.#size >= this.#max / 2) this.#dropFormer()
    this.#size++
    return known.recent.set(fingerprintFor(key), values, at)
  }

  #dropFormer(): void {
    for (const [name, known] of this.#groups) {
      if (known.recent.size === 0) this.#groups.delete(name)
      known.former = known.recent
      known.recent = new CountTable(known.former.width)
    }
    this.#size = 0
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

/** Redis forgets a group by its own clock, which is not waited for. */
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

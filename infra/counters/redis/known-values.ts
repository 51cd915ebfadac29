import { fingerprintIn, type IdFingerprint } from '../fingerprint.ts'
import { FingerprintMap } from '../fingerprint-map.ts'
import type { CounterKey, ShardChange, TallyKey } from '../port.ts'
import type { BucketGroup } from './keys.ts'

/** By fingerprint: the value of a counter, or those of a tally. */
type Values = FingerprintMap<number[]>
/** By kind and name of the group. */
type Groups = Map<string, Values>

/** Keys whose values were looked for, in order. */
export interface LookedUp<Key> {
  /** Undefined where nothing is known. */
  values: (number[] | undefined)[]
  missing: Key[]
  /** Where those stand among all. */
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
  #recent: Groups = new Map()
  #former: Groups = new Map()
  #size = 0

  /** @param max about how many values are remembered. @param now UTC epoch milliseconds. */
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
    this.#recent = new Map()
    this.#former = new Map()
    this.#size = 0
  }

  lookUp<Key extends CounterKey | TallyKey>(keys: readonly Key[]): LookedUp<Key> {
    const found: LookedUp<Key> = { values: new Array(keys.length), missing: [], places: [] }
    const now = this.#now()
    for (let place = 0; place < keys.length; place++) {
      const key = keys[place]!
      const value = isRemembered(key.group, now) ? this.#find(key) : undefined
      found.values[place] = value
      if (value !== undefined) continue
      found.missing.push(key)
      found.places.push(place)
    }
    return found
  }

  /** What was read under the token that is known; without one, nothing is learned. */
  learn(key: CounterKey | TallyKey, values: number[]): void {
    if (this.#token !== null && isRemembered(key.group, this.#now()))
      this.#put(nameOf(key.group), fingerprintFor(key), values)
  }

  /** What was stored. @param former the token before it. @param token the one that it has set. */
  stored({ add, tally, lower }: ShardChange, { former, token }: { former: string; token: string }): void {
    if (former !== this.#token) {
      this.expect(null)
      return
    }
    this.#token = token
    for (const { key, amount } of add) {
      const values = key.group.exact ? undefined : this.#find(key)
      if (values) values[0] = Math.max(0, values[0]! + amount)
    }
    for (const { key, amounts } of tally) {
      const values = this.#find(key)
      if (values) for (let count = 0; count < amounts.length; count++) values[count]! += amounts[count]!
    }
    for (const { key, value } of lower) {
      const values = key.group.exact ? undefined : this.#find(key)
      if (values && (values[0] === 0 || values[0]! > value)) values[0] = value
    }
  }

  #find(key: CounterKey | TallyKey): number[] | undefined {
    const name = nameOf(key.group)
    const fingerprint = fingerprintFor(key)
    const recent = this.#recent.get(name)?.get(fingerprint)
    if (recent) return recent
    const former = this.#former.get(name)?.get(fingerprint)
    if (former) this.#put(name, fingerprint, former)
    return former
  }

  #put(name: string, fingerprint: IdFingerprint, values: number[]): void {
    if (this.#size >= this.#max / 2) {
      this.#former = this.#recent
      this.#recent = new Map()
      this.#size = 0
    }
    let ofGroup = this.#recent.get(name)
    if (!ofGroup) {
      ofGroup = new FingerprintMap()
      this.#recent.set(name, ofGroup)
    }
    ofGroup.set(fingerprint, values)
    this.#size++
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

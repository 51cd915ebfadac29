import { fingerprintOf, hashBegin, type IdFingerprint } from '../../../infra/counters/fingerprint.ts'
import { FingerprintMap } from '../../../infra/counters/fingerprint-map.ts'
import type { CounterGroup, CounterKey, TallyGroup, TallyKey } from '../../../infra/counters/port.ts'
import { personShard } from '../../../infra/counters/shards.ts'
import { memoized } from '../../../services/domain/memoized.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** The sliding window is the current half hour and the two before it: always at least an hour. */
const PART_MS = HOUR_MS / 2
const PARTS = 3
/** The earliest time that windows which are still open have counted. */
export const WINDOWS_MS = PARTS * PART_MS

/** What is counted of somebody in a part of the window, side by side. */
export const COUNTED = { clicks: 0, views: 1, people: 2, known: 3, new: 4 } as const
export type Counted = (typeof COUNTED)[keyof typeof COUNTED]

/** What several events may share. */
export type SharedBy = 'address' | 'agent' | 'network' | 'cid' | 'unit' | 'campaign'

/**
 * The counters of somebody in a part of the window, as one batch knows them. An index makes one object for each, which whoever
 * counts by it relies on.
 */
export interface WindowCell {
  readonly key: TallyKey
  /** Where its counters stand among those that are loaded of its shard. Null: they are not. */
  loadedAt: number | null
  /** Null: the batch changes nothing. */
  added: number[] | null
  /** Another one of the same owner. */
  readonly next: WindowCell | null
}

/** Somebody who is counted under one name in one shop. Each is hashed and keyed once. */
export class Owner {
  readonly shard: number
  readonly name: string
  readonly fingerprint: IdFingerprint
  /** The last one that was asked for; the others follow it. */
  lastCell: WindowCell | null = null
  readonly #names: Names
  /** A list of its own for each key more: one that is pushed to takes room for 17. */
  #keys: readonly CounterKey[] = []
  #last: WindowTallies | null = null

  constructor(names: Names, shard: number, name: string, fingerprint: IdFingerprint) {
    this.#names = names
    this.shard = shard
    this.name = name
    this.fingerprint = fingerprint
  }

  /**
   * What the sliding window counts.
   * @param at UTC epoch milliseconds.
   * @param before the name on the day before.
   */
  tallies(at: number, before = this.name): WindowTallies {
    const part = Math.floor(at / PART_MS)
    if (this.#last?.part !== part || this.#last.before !== before) {
      this.#last = new WindowTallies(this.#names, this, part, before)
    }
    return this.#last
  }

  /** The counter of a group whose id is the name alone. */
  key(group: CounterGroup): CounterKey {
    return this.own({ shard: this.shard, group, id: this.name })
  }

  /** The same object for each key of a counter, so that its id is hashed once. */
  own({ shard, group, id }: CounterKey): CounterKey {
    for (const known of this.#keys) if (known.group === group && known.id === id) return known
    const fingerprint = this.#keys.find((known) => known.id === id)?.fingerprint ?? fingerprintOf(id)
    const key = { shard, group, id, fingerprint }
    this.#keys = this.#keys.concat([key])
    return key
  }
}

/** What the sliding window counts of somebody. */
export class WindowTallies {
  /** Where the present is counted. */
  readonly current: WindowCell
  readonly part: number
  /** The name on the day before. */
  readonly before: string
  readonly #owner: Owner
  readonly #names: Names
  #all: readonly WindowCell[] | null = null

  constructor(names: Names, owner: Owner, part: number, before: string) {
    this.#names = names
    this.#owner = owner
    this.part = part
    this.before = before
    this.current = cellIn(groupOf(part), owner)
  }

  /** The current part and those before it, which are made once they are asked for: most of those who are counted never are. */
  all(): readonly WindowCell[] {
    this.#all ??= windowUpTo(this.part).map(({ group, isYesterday }) =>
      cellIn(group, isYesterday ? this.#names.owner(this.before) : this.#owner),
    )
    return this.#all
  }
}

/** Those who are counted by one kind of name in one shop. */
class Names {
  readonly shopId: string
  readonly #shards: number
  readonly #begun: IdFingerprint
  readonly #owners = new FingerprintMap<Owner>()

  constructor(by: SharedBy, shopId: string, shards: number) {
    this.shopId = shopId
    this.#shards = shards
    this.#begun = hashBegin(`${by}/${shopId}/`)
  }

  owner(name: string): Owner {
    const fingerprint = fingerprintOf(name, this.#begun)
    const known = this.#owners.get(fingerprint)
    if (known) return known
    const owner = new Owner(this, personShard(name, this.#shards), name, fingerprint)
    this.#owners.set(fingerprint, owner)
    return owner
  }
}

/** Whom the events of a batch are counted by. */
export class WindowIndex {
  readonly shards: number
  readonly #names: Record<SharedBy, Map<string, Names>> = {
    address: new Map(),
    agent: new Map(),
    network: new Map(),
    cid: new Map(),
    unit: new Map(),
    campaign: new Map(),
  }
  /** What was asked for last: mostly a batch is of few shops. */
  readonly #last: Partial<Record<SharedBy, Names>> = {}

  constructor(shards: number) {
    this.shards = shards
  }

  owner(by: SharedBy, shopId: string, name: string): Owner {
    const last = this.#last[by]
    if (last?.shopId === shopId) return last.owner(name)
    const names = this.#names[by].get(shopId) ?? new Names(by, shopId, this.shards)
    this.#names[by].set(shopId, names)
    this.#last[by] = names
    return names.owner(name)
  }
}

function cellIn(group: TallyGroup, owner: Owner): WindowCell {
  for (let cell = owner.lastCell; cell !== null; cell = cell.next) if (cell.key.group === group) return cell
  const { shard, fingerprint, lastCell } = owner
  owner.lastCell = { key: { shard, group, fingerprint }, loadedAt: null, added: null, next: lastCell }
  return owner.lastCell
}

const groupOf = memoized((part: number): TallyGroup => {
  return { name: `window/${part}`, keptUntil: (part + PARTS) * PART_MS, spread: 512, counts: 5 }
})

interface WindowPart {
  group: TallyGroup
  /** It began on the day before the current part. */
  isYesterday: boolean
}

const dayOf = (part: number) => Math.floor((part * PART_MS) / DAY_MS)

/** The current part, and those before it. */
const windowUpTo = memoized((part: number): readonly WindowPart[] =>
  Array.from({ length: PARTS }, (_, i) => ({ group: groupOf(part - i), isYesterday: dayOf(part - i) < dayOf(part) })),
)

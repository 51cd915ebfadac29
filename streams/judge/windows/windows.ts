import { fingerprintOf, hashBegin, type IdFingerprint } from '../../../infra/counters/fingerprint.ts'
import type { TallyGroup, TallyKey } from '../../../infra/counters/port.ts'
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
export type SharedBy = 'address' | 'agent' | 'network' | 'cid' | 'unit'

/** What the sliding window counts of somebody: the current part, and those before it. */
export interface WindowTallies {
  readonly parts: readonly [TallyKey, ...TallyKey[]]
}

/** Somebody who is counted under one name. */
interface Owner {
  readonly shard: number
  readonly fingerprint: IdFingerprint
  /** Those that were asked for. */
  readonly keys: TallyKey[]
  /** Those that were asked for last. */
  last: { part: number; before: string; tallies: WindowTallies } | null
}

/** Names of one shop, of one kind. */
interface Named {
  begun: IdFingerprint
  owners: Map<string, Owner>
}

/**
 * Whom the events of a batch are counted by. Each is named, hashed and keyed once, and who looks for a key of a tally finds the
 * same object: `BatchCounters` relies on it.
 */
export class WindowIndex {
  readonly shards: number
  readonly #named = new Map<string, Named>()
  /** By kind, what was asked for last: mostly a batch is of few shops. */
  readonly #last = new Map<SharedBy, { shopId: string; named: Named }>()

  constructor(shards: number) {
    this.shards = shards
  }

  /** The shard of what is counted of somebody. */
  shardOf(by: SharedBy, shopId: string, name: string): number {
    return this.#owner(by, shopId, name).shard
  }

  /**
   * @param at UTC epoch milliseconds.
   * @param before the name on the day before.
   */
  tallies(by: SharedBy, shopId: string, at: number, name: string, before = name): WindowTallies {
    const part = Math.floor(at / PART_MS)
    const owner = this.#owner(by, shopId, name)
    if (owner.last?.part === part && owner.last.before === before) return owner.last.tallies
    const yesterday = () => (before === name ? owner : this.#owner(by, shopId, before))
    const [current, ...earlier] = windowUpTo(part)
    const earlierKeys = earlier.map(({ group, isYesterday }) => keyIn(group, isYesterday ? yesterday() : owner))
    const tallies: WindowTallies = { parts: [keyIn(current.group, owner), ...earlierKeys] }
    owner.last = { part, before, tallies }
    return tallies
  }

  #owner(by: SharedBy, shopId: string, name: string): Owner {
    const { begun, owners } = this.#namesOf(by, shopId)
    const known = owners.get(name)
    if (known) return known
    const fingerprint = fingerprintOf(name, begun)
    const owner = { shard: personShard(name, this.shards), fingerprint, keys: [], last: null }
    owners.set(name, owner)
    return owner
  }

  #namesOf(by: SharedBy, shopId: string): Named {
    const last = this.#last.get(by)
    if (last?.shopId === shopId) return last.named
    const prefix = `${by}/${shopId}/`
    const named = this.#named.get(prefix) ?? { begun: hashBegin(prefix), owners: new Map<string, Owner>() }
    this.#named.set(prefix, named)
    this.#last.set(by, { shopId, named })
    return named
  }
}

function keyIn(group: TallyGroup, { shard, fingerprint, keys }: Owner): TallyKey {
  for (const key of keys) if (key.group === group) return key
  const key = { shard, group, fingerprint }
  keys.push(key)
  return key
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
const windowUpTo = memoized((part: number): [WindowPart, ...WindowPart[]] => {
  const partAt = (at: number) => ({ group: groupOf(at), isYesterday: dayOf(at) < dayOf(part) })
  return [partAt(part), ...Array.from({ length: PARTS - 1 }, (_, i) => partAt(part - 1 - i))]
})

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

/**
 * The counters of somebody in a part of the window, as one batch knows them. An index makes one object for each, which whoever
 * counts by it relies on.
 */
export interface WindowCell {
  readonly key: TallyKey
  isLoaded: boolean
  /** What was loaded, with the changes of the batch. Null: nothing yet. */
  values: number[] | null
  /** Null: the batch changes nothing. */
  added: number[] | null
}

/** Somebody who is counted under one name. */
interface Owner {
  readonly shard: number
  readonly fingerprint: IdFingerprint
  /** Those that were asked for. */
  readonly cells: WindowCell[]
  /** What was asked for last. */
  last: WindowTallies | null
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
  readonly #shards: number
  readonly #begun: IdFingerprint
  readonly #owners = new Map<string, Owner>()

  constructor(prefix: string, shards: number) {
    this.#shards = shards
    this.#begun = hashBegin(prefix)
  }

  owner(name: string): Owner {
    const known = this.#owners.get(name)
    if (known) return known
    const fingerprint = fingerprintOf(name, this.#begun)
    const owner = { shard: personShard(name, this.#shards), fingerprint, cells: [], last: null }
    this.#owners.set(name, owner)
    return owner
  }
}

/** Whom the events of a batch are counted by. Each is named, hashed and keyed once. */
export class WindowIndex {
  readonly shards: number
  readonly #names = new Map<string, Names>()
  /** By kind, what was asked for last: mostly a batch is of few shops. */
  readonly #last = new Map<SharedBy, { shopId: string; names: Names }>()

  constructor(shards: number) {
    this.shards = shards
  }

  /** The shard of what is counted of somebody. */
  shardOf(by: SharedBy, shopId: string, name: string): number {
    return this.#namesOf(by, shopId).owner(name).shard
  }

  /**
   * @param at UTC epoch milliseconds.
   * @param before the name on the day before.
   */
  tallies(by: SharedBy, shopId: string, at: number, name: string, before = name): WindowTallies {
    const part = Math.floor(at / PART_MS)
    const names = this.#namesOf(by, shopId)
    const owner = names.owner(name)
    if (owner.last?.part !== part || owner.last.before !== before) {
      owner.last = new WindowTallies(names, owner, part, before)
    }
    return owner.last
  }

  #namesOf(by: SharedBy, shopId: string): Names {
    const last = this.#last.get(by)
    if (last?.shopId === shopId) return last.names
    const prefix = `${by}/${shopId}/`
    const names = this.#names.get(prefix) ?? new Names(prefix, this.shards)
    this.#names.set(prefix, names)
    this.#last.set(by, { shopId, names })
    return names
  }
}

function cellIn(group: TallyGroup, { shard, fingerprint, cells }: Owner): WindowCell {
  for (const cell of cells) if (cell.key.group === group) return cell
  const cell = { key: { shard, group, fingerprint }, isLoaded: false, values: null, added: null }
  cells.push(cell)
  return cell
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

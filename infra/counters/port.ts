import { EngineUnavailable } from '../engine-unavailable.ts'
import type { IdFingerprint } from './fingerprint.ts'

/**
 * Counters that limits are judged by: views per person and day, spend per campaign, events seen once. A projection of the
 * log: a source, such as a partition of `ad-events`, is applied batch by batch, each at most once.
 *
 * Counters lie in shards. Everything that a partition of `ad-events` counts of its campaigns lies in the shard of its
 * number, so that one atomic step can change all of it; counters of people and addresses lie in the shard that
 * `personShard` gives. A batch is loaded, decided by the caller, and stored; `store` fails when somebody else has applied
 * the same positions meanwhile.
 */
export interface Counters {
  /** How many shards there are: as many as `ad-events` has partitions. */
  readonly shards: number
  /**
   * What a batch of each of these sources needs to be decided, in the order given.
   * @throws CountersBehind when a source does not stand at `after` or later; CountersUnavailable.
   */
  load(loads: readonly ShardLoad[]): Promise<LoadedShard[]>
  /**
   * Applies a batch to one shard, in one atomic step: wholly or not at all.
   * @throws CountersMoved when the source does not stand at `after` any more, and nothing was stored; CountersUnavailable,
   * when it may have been stored: the next `load` tells.
   */
  store(change: ShardChange): Promise<void>
  /**
   * Values now, of any shards; those of one shard are of one moment. A key never written, or forgotten, is 0.
   * @throws CountersUnavailable also while a shard is not complete, when a 0 would mean nothing.
   */
  read(keys: readonly CounterKey[]): Promise<number[]>
  /** The last offset that each source was applied up to in a shard; -1: none. */
  positions(sources: readonly SourceInShard[]): Promise<number[]>
  /** Whether each shard, in order, holds everything that was judged. */
  complete(): Promise<boolean[]>
  /** Marks a shard as complete, until its memory is lost or cleared. */
  markComplete(shard: number): Promise<void>
  /** Raises the judge watermark, UTC epoch milliseconds; a lower one changes nothing. */
  raiseWatermark(at: number): Promise<void>
  /** -1: never raised. */
  watermark(): Promise<number>
  /**
   * Sets amounts aside, each reservation in one atomic step, in order. @returns how much of each request was granted.
   * No log position stands behind a reservation: it lasts until it expires, is replaced or released, or is lost with the
   * counters' memory.
   * @throws CountersUnavailable.
   */
  reserve(reservations: readonly Reservation[]): Promise<number[]>
  /**
   * A secret that all who ask under one name share: the first that was proposed, until `ttlMs` after that by the
   * counters' own clock. It is no projection of the log: once forgotten, nothing brings it back.
   * @throws CountersUnavailable.
   */
  agree(name: string, proposed: string, ttlMs: number): Promise<string>
  /** Forgets everything but secrets, which nothing brings back; positions too. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** A whole number from 0 on, kept until its group is forgotten. */
export interface CounterKey {
  shard: number
  group: CounterGroup
  /** Unique within the group. */
  id: string
  /** Of the id, once somebody has hashed it. */
  fingerprint?: IdFingerprint
}

/** Counters that are forgotten together. */
export interface CounterGroup {
  /** Unique within a shard, and short: `v/20634`. */
  name: string
  /** Kept at least until then, UTC epoch milliseconds by the counters' own clock; null: for ever. */
  keptUntil: number | null
  /**
   * Over how many hashes its counters spread, a power of two: about a hundredth of the counters that a busy shard has of
   * the group. Few a hash take a hundred bytes each, up to a hundred a hash some 14, more some 52.
   */
  spread: number
  /** True: ids are kept as they are, as for money. Otherwise by a fingerprint of 48 bits or more. */
  exact?: boolean
}

/**
 * Several counters of one id, which are only raised, by at most 65,535 at once, and read by `load` alone. They are kept by
 * 40 bits of the fingerprint besides those that the spread takes.
 */
export interface TallyKey {
  shard: number
  group: TallyGroup
  /** Of the id: who names an id in several groups hashes it once. */
  fingerprint: IdFingerprint
}

export interface TallyGroup extends Omit<CounterGroup, 'exact'> {
  /** How many counters each id has, at most 8. */
  counts: number
}

/** What is only known to have been seen or not: 8 bytes each, and read by `load` alone. */
export interface SeenKey {
  /** Groups of seen keys are short stretches of time, so that those in use fit into memory. */
  group: Pick<CounterGroup, 'name' | 'keptUntil'>
  /** Of the id, which is kept by 53 bits of it. */
  fingerprint: IdFingerprint
}

export interface SourceInShard {
  shard: number
  /** `ad-events/3`. */
  source: string
}

export interface ShardLoad extends SourceInShard {
  /** The source must have been applied up to here; -1: anything will do. */
  after: number
  /** Of this shard. */
  keys: readonly CounterKey[]
  tallies: readonly TallyKey[]
  seen: readonly SeenKey[]
}

export interface LoadedShard {
  /** The last offset that the source was applied up to: `after`, or beyond it what was applied and not committed. */
  position: number
  /** The note of the last `store` of the source that had one; null: none. */
  note: string | null
  /** In the order of `keys`. */
  values: number[]
  /** The counters of each of `tallies`, one key's after the other's. */
  tallies: Float64Array
  /** In the order of `seen`. */
  seen: boolean[]
  /** Whether the shard holds everything that was judged, as `complete` says. */
  complete: boolean
}

export interface ShardChange extends SourceInShard {
  /** The position that was loaded. */
  after: number
  /** Where the source then stands, also when its last offsets change nothing. */
  upTo: number
  /** What a later `load` gets as `note`, at most 64 KiB; null: the former note stays. */
  note: string | null
  /** Amounts that are added; what is taken away leaves 0 at least. Each key is added to or lowered once. */
  add: readonly { key: CounterKey; amount: number }[]
  /** What the counters of a tally are raised by, in the order of their numbers. Each key is raised once. */
  tally: readonly { key: TallyKey; amounts: readonly number[] }[]
  /** A counter that is 0 or higher is set to the value: when somebody was first seen. */
  lower: readonly { key: CounterKey; value: number }[]
  seen: readonly SeenKey[]
  /** Reservations that end, because the counters now include their amounts. */
  released: readonly { key: string; holder: string }[]
}

/**
 * An amount that one holder sets aside of limits that it shares with other holders. It is granted at most what each limit
 * leaves: `max` less the value of its counter, less what others have reserved of its key, less what the holder retains.
 */
export interface Reservation {
  /** The limits are all of this shard. */
  shard: number
  holder: string
  /** Already in use, a whole number: it stays reserved whatever the limits are. */
  retained: number
  /** Requested on top of it, a whole number. With nothing retained or granted, the holder's reservation is released. */
  requested: number
  /** Grant nothing rather than less than this. */
  minimum: number
  /** The holder reserves `retained` and the granted amount of each key, in place of its former reservation of it. */
  limits: readonly { key: string; counted: CounterKey | null; max: number }[]
  /** UTC epoch milliseconds; so is `now`, the time that expiry is measured by. */
  expiresAt: number
  now: number
}

/** Thrown when the counters are unavailable; the call may be retried. */
export class CountersUnavailable extends EngineUnavailable {
  override readonly name = 'CountersUnavailable'
}
/** Thrown when the counters have lost changes that were applied before; these must be applied again first. */
export class CountersBehind extends Error {
  override readonly name = 'CountersBehind'
}
/** Thrown when somebody else has applied the batch, or a part of it; it must be loaded again. */
export class CountersMoved extends Error {
  override readonly name = 'CountersMoved'
}

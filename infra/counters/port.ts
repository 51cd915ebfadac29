import { EngineUnavailable } from '../engine-unavailable.ts'
import type { IdFingerprint } from './fingerprint.ts'

/**
 * Counters that limits are judged by: views per person and day, spend per campaign, events seen once. A projection of the
 * log: a source, such as a partition of `ad-events`, is applied batch by batch, each at most once.
 *
 * Counters are divided into shards. The counters of all campaigns of one partition of `ad-events` lie in the shard with the
 * partition's number, so that one atomic step can change all of them; counters of people and addresses lie in the shard that
 * `personShard` gives. A batch is loaded, decided by the caller, and stored; `store` fails when another process has applied the same
 * offsets meanwhile.
 */
export interface Counters {
  /** How many shards there are: as many as `ad-events` has partitions. */
  readonly shards: number
  /**
   * Loads what is needed to decide a batch of each of these sources. @returns in the order given.
   * @throws CountersBehind when a source has not been applied up to `after`; CountersUnavailable.
   */
  load(loads: readonly ShardLoad[]): Promise<LoadedShard[]>
  /**
   * Applies a batch to one shard, in one atomic step: wholly or not at all.
   * @throws CountersMoved when the position of the source is no longer `after`: nothing was stored. CountersUnavailable: the change may
   * have been stored, and the next `load` tells.
   */
  store(change: ShardChange): Promise<void>
  /**
   * Current values of keys of any shards; those of one shard are read at one moment. A key that was never written or is forgotten is 0.
   * @throws CountersUnavailable also while a shard is not complete, because a 0 would mean nothing then.
   */
  read(keys: readonly CounterKey[]): Promise<number[]>
  /** The last offset up to which each source was applied in its shard; -1 when nothing of it was. */
  positions(sources: readonly SourceInShard[]): Promise<number[]>
  /** For each shard, in order, whether it holds everything that was judged. */
  complete(): Promise<boolean[]>
  /** Marks a shard as complete, until its memory is lost or cleared. */
  markComplete(shard: number): Promise<void>
  /** Raises the judge watermark, UTC epoch milliseconds; a lower one changes nothing. */
  raiseWatermark(at: number): Promise<void>
  /** -1 when it was never raised. */
  watermark(): Promise<number>
  /**
   * Reserves amounts, each reservation in one atomic step, in order. @returns how much of each request was granted.
   * A reservation is not a projection of the log: it lasts until it expires, is replaced or released, or is lost with the
   * counters' memory.
   * @throws CountersUnavailable.
   */
  reserve(reservations: readonly Reservation[]): Promise<number[]>
  /**
   * A secret that all callers with one name share: the first one proposed, until `ttlMs` after its proposal by the counters' own
   * clock. It is not a projection of the log: once forgotten, nothing brings it back.
   * @throws CountersUnavailable.
   */
  agree(name: string, proposed: string, ttlMs: number): Promise<string>
  /**
   * Forgets everything, positions too, except secrets, which nothing would bring back. If it is interrupted, each shard still has its
   * positions and what was counted of money, or neither.
   */
  clear(): Promise<void>
  close(): Promise<void>
}

/** The key of a whole number from 0 on, which is kept until its group is forgotten. */
export interface CounterKey {
  shard: number
  group: CounterGroup
  /** Unique within the group. */
  id: string
  /** The id's fingerprint, once it has been hashed. */
  fingerprint?: IdFingerprint
}

/** Counters that are forgotten together. */
export interface CounterGroup {
  /** Unique within a shard, and short: `v/20634`. */
  name: string
  /** Kept at least until the latest end that a change has named, UTC epoch milliseconds by the counters' own clock; null: for ever. */
  keptUntil: number | null
  /**
   * Over how many hashes the counters are spread, a power of two: about a hundredth of the counters that a busy shard has of the
   * group. A counter takes a hundred bytes in a hash of few counters, some 14 in one of up to a hundred, and some 52 in a larger one.
   */
  spread: number
  /** True to store ids as they are, as for money. Otherwise they are stored as a fingerprint of 48 bits or more. */
  exact?: boolean
}

/**
 * The key of several counters of one id. They are only ever raised, by at most 65,535 at once, and read by `load` alone. They are
 * stored under 40 bits of the fingerprint, besides the bits that pick one of the `spread` hashes.
 */
export interface TallyKey {
  shard: number
  group: TallyGroup
  /** The id's fingerprint. A caller that uses an id in several groups hashes it once. */
  fingerprint: IdFingerprint
}

export interface TallyGroup extends Omit<CounterGroup, 'exact'> {
  /** How many counters each id has, at most 8. */
  counts: number
}

/** The key of something that was either seen or not. It takes 8 bytes, and is read by `load` alone. */
export interface SeenKey {
  /**
   * Each group covers a short stretch of time, so that the groups in use fit into memory. All keys of a group name the same
   * `keptUntil`.
   */
  group: Pick<CounterGroup, 'name' | 'keptUntil'>
  /** The id's fingerprint, of which 53 bits are stored. */
  fingerprint: IdFingerprint
}

export interface SourceInShard {
  shard: number
  /** `ad-events/3`. */
  source: string
}

export interface ShardLoad extends SourceInShard {
  /** The offset up to which the source must have been applied; -1 when any position will do. */
  after: number
  /** Keys of this shard. */
  keys: readonly CounterKey[]
  tallies: readonly TallyKey[]
  seen: readonly SeenKey[]
}

export interface LoadedShard {
  /** The last offset up to which the source was applied: `after`, or a later one when a batch was applied and not committed. */
  position: number
  /** The note of the last `store` of the source that had one; null when none had. */
  note: string | null
  /** In the order of `keys`. */
  values: number[]
  /** The counters of all `tallies`, one key after the other. */
  tallies: Float64Array
  /** In the order of `seen`. */
  seen: boolean[]
  /** Whether the shard holds everything that was judged, as `complete` says. */
  complete: boolean
}

export interface ShardChange extends SourceInShard {
  /** The position that was loaded. */
  after: number
  /** The position of the source after the change, even if its last offsets change nothing. */
  upTo: number
  /** Later loads get it as `note`, at most 64 KiB; null leaves the former note. */
  note: string | null
  /** Amounts to add. A negative amount takes a counter no lower than 0. Each key is added to or lowered once. */
  add: readonly { key: CounterKey; amount: number }[]
  /** The amounts by which the counters of a tally are raised, in the order of their numbers. Each key is raised once. */
  tally: readonly { key: TallyKey; amounts: readonly number[] }[]
  /** A counter that is 0 or higher than the value is set to the value. It keeps, for example, when somebody was first seen. */
  lower: readonly { key: CounterKey; value: number }[]
  seen: readonly SeenKey[]
  /** Reservations that end, because the counters now include their amounts. */
  released: readonly { key: string; holder: string }[]
}

/**
 * An amount that one holder reserves under limits that it shares with other holders. It gets at most what each limit leaves: `max`
 * less the value of the limit's counter, less what others have reserved of its key, less what the holder retains.
 */
export interface Reservation {
  /** All limits belong to this shard. */
  shard: number
  holder: string
  /** Already in use, a whole number: it stays reserved whatever the limits are. */
  retained: number
  /** Requested on top of it, a whole number. With nothing retained or granted, the holder's reservation is released. */
  requested: number
  /** Grant nothing rather than less than this. */
  minimum: number
  /** Of each key, the holder reserves `retained` plus the granted amount, in place of its former reservation of the key. */
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
/** Thrown when another process has applied the batch, or a part of it; it must be loaded again. */
export class CountersMoved extends Error {
  override readonly name = 'CountersMoved'
}

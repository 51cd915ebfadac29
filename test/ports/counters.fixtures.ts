import { fingerprintOf } from '../../infra/counters/fingerprint.ts'
import type { CounterGroup, CounterKey, Counters, SeenKey, ShardChange, ShardLoad } from '../../infra/counters/port.ts'

export const SHARDS = 4
export const SHARD = 1
export const SOURCE = 'ad-events/1'
const HOUR_MS = 3_600_000

/** Opens counters of `SHARDS` shards for a suite. */
export interface CountersSubject {
  /** Opens new, empty counters. */
  open(): Promise<Counters>
  /** A second client of the same counters, as in another process. */
  another(counters: Counters): Promise<Counters>
  /** Closes the counters and opens them again, as after a restart. */
  reopen(counters: Counters): Promise<Counters>
  /** Closes the counters and removes what they stored. */
  dispose(counters: Counters): Promise<void>
}

export const group = (name: string, change: Partial<CounterGroup> = {}): CounterGroup => ({
  name,
  keptUntil: Date.now() + HOUR_MS,
  spread: 4,
  ...change,
})
const views = group('views')
const spend = group('spend', { keptUntil: null, spread: 1, exact: true })
export const viewsOf = (id: string, shard = SHARD): CounterKey => ({ shard, group: views, id })
export const spendOf = (id: string, shard = SHARD): CounterKey => ({ shard, group: spend, id })
export const seenOf = (id: string, name = 'minute'): SeenKey => ({ group: group(name), fingerprint: fingerprintOf(id) })

/** A change that contains only what is given. */
export const changeOf = (change: Partial<ShardChange>): ShardChange => ({
  shard: SHARD,
  source: SOURCE,
  after: -1,
  upTo: (change.after ?? -1) + 1,
  note: null,
  add: [],
  tally: [],
  lower: [],
  seen: [],
  released: [],
  ...change,
})
export const loadOf = (load: Partial<ShardLoad>): ShardLoad => ({
  shard: SHARD,
  source: SOURCE,
  after: -1,
  keys: [],
  tallies: [],
  seen: [],
  ...load,
})

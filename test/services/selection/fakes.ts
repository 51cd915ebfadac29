import { type CounterKey, type Counters, CountersUnavailable } from '../../../infra/counters/port.ts'
import { createReservationTable } from '../../../infra/counters/reservations.ts'
import { shardOf } from '../../../infra/counters/shards.ts'
import type { EventLog, NewRecord } from '../../../infra/event-log/port.ts'

const SHARDS = 3

export interface FakeCounters extends Counters {
  /** The shard of a campaign. */
  shardOf(campaignId: string): number
  amountOf(key: CounterKey): number
  set(key: CounterKey, value: number): void
  /** Ends a reservation, as a stored change does. */
  release(shard: number, key: string, holder: string): void
  /** Whether the shards hold all judged events. */
  isComplete: boolean
  /** The number of calls that were answered or refused. */
  questions: number
  /** How often the judge watermark was read: once per turn of the budgets. */
  turns: number
  /** The time before which all received events have been judged. */
  judgeWatermark: () => number
  /** Loses all reservations: earlier emissions are no longer in flight. */
  forgetReservations: () => void
  /** Runs before each answer, to delay or fail it. */
  before: (shard: number | null) => Promise<void>
}

export function fakeCounters(): FakeCounters {
  const values = new Map<string, number>()
  const table = createReservationTable()
  const nameOf = ({ shard, group, id }: CounterKey) => `${shard} ${group.name} ${id}`
  const amountOf = (key: CounterKey) => values.get(nameOf(key)) ?? 0
  const unused = () => Promise.reject(new Error('selection only reads and reserves'))
  return {
    shards: SHARDS,
    shardOf: (campaignId) => shardOf(campaignId, SHARDS),
    amountOf,
    set: (key, value) => void values.set(nameOf(key), value),
    release: table.release,
    isComplete: true,
    questions: 0,
    turns: 0,
    judgeWatermark: () => -1,
    forgetReservations: table.clear,
    before: async () => {},
    load: unused,
    store: unused,
    positions: unused,
    markComplete: unused,
    raiseWatermark: unused,
    agree: unused,
    async complete() {
      return Array(SHARDS).fill(this.isComplete)
    },
    async read(keys) {
      this.questions++
      await Promise.all([...new Set(keys.map(({ shard }) => shard))].map((shard) => this.before(shard)))
      if (!this.isComplete) throw new CountersUnavailable('being counted again')
      return keys.map(amountOf)
    },
    async reserve(reservations) {
      await Promise.all([...new Set(reservations.map(({ shard }) => shard))].map((shard) => this.before(shard)))
      return reservations.map((reservation) => table.reserve(reservation, amountOf))
    },
    async watermark() {
      this.questions++
      this.turns++
      await this.before(null)
      return this.judgeWatermark()
    },
    clear: async () => values.clear(),
    close: async () => {},
  }
}

export interface FakeLog extends EventLog {
  records: NewRecord[]
  /** Runs before each append, to delay or fail it. */
  before: () => Promise<void>
}

export function fakeLog(): FakeLog {
  const unused = () => Promise.reject(new Error('not used by selection'))
  return {
    records: [],
    before: async () => {},
    async append(records: readonly NewRecord[]) {
      await this.before()
      this.records.push(...records)
      return []
    },
    consumer: unused,
    tail: unused,
    exclusiveWriter: unused,
    bounds: unused,
    settled: unused,
    count: unused,
    read: unused,
    replace: unused,
    committed: unused,
    reset: unused,
    close: async () => {},
  }
}

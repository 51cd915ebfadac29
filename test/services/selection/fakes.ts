import type { Counters } from '../../../infra/counters/port.ts'
import { createReservationTable } from '../../../infra/counters/reservations.ts'
import type { EventLog, NewRecord } from '../../../infra/event-log/port.ts'
import { COUNTERS_COMPLETE_KEY } from '../../../services/domain/money/counter-keys.ts'

export interface FakeCounters extends Counters {
  values: Map<string, number>
  /** Once keys. */
  taken: Set<string>
  /** Calls that were answered or refused. */
  questions: number
  /** Events received before it have been judged. */
  judgeWatermark: () => number
  /** Loses all reservations: what was emitted before is no longer in flight. */
  forgetReservations: () => void
  /** Called before each answer: to delay or fail it. */
  before: () => Promise<void>
}

export function fakeCounters(): FakeCounters {
  const values = new Map<string, number>([[COUNTERS_COMPLETE_KEY, 1]])
  const taken = new Set<string>()
  const table = createReservationTable()
  const state = { value: (key: string) => values.get(key) ?? 0, isTaken: (key: string) => taken.has(key) }
  return {
    values,
    taken,
    questions: 0,
    judgeWatermark: () => -1,
    forgetReservations: table.clear,
    before: async () => {},
    apply: () => Promise.reject(new Error('selection only reads')),
    agree: () => Promise.reject(new Error('selection has no secrets')),
    async read(keys: readonly string[]) {
      this.questions++
      await this.before()
      return keys.map((key) => values.get(key) ?? 0)
    },
    async reserve(reservations) {
      await this.before()
      return reservations.map((reservation) => table.reserve(reservation, state))
    },
    async positions(sources) {
      this.questions++
      await this.before()
      return sources.map(() => this.judgeWatermark())
    },
    clear: async () => values.clear(),
    close: async () => {},
  }
}

export interface FakeLog extends EventLog {
  records: NewRecord[]
  /** Called before each append: to delay or fail it. */
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
    count: unused,
    read: unused,
    committed: unused,
    reset: unused,
    close: async () => {},
  }
}

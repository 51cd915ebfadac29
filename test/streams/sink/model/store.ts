import {
  type Analytics,
  AnalyticsFenced,
  AnalyticsUnavailable,
  type Fence,
  type RowBlock,
} from '../../../../infra/analytics/port.ts'
import type { Call, Calls } from './calls.ts'
import { RECORDS } from './log.ts'

type Row = { _offset: number }

/** In this model all rows have the same length, and begin with the length and name of the topic, and the partition. */
function placedRows({ bytes, length }: RowBlock): Row[] {
  const rows = Buffer.from(bytes)
  const offsetAt = 1 + rows[0]! + Int32Array.BYTES_PER_ELEMENT
  return Array.from({ length }, (_, row) => {
    return { _offset: Number(rows.readBigInt64LE((row * rows.length) / length + offsetAt)) }
  })
}

interface Insert {
  fence: Fence
  call: Call
}

/** Fences are checked when an insert begins. Its rows become visible some time later, in two parts. */
export function createModelStore(calls: Calls) {
  const rows = Array.from({ length: RECORDS }, () => 0)
  const epochs = new Map<string, number>()
  const running = new Set<Insert>()

  function end(insert: Insert, error: Error): void {
    running.delete(insert)
    insert.call.steps = []
    insert.call.outcome = () => {
      throw error
    }
  }

  function insertRows(process: number, placed: readonly Row[], fence: Fence): Promise<unknown> {
    const { call, promise } = calls.make(process, `insert ${placed.map((row) => row._offset)} @${fence.epoch}`, {
      canLose: true,
    })
    const insert: Insert = { fence, call }
    const begin = () => {
      running.add(insert)
      if ((epochs.get(fence.scope) ?? 0) > fence.epoch) end(insert, new AnalyticsFenced('a later epoch'))
    }
    const show = (some: readonly Row[]) => () => {
      for (const { _offset } of some) rows[_offset]! += 1
    }
    const half = placed.length >> 1
    call.steps = [begin, show(placed.slice(0, half)), show(placed.slice(half)), () => running.delete(insert)]
    return promise
  }

  async function raise(process: number, { scope, epoch }: Fence): Promise<void> {
    const write = () => epochs.set(scope, Math.max(epoch, epochs.get(scope) ?? 0))
    const endEarlier = () => {
      for (const insert of [...running]) {
        if (insert.fence.scope === scope && insert.fence.epoch < epoch) end(insert, new AnalyticsUnavailable('ended'))
      }
    }
    await calls.make(process, `raise @${epoch}`, { canLose: true, steps: [write, endEarlier] }).promise
  }

  async function look(process: number, { first, last }: { first: number; last: number }): Promise<Row[]> {
    let found: Row[] = []
    const isFound = (count: number, offset: number) => count > 0 && offset >= first && offset <= last
    const step = () => {
      found = rows.flatMap((count, _offset) => (isFound(count, _offset) ? [{ _offset }] : []))
    }
    return (await calls.make(process, `look ${first}-${last}`, { steps: [step], outcome: () => found })
      .promise) as Row[]
  }

  return {
    /** The store as a process sees it. */
    of(process: number): Analytics {
      return {
        async insert(_table, placed, by) {
          if (!('fences' in by)) throw new Error('the sink inserts under a fence')
          await insertRows(process, placedRows(placed as RowBlock), by.fences[0]!)
        },
        raiseFences: (fences) => raise(process, fences[0]!),
        query: async <Found extends object>(_sql: string, params: object = {}) =>
          (await look(process, params as { first: number; last: number })) as unknown as Found[],
        pauseInserts: () => Promise.reject(new Error('not part of the model')),
        resumeInserts: () => Promise.reject(new Error('not part of the model')),
        queryParquet: () => Promise.reject(new Error('not part of this model')),
        ping: () => Promise.reject(new Error('not part of this model')),
        command: () => Promise.reject(new Error('not part of this model')),
        unfinishedMutations: () => Promise.reject(new Error('not part of this model')),
        close: async () => {},
      }
    },
    /** The number of rows of each record. */
    rows: () => [...rows],
    isInserting: () => running.size > 0,
    /** Ends running inserts; the rows that they have made visible stay. */
    restart(): void {
      for (const insert of [...running]) end(insert, new AnalyticsUnavailable('the store has restarted'))
    },
  }
}

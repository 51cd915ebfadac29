import {
  type Assignment,
  type EventLog,
  type LogConsumer,
  type LogRecord,
  Revoked,
} from '../../../../infra/event-log/port.ts'
import { pageView, T0 } from '../../attribution/events.ts'
import { bytesOf, keyOf } from '../../attribution/happenings.ts'
import { fakeLog, logRecord } from '../../runtime/fake-log.ts'
import type { Calls } from './calls.ts'

export const RECORDS = 3
const TOPIC = 'page-views'
const PARTITION = 0
const POLLED_MAX = 2

const records: LogRecord[] = Array.from({ length: RECORDS }, (_, offset) => {
  const view = { topic: TOPIC, value: pageView({ id: `v${offset}`, cid: 'a', uid: null, at: T0 }) } as const
  return logRecord({ topic: TOPIC, key: keyOf(view), value: bytesOf(view) }, PARTITION, offset)
})

/** One partition, which has one owner at a time. Commits under any assignment but the owner's are refused. */
export function createModelLog(calls: Calls, now: () => number) {
  let committed: Assignment['committed'] = null
  let owner: { process: number; assignment: Assignment } | null = null
  /** What each process believes to be its assignment, and the offset that it reads next. */
  const views: ({ assignment: Assignment; position: number } | null)[] = [null, null]
  /** The last record is appended while the partition moves, so the first process cuts its batch without it. */
  let end = RECORDS - 1
  let closed = false

  function assign(process: number): void {
    const assignment = { topic: TOPIC, partition: PARTITION, committed } as const
    owner = { process, assignment }
    views[process] = { assignment, position: committed?.offset ?? 0 }
  }

  /** A process that has lost the partition still returns what it had fetched by then. */
  const endFor = (process: number) => (owner?.process === process ? end : RECORDS - 1)

  function poll(process: number, lastAnswer: { at: number }) {
    const hasMore = () => (views[process]?.position ?? end) < endFor(process)
    const { promise } = calls.make(process, 'poll', {
      isReady: () => closed || hasMore() || now() > lastAnswer.at,
      outcome() {
        lastAnswer.at = now()
        const view = views[process]
        if (closed || !view || !hasMore()) return null
        const { assignment, position } = view
        view.position = Math.min(endFor(process), position + POLLED_MAX)
        return { topic: TOPIC, partition: PARTITION, assignment, records: records.slice(position, view.position) }
      },
    })
    return promise as ReturnType<LogConsumer['poll']>
  }

  async function commit(process: number, assignment: Assignment, place: { offset: number; metadata: string }) {
    if (views[process]?.assignment !== assignment) throw new Revoked('it has ended')
    let refused = false
    const store = () => {
      refused = owner?.assignment !== assignment
      if (!refused) committed = { topic: TOPIC, partition: PARTITION, ...place }
    }
    const outcome = () => {
      if (!refused) return
      // From now on the process knows, and no longer reads the partition.
      if (views[process]?.assignment === assignment) views[process] = null
      throw new Revoked('it has gone to another')
    }
    await calls.make(process, `commit ${place.offset} ${place.metadata}`, { canLose: true, steps: [store], outcome })
      .promise
  }

  function consumerOf(process: number): LogConsumer {
    const lastAnswer = { at: -1 }
    return {
      poll: () => poll(process, lastAnswer),
      assigned: () => [],
      isMember: () => !closed,
      seek(assignment, offset) {
        const view = views[process]
        if (view?.assignment === assignment) view.position = offset
      },
      commit: (assignment, place) => commit(process, assignment, place),
      refuse() {
        throw new Error('every record of this model can be read')
      },
      async close() {},
    }
  }

  assign(0)
  return {
    /** The log as a process sees it. */
    of(process: number): EventLog {
      return {
        ...fakeLog(),
        committed: async () => (committed === null ? [] : [committed]),
        bounds: async (topic) => (topic === TOPIC ? [{ partition: PARTITION, start: 0, end }] : []),
        async consumer() {
          // A member that joins again gets what it already owns.
          if (owner?.process === process) assign(process)
          return consumerOf(process)
        },
        read(_topic, _partition, from, max) {
          const outcome = () => records.slice(from, Math.min(end, from + max))
          return calls.make(process, `read ${from}`, { outcome }).promise as Promise<LogRecord[]>
        },
      }
    },
    moveTo(process: number): void {
      end = RECORDS
      assign(process)
    },
    owner: () => owner!.process,
    committed: () => committed,
    isCommitted: () => committed?.offset === end,
    /** From now on polls are answered at once, with nothing. */
    close(): void {
      closed = true
    },
  }
}

import type { TopicName } from '../../../schemas/topics.ts'
import type { Remote } from '../../threads/calls.ts'
import {
  type Assignment,
  type Batch,
  type LogConsumer,
  type LogRecord,
  LogUnavailable,
  METADATA_MAX_CHARS,
  type PartitionBounds,
  type PartitionOffset,
  Revoked,
  type Tail,
} from '../port.ts'
import { pack } from './append.ts'
import { unpackRecords } from './frame.ts'
import type { IdentifiedAssignment, Polled } from './groups/consumer-groups.ts'

const TAIL_BATCH_RECORDS = 1_000
/** The worker wakes a tail as soon as there is a record; this only bounds how long one poll stays open. */
const TAIL_WAIT_MS = 60_000

export async function openConsumer(remote: Remote, group: string, topics: readonly TopicName[]): Promise<LogConsumer> {
  const member = await remote.call<number>('join', [group, topics])
  let assigned = new Map<string, IdentifiedAssignment>()
  let closed = false
  await ask(0, 0)

  async function ask(maxRecords: number, maxWaitMs: number): Promise<Batch | null> {
    const polled = await remote.call<Polled>('poll', [member, maxRecords, maxWaitMs])
    if (polled.assigned) assigned = new Map(polled.assigned.map(keptOrNew))
    const batch = batchOf(polled)
    return batch && { ...batch, assignment: assigned.get(`${batch.topic}/${batch.partition}`)! }
  }

  /** An assignment that continues stays the same object, so that code that holds it may go on using it. */
  function keptOrNew(each: IdentifiedAssignment): [string, IdentifiedAssignment] {
    const place = `${each.topic}/${each.partition}`
    const before = assigned.get(place)
    return [place, before?.id === each.id ? before : each]
  }

  /** By this id, the log's thread knows whether the assignment still holds. */
  const idOf = (assignment: Assignment) => (assignment as IdentifiedAssignment).id

  return {
    async poll({ maxRecords, maxWaitMs }) {
      return closed ? null : ask(maxRecords, maxWaitMs)
    },
    assigned: () => (closed ? [] : [...assigned.values()]),
    isMember: () => !closed,
    seek(assignment, offset) {
      const { topic, partition } = assignment
      // Messages keep their order: the next poll begins at the new offset.
      remote.call('seek', [member, topic, partition, idOf(assignment), offset]).catch(() => {})
    },
    refuse(assignment) {
      const { topic, partition } = assignment
      remote.call('refuse', [member, topic, partition, idOf(assignment)]).catch(() => {})
    },
    async commit(assignment, { offset, metadata }, outputs = []) {
      const { topic, partition } = assignment
      if (closed) throw new Revoked(`${topic}/${partition} is not assigned to this consumer any more`)
      if (metadata.length > METADATA_MAX_CHARS) {
        throw new RangeError(`The metadata of a commit has ${metadata.length} of ${METADATA_MAX_CHARS} characters`)
      }
      const frame = outputs.length === 0 ? null : pack(outputs)
      const args = [member, idOf(assignment), { topic, partition, offset, metadata }, frame]
      await remote.call('commit', args, frame ? [frame.buffer] : [])
    },
    async close() {
      if (closed) return
      closed = true
      await remote.call('leave', [member]).catch(ignoreClosedLog)
    },
  }
}

/** Follows a topic outside any group. If `onBatch` throws before the tail has caught up, the call rejects; later that is fatal. */
export async function openTail(
  remote: Remote,
  topic: TopicName,
  onBatch: (records: LogRecord[]) => void | Promise<void>,
  from: readonly PartitionOffset[] = [],
): Promise<Tail> {
  const places = from.map((each) => ({ topic, ...each, metadata: '' }))
  const member = await remote.call<number>('join', [null, [topic], places])
  const behind = new Map<number, number>()
  for (const { partition, start, end } of await remote.call<PartitionBounds[]>('bounds', [topic])) {
    const wanted = from.find((each) => each.partition === partition)?.offset ?? start
    if (end > Math.max(start, wanted)) behind.set(partition, end)
  }
  let closed = false

  async function step(maxWaitMs: number): Promise<boolean> {
    const batch = batchOf(await remote.call<Polled>('poll', [member, TAIL_BATCH_RECORDS, maxWaitMs]))
    if (!batch || closed) return false
    await onBatch(batch.records)
    if (batch.records.at(-1)!.offset + 1 >= (behind.get(batch.partition) ?? 0)) behind.delete(batch.partition)
    return true
  }

  async function close(): Promise<void> {
    if (closed) return
    closed = true
    await remote.call('leave', [member]).catch(ignoreClosedLog)
  }

  async function follow(): Promise<void> {
    while (!closed) await step(TAIL_WAIT_MS)
  }

  try {
    while (behind.size > 0 && (await step(0))) {
      // Read on until every partition is at the end that it had at the call, or nothing is left to read.
    }
  } catch (error) {
    await close()
    throw error
  }
  follow().catch((error: Error) => {
    if (!closed && !(error instanceof LogUnavailable)) throw error
  })
  return { close }
}

function batchOf({ batch }: Polled): Omit<Batch, 'assignment'> | null {
  if (!batch) return null
  const { topic, partition, frame } = batch
  return { topic, partition, records: unpackRecords(frame, topic, partition) }
}

function ignoreClosedLog(error: Error): void {
  if (!(error instanceof LogUnavailable)) throw error
}

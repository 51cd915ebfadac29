import { firstOffsetOf } from '../../epochs.ts'
import type {
  Assignment,
  Commit,
  EventLog,
  LogConsumer,
  LogRecord,
  NewRecord,
  PartitionBounds,
  Position,
} from '../../port.ts'
import type { CurrentEpoch } from './current-epoch.ts'

/**
 * The log with offsets of its epoch (`epochs.ts`): the first offset of the epoch is added to Kafka's offsets on the way out, and
 * subtracted on the way in. A process that was frozen during a restore is refused the next partition that it is assigned.
 */
export function withEpoch(log: EventLog, epoch: CurrentEpoch): EventLog {
  const firstOffset = async () => firstOffsetOf(await epoch.get())
  /** Unfinished appends, which a close awaits. */
  const appends = new Set<Promise<unknown>>()

  /** Sends the records at once, because only the answer needs the epoch. The log below limits how much may wait. */
  async function append(records: readonly NewRecord[]): Promise<Position[]> {
    const [positions, first] = await Promise.all([log.append(records), firstOffset()])
    return raised(positions, first)
  }

  return {
    append(records) {
      const appending = append(records).finally(() => appends.delete(appending))
      appends.add(appending)
      return appending
    },
    async consumer(options) {
      const first = await firstOffset()
      return consumerWithEpoch(await log.consumer(options), first, epoch)
    },
    async tail(topic, onBatch, from = []) {
      const first = await firstOffset()
      const lowered = from.map(({ partition, offset }) => ({ partition, offset: readFrom(offset, first) }))
      // Copies, because the log may still read offsets from the records that it has handed over.
      return log.tail(
        topic,
        (records) =>
          onBatch(
            raised(
              records.map((record) => ({ ...record })),
              first,
            ),
          ),
        lowered,
      )
    },
    async exclusiveWriter(name) {
      const first = await firstOffset()
      const writer = await log.exclusiveWriter(name)
      await epoch.confirm()
      return { ...writer, append: async (records) => raised(await writer.append(records), first) }
    },
    async bounds(topic) {
      const first = await firstOffset()
      const raise = ({ partition, start, end }: PartitionBounds) => {
        return { partition, start: start + first, end: end + first }
      }
      return (await log.bounds(topic)).map(raise)
    },
    settled: (topic) => log.settled(topic),
    async count(topic, partition, from, to) {
      const first = await firstOffset()
      return log.count(topic, partition, readFrom(from, first), readFrom(to, first))
    },
    async read(topic, partition, from, max) {
      const first = await firstOffset()
      return raised(await log.read(topic, partition, readFrom(from, first), max), first)
    },
    async replace(topic, partition, records) {
      const first = await firstOffset()
      const lowered = records.map((record) => ({ ...record, offset: readFrom(record.offset, first) }))
      return log.replace(topic, partition, lowered)
    },
    async committed(group) {
      const first = await firstOffset()
      return raised(await log.committed(group), first)
    },
    async reset(group, commits) {
      const first = await firstOffset()
      await log.reset(group, commits?.map((commit) => ({ ...commit, offset: offsetIn(commit.offset, first) })) ?? null)
    },
    async close() {
      await Promise.allSettled(appends)
      await log.close()
    },
  }
}

function consumerWithEpoch(consumer: LogConsumer, first: number, epoch: CurrentEpoch): LogConsumer {
  const assignments = new WeakMap<Assignment, Assignment>()
  const originals = new WeakMap<Assignment, Assignment>()
  /** Assignments that the epoch was confirmed for. */
  const confirmed = new WeakSet<Assignment>()

  function raisedOf(original: Assignment): Assignment {
    const known = assignments.get(original)
    if (known) return known
    const { topic, partition, committed } = original
    const assignment = { topic, partition, committed: committed && raised([{ ...committed }], first)[0]! }
    assignments.set(original, assignment)
    originals.set(assignment, original)
    return assignment
  }
  /** An assignment that this consumer has never handed out is unknown to the consumer below, too. */
  const originalOf = (assignment: Assignment) => originals.get(assignment) ?? assignment

  return {
    async poll(options) {
      const batch = await consumer.poll(options)
      const fresh = consumer.assigned().filter((assignment) => !confirmed.has(assignment))
      if (fresh.length > 0) {
        await epoch.confirm().catch((error) => {
          if (batch) consumer.seek(batch.assignment, batch.records[0]!.offset)
          throw error
        })
        for (const assignment of fresh) confirmed.add(assignment)
      }
      return batch && { ...batch, assignment: raisedOf(batch.assignment), records: raised(batch.records, first) }
    },
    assigned: () => consumer.assigned().map(raisedOf),
    isMember: () => consumer.isMember(),
    seek: (assignment, offset) => consumer.seek(originalOf(assignment), readFrom(offset, first)),
    refuse: (assignment) => consumer.refuse(originalOf(assignment)),
    async commit(assignment, { offset, metadata }, outputs) {
      await consumer.commit(originalOf(assignment), { offset: offsetIn(offset, first), metadata }, outputs)
    },
    close: () => consumer.close(),
  }
}

/** Changes the offsets in place: the caller has just made these objects and nothing else holds them. */
function raised<T extends Position[] | LogRecord[] | Commit[]>(places: T, first: number): T {
  for (const place of places) place.offset += first
  return places
}

/** Where a read begins. An offset of an earlier epoch lies before all records of the log. */
const readFrom = (offset: number, first: number) => Math.max(0, offset - first)

/** @throws RangeError for an offset of an earlier epoch, which names no place in this log. */
function offsetIn(offset: number, first: number): number {
  if (offset < first)
    throw new RangeError(`Offset ${offset} lies before the epoch of the log, which begins at ${first}`)
  return offset - first
}

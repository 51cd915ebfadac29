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
 * The log with offsets of its epoch (`epochs.ts`), made of those of Kafka: here they are added on the way out, and taken off on
 * the way in. A process that was frozen over a restore is refused the next partition that it is assigned.
 */
export function withEpoch(log: EventLog, epoch: CurrentEpoch): EventLog {
  const firstOffset = async () => firstOffsetOf(await epoch.get())
  /** A close lets them end. */
  const appends = new Set<Promise<unknown>>()

  /** Only the answer needs the epoch: what waits to be stored is limited below. */
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
      // The log may go on from the records that it has handed over.
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
  /** What was assigned while the epoch held. */
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
  /** One that this consumer has never given is unknown to the consumer below too. */
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

/** Changes what was just made and is nobody else's. */
function raised<T extends Position[] | LogRecord[] | Commit[]>(places: T, first: number): T {
  for (const place of places) place.offset += first
  return places
}

/** Where a read begins: an offset of an earlier epoch lies before all that the log holds. */
const readFrom = (offset: number, first: number) => Math.max(0, offset - first)

/** @throws RangeError for an offset of an earlier epoch, which names no place in this log. */
function offsetIn(offset: number, first: number): number {
  if (offset < first)
    throw new RangeError(`Offset ${offset} lies before the epoch of the log, which begins at ${first}`)
  return offset - first
}

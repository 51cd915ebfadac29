import type { TopicName } from '../../../../schemas/topics.ts'
import { memoized } from '../../../../services/domain/memoized.ts'
import { hashOf } from '../../partitioner.ts'
import type { NewRecord, Position } from '../../port.ts'
import type { BatchRecord } from '../client/protocol/record-batch.ts'
import type { KnownPartitions } from './known-partitions.ts'

/** A batch stays below this, and so below the topic's `max.message.bytes`; a single record always fits. */
export const BATCH_MAX_BYTES = 1024 * 1024

/** Records of one call that go to one partition in one batch. */
export interface PartitionBatch {
  topic: TopicName
  partition: number
  records: BatchRecord[]
  /** The index of each record in the call. */
  indexes: number[]
  /** Bytes of keys and values. */
  bytes: number
}

/**
 * Sorts the records of a call by partition, into batches of at most BATCH_MAX_BYTES; records of one partition keep their order.
 * @param counts how many partitions each topic has. @param spread picks the partition of the records without a key.
 */
export function partitionBatchesOf(
  records: readonly NewRecord[],
  counts: ReadonlyMap<TopicName, number>,
  spread: number,
): PartitionBatch[] {
  const batches: PartitionBatch[] = []
  const open = new Map<string, PartitionBatch>()
  // The records of a call often share few keys.
  const hashed = memoized((key: string) => {
    const bytes = Buffer.from(key)
    return { bytes, hash: hashOf(bytes) }
  })
  let batch: PartitionBatch | undefined
  for (let index = 0; index < records.length; index++) {
    const { topic, key: text, value } = records[index]!
    const key = text === null ? null : hashed(text)
    const partition = (key?.hash ?? spread) % counts.get(topic)!
    const bytes = (key?.bytes.length ?? 0) + (value?.length ?? 0)
    const isElsewhere = batch?.topic !== topic || batch.partition !== partition
    if (isElsewhere) batch = open.get(`${topic}/${partition}`)
    if (!batch || batch.bytes + bytes > BATCH_MAX_BYTES) {
      batch = { topic, partition, records: [], indexes: [], bytes: 0 }
      batches.push(batch)
      open.set(`${topic}/${partition}`, batch)
    }
    batch.records.push({ key: key?.bytes ?? null, value })
    batch.indexes.push(index)
    batch.bytes += bytes
  }
  return batches
}

/** Writes the positions of a batch's records to their places in the call's list. */
export function notePositions(
  positions: Position[],
  { topic, partition, indexes }: PartitionBatch,
  baseOffset: number,
): void {
  for (let at = 0; at < indexes.length; at++) {
    positions[indexes[at]!] = { topic, partition, offset: baseOffset + at }
  }
}

/** Sorts one call after the other, so that their records reach the partitions in the order of the calls. */
export function createPartitioner(known: KnownPartitions) {
  let counting: Promise<unknown> = Promise.resolve()
  let spread = 0

  return async (records: readonly NewRecord[], deadline: number): Promise<PartitionBatch[]> => {
    const topics = [...new Set(records.map(({ topic }) => topic))]
    const counted = counting.then(() => known(topics, deadline))
    counting = counted.catch(() => {})
    return partitionBatchesOf(records, await counted, spread++)
  }
}

import type { TopicName } from '../../../../schemas/topics.ts'
import { partitionOf } from '../../partitioner.ts'
import type { NewRecord, Position } from '../../port.ts'
import type { BatchRecord } from '../client/record-batch.ts'

/** One batch never holds more, so that it stays under the topic's `max.message.bytes`; a single record always fits. */
export const BATCH_MAX_BYTES = 1024 * 1024

/** Records of one call that go to one partition together, and their places in the call. */
export interface Parcel {
  topic: TopicName
  partition: number
  records: BatchRecord[]
  /** Of each record, in the call. */
  indexes: number[]
  /** Of keys and values. */
  bytes: number
}

/**
 * Sorts the records of a call by partition, in parcels of at most BATCH_MAX_BYTES; those of one partition keep their order.
 * @param partitions how many each topic has. @param spread picks the partition of the records without a key.
 */
export function parcelsOf(
  records: readonly NewRecord[],
  partitions: ReadonlyMap<TopicName, number>,
  spread: number,
): Parcel[] {
  const parcels: Parcel[] = []
  const open = new Map<string, Parcel>()
  for (let index = 0; index < records.length; index++) {
    const { topic, key, value } = records[index]!
    const keyBytes = key === null ? null : Buffer.from(key)
    const count = partitions.get(topic)!
    const partition = keyBytes === null ? spread % count : partitionOf(keyBytes, count)
    const bytes = (keyBytes?.length ?? 0) + (value?.length ?? 0)
    const place = `${topic}/${partition}`
    let parcel = open.get(place)
    if (!parcel || parcel.bytes + bytes > BATCH_MAX_BYTES) {
      parcel = { topic, partition, records: [], indexes: [], bytes: 0 }
      parcels.push(parcel)
      open.set(place, parcel)
    }
    parcel.records.push({ key: keyBytes, value })
    parcel.indexes.push(index)
    parcel.bytes += bytes
  }
  return parcels
}

/** Writes the positions of a parcel's records to their places in the call's list. */
export function notePositions(positions: Position[], { topic, partition, indexes }: Parcel, baseOffset: number): void {
  for (let at = 0; at < indexes.length; at++) {
    positions[indexes[at]!] = { topic, partition, offset: baseOffset + at }
  }
}

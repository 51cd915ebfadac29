import { type TopicName, topics } from '../../../../schemas/topics.ts'
import { FETCH_MAX_BYTES, type FetchedPartition } from '../client/protocol/fetch.ts'
import type { LogReader } from './reader.ts'

/** Records are counted in ranges of this many offsets; the count of a complete range is remembered. */
const RANGE_OFFSETS = 4_096
/** How long the count of a range of a compacted topic is used: compaction removes records from it. */
const COMPACTED_MAX_AGE_MS = 10_000
/** Ranges of all partitions together. */
const REMEMBERED_RANGES_MAX = 500_000

/**
 * Counts records by reading them, because Kafka knows only offsets, and transaction markers and compaction leave gaps in those. A
 * later count of the same partition reads only records that have come since.
 */
export function createCounter({ reader, now }: { reader: LogReader; now: () => number }) {
  const remembered = new Map<string, { records: number; at: number }>()

  function recall(topic: TopicName, key: string): number | null {
    const known = remembered.get(key)
    if (!known) return null
    return topics[topic].kind === 'retained' || now() - known.at <= COMPACTED_MAX_AGE_MS ? known.records : null
  }

  function remember(key: string, records: number): void {
    if (remembered.size >= REMEMBERED_RANGES_MAX) remembered.delete(remembered.keys().next().value!)
    remembered.set(key, { records, at: now() })
  }

  /** Counts the records of one response in [from, end), and remembers its complete ranges. `reached` is the offset where it ends. */
  async function countOnce(topic: TopicName, partition: number, from: number, end: number, deadline: number) {
    const fetched = await reader.fetch({ topic, partition, from, maxBytes: FETCH_MAX_BYTES }, deadline)
    const reached = Math.min(fetched?.next ?? end, end)
    const counts = new Map<number, number>()
    for (let range = rangeOf(from); range * RANGE_OFFSETS < reached; range++) counts.set(range, 0)
    if (fetched) addRecords(counts, fetched, from, end)
    let records = 0
    for (const [range, count] of counts) {
      records += count
      const isWhole = range * RANGE_OFFSETS >= from && (range + 1) * RANGE_OFFSETS <= reached
      if (isWhole) remember(`${topic}/${partition}/${range}`, count)
    }
    return { records, reached }
  }

  return {
    /** Records in [from, to). @param deadline returns the deadline of the next request: one count may need many. */
    async count(topic: TopicName, partition: number, from: number, to: number, deadline: () => number) {
      const bounds = (await reader.bounds(topic, deadline())).find((each) => each.partition === partition)!
      const end = Math.min(to, bounds.end)
      let total = 0
      for (let at = Math.max(from, bounds.start); at < end; ) {
        const rangeEnd = (rangeOf(at) + 1) * RANGE_OFFSETS
        const isWhole = at % RANGE_OFFSETS === 0 && rangeEnd <= end
        const known = isWhole ? recall(topic, `${topic}/${partition}/${rangeOf(at)}`) : null
        const counted =
          known === null
            ? await countOnce(topic, partition, at, end, deadline())
            : { records: known, reached: rangeEnd }
        total += counted.records
        at = counted.reached
      }
      return total
    },
  }
}

const rangeOf = (offset: number) => Math.floor(offset / RANGE_OFFSETS)

function addRecords(counts: Map<number, number>, { batches }: FetchedPartition, from: number, end: number): void {
  const add = (range: number, records: number) => counts.set(range, (counts.get(range) ?? 0) + records)
  for (const batch of batches) {
    const { firstOffset, lastOffset, records } = batch
    const isInOneRange = firstOffset >= from && lastOffset < end && rangeOf(firstOffset) === rangeOf(lastOffset)
    if (isInOneRange) add(rangeOf(firstOffset), records)
    else for (const { offset } of batch.decode()) if (offset >= from && offset < end) add(rangeOf(offset), 1)
  }
}

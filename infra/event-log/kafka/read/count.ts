import { type TopicName, topics } from '../../../../schemas/topics.ts'
import type { BatchView } from '../client/record-batch.ts'
import { FETCH_MAX_BYTES, type Fetched } from './fetch.ts'
import type { Reader } from './reader.ts'

/** Records are counted by stretches of so many offsets; what a stretch holds is remembered. */
const STRETCH_OFFSETS = 4_096
/** Compaction takes records out of a stretch: what was counted holds for this long. */
const COMPACTED_MAX_AGE_MS = 10_000
/** Stretches that are remembered, of all partitions together. */
const REMEMBERED_MAX = 500_000

/**
 * Counts records. Kafka knows offsets only, and markers of transactions and compaction leave gaps in them: so the records
 * are read once, and a later count of the same partition reads only what has come since.
 */
export function createCounter({ reader, now }: { reader: Reader; now: () => number }) {
  const remembered = new Map<string, { records: number; at: number }>()

  function recall(topic: TopicName, key: string): number | null {
    const known = remembered.get(key)
    if (!known) return null
    return topics[topic].kind === 'retained' || now() - known.at <= COMPACTED_MAX_AGE_MS ? known.records : null
  }

  function remember(key: string, records: number): void {
    if (remembered.size >= REMEMBERED_MAX) remembered.delete(remembered.keys().next().value!)
    remembered.set(key, { records, at: now() })
  }

  return {
    /** Records in [from, to). @param until gives each question its time. */
    async count(topic: TopicName, partition: number, from: number, to: number, until: () => number): Promise<number> {
      const bounds = (await reader.bounds(topic, until())).find((each) => each.partition === partition)!
      const first = Math.max(from, bounds.start)
      const end = Math.min(to, bounds.end)
      let total = 0
      for (let at = first; at < end; ) {
        const stretch = Math.floor(at / STRETCH_OFFSETS)
        const stretchEnd = (stretch + 1) * STRETCH_OFFSETS
        const isWhole = at === stretch * STRETCH_OFFSETS && stretchEnd <= end
        const known = isWhole ? recall(topic, `${topic}/${partition}/${stretch}`) : null
        if (known === null) {
          // Reads on over the stretches behind it: an answer of the broker holds many.
          const counted = await countFrom(topic, partition, at, end, until())
          for (const [number, records] of counted.byStretch) {
            total += records
            const isComplete = number * STRETCH_OFFSETS >= at && (number + 1) * STRETCH_OFFSETS <= counted.reached
            if (isComplete) remember(`${topic}/${partition}/${number}`, records)
          }
          at = counted.reached
        } else {
          total += known
          at = stretchEnd
        }
      }
      return total
    },
  }

  /** What one answer holds from an offset on, by stretch, and how far that is. */
  async function countFrom(topic: TopicName, partition: number, from: number, end: number, until: number) {
    const byStretch = new Map<number, number>()
    const answer = await reader.fetch({ topic, partition, from, maxBytes: FETCH_MAX_BYTES }, until)
    const reached = Math.min(answer?.next ?? end, end)
    for (let number = Math.floor(from / STRETCH_OFFSETS); number * STRETCH_OFFSETS < reached; number++) {
      byStretch.set(number, 0)
    }
    if (answer) addRecords(byStretch, answer, from, end)
    return { byStretch, reached }
  }
}

function addRecords(byStretch: Map<number, number>, { batches }: Fetched, from: number, end: number): void {
  for (const batch of batches) {
    const stretch = Math.floor(batch.firstOffset / STRETCH_OFFSETS)
    const isInside = batch.firstOffset >= from && batch.lastOffset < end
    if (isInside && Math.floor(batch.lastOffset / STRETCH_OFFSETS) === stretch) add(byStretch, stretch, batch.records)
    else addEach(byStretch, batch, from, end)
  }
}

function addEach(byStretch: Map<number, number>, batch: BatchView, from: number, end: number): void {
  for (const { offset } of batch.decode()) {
    if (offset >= from && offset < end) add(byStretch, Math.floor(offset / STRETCH_OFFSETS), 1)
  }
}

function add(byStretch: Map<number, number>, stretch: number, records: number): void {
  byStretch.set(stretch, (byStretch.get(stretch) ?? 0) + records)
}

import type { TopicName } from '../../../../schemas/topics.ts'
import { type LogRecord, LogUnavailable, type Tail } from '../../port.ts'
import type { Link } from '../client/link.ts'
import type { KafkaNames } from '../names.ts'
import { createFetcher } from './fetcher.ts'
import type { Reader } from './reader.ts'

const TAIL_BATCH_RECORDS = 1_000
/** A tail wakes as soon as there is something; this only bounds how long it sleeps. */
const TAIL_WAIT_MS = 60_000

export interface TailOptions {
  /** Of this tail alone: its fetches wait long. */
  link: Link
  names: KafkaNames
  reader: Reader
  topic: TopicName
  onBatch: (records: LogRecord[]) => void | Promise<void>
  timeoutMs: number
}

/**
 * Follows a topic without a group. It has caught up when it has read to where the topic ended at the call, past the
 * transactions also that were under way then: one that was acknowledged may be among them. An `onBatch` that throws before the tail
 * has caught up rejects; later it is fatal.
 */
export async function openTail({ link, names, reader, topic, onBatch, timeoutMs }: TailOptions): Promise<Tail> {
  const until = performance.now() + timeoutMs
  const [bounds, ends] = await Promise.all([reader.bounds(topic, until), reader.ends(topic, until)])
  const fetcher = createFetcher({ link, names, reader })
  for (const { partition, start } of bounds) fetcher.follow(topic, partition, start)
  let closed = false

  async function step(): Promise<boolean> {
    const batch = fetcher.take(TAIL_BATCH_RECORDS)
    if (batch && !closed) await onBatch(batch.records)
    return batch !== null
  }

  const isBehind = () => bounds.some(({ partition }) => fetcher.position(topic, partition) < ends.get(partition)!)

  async function catchUp(): Promise<void> {
    while (!closed && isBehind()) {
      if (await step()) continue
      const failure = fetcher.failure()
      if (failure && performance.now() - failure.since > timeoutMs) {
        throw new LogUnavailable(`Kafka is not available: ${failure.error.message}`)
      }
      await fetcher.arrival(timeoutMs)
    }
  }

  async function follow(): Promise<void> {
    while (!closed) if (!(await step())) await fetcher.arrival(TAIL_WAIT_MS)
  }

  async function close(): Promise<void> {
    if (closed) return
    closed = true
    fetcher.close()
    await link.close()
  }

  try {
    await catchUp()
  } catch (error) {
    await close()
    throw error
  }
  follow().catch((error: Error) => {
    if (!closed) throw error
  })
  return { close }
}

import type { TopicName } from '../../../../schemas/topics.ts'
import type { LogRecord, PartitionOffset, Tail } from '../../port.ts'
import { unavailable } from '../client/broker-client.ts'
import { createFetcher, type FetcherOptions } from './fetcher.ts'

const TAIL_BATCH_RECORDS = 1_000
/** A tail wakes as soon as records arrive; this only bounds how long it sleeps. */
const TAIL_WAIT_MS = 60_000

/** `client` is for this tail alone, because its fetches wait long. */
export interface TailOptions extends FetcherOptions {
  topic: TopicName
  onBatch: (records: LogRecord[]) => void | Promise<void>
  from: readonly PartitionOffset[]
  timeoutMs: number
}

/**
 * Follows a topic outside any group. It has caught up once it has read to the end that the topic had at the call, including
 * transactions that were undecided then, because one of them may have been acknowledged. If `onBatch` throws before the tail
 * has caught up, the call rejects; later that is fatal.
 */
export async function openTail({ topic, onBatch, from, timeoutMs, ...options }: TailOptions): Promise<Tail> {
  const { client, reader } = options
  const deadline = performance.now() + timeoutMs
  const [bounds, ends] = await Promise.all([reader.bounds(topic, deadline), reader.ends(topic, deadline)])
  const fetcher = createFetcher(options)
  for (const { partition, start } of bounds) {
    const wanted = from.find((each) => each.partition === partition)?.offset ?? start
    fetcher.add(topic, partition, Math.max(start, wanted))
  }
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
      if (failure && performance.now() - failure.since > timeoutMs) throw unavailable(failure.error)
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
    await client.close()
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

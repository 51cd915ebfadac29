import { afterEach, beforeEach } from 'vitest'
import type { Batch, EventLog, LogConsumer, LogRecord, NewRecord } from '../../../infra/event-log/port.ts'
import type { TopicName } from '../../../schemas/topics.ts'

/** One empty log for one test. */
export interface EventLogHost {
  /** Another client, as in another thread or process. */
  connect(): Promise<EventLog>
  /** Ends the log and its clients without a proper close, and starts the log again on what is stored. */
  crash(): Promise<void>
  destroy(): Promise<void>
}

/** An empty log for each test, with a client. */
export interface LogWorld {
  readonly host: EventLogHost
  readonly log: EventLog
  /** Replaces a client that was closed or has crashed. */
  reconnect(): Promise<void>
}

export function openLogWorld(create: () => Promise<EventLogHost>): LogWorld {
  let host: EventLogHost
  let log: EventLog
  beforeEach(async () => {
    host = await create()
    log = await host.connect()
  })
  afterEach(() => host.destroy())
  return {
    get host() {
      return host
    },
    get log() {
      return log
    },
    async reconnect() {
      log = await host.connect()
    },
  }
}

export const POLL = { maxRecords: 100, maxWaitMs: 2_000 }
/** An implementation may need several polls before it returns records. After this many empty polls, there are none. */
export const EMPTY_POLLS_MAX = 5
export const QUIET_MS = 500

export const record = (topic: TopicName, key: string | null, value: string | null): NewRecord => ({
  topic,
  key,
  value: value === null ? null : Buffer.from(value),
})
export const view = (key: string, value: string) => record('page-views', key, value)
export const texts = (records: LogRecord[]) => records.map(({ value }) => value?.toString() ?? null)

export async function consume(consumer: LogConsumer, count: number): Promise<LogRecord[]> {
  const records: LogRecord[] = []
  for (let empty = 0; records.length < count && empty < EMPTY_POLLS_MAX; ) {
    const batch = await consumer.poll(POLL)
    if (batch) records.push(...batch.records)
    else empty += 1
  }
  return records
}

export async function firstBatch(consumer: LogConsumer): Promise<Batch> {
  for (let empty = 0; empty < EMPTY_POLLS_MAX; empty++) {
    const batch = await consumer.poll(POLL)
    if (batch) return batch
  }
  throw new Error('nothing to poll')
}

export async function readAll(log: EventLog, topic: TopicName): Promise<LogRecord[]> {
  const records: LogRecord[] = []
  for (const { partition, start } of await log.bounds(topic)) {
    let from = start
    for (;;) {
      const some = await log.read(topic, partition, from, 1_000)
      if (some.length === 0) break
      records.push(...some)
      from = some.at(-1)!.offset + 1
    }
  }
  return records
}

/** Everything that a consumer returns until two polls in a row are empty. Only polls as a member of the group count as empty. */
export async function consumeUntilQuiet(consumer: LogConsumer): Promise<LogRecord[]> {
  return (await batchesUntilQuiet(consumer)).flatMap(({ records }) => records)
}

export async function batchesUntilQuiet(consumer: LogConsumer): Promise<Batch[]> {
  const batches: Batch[] = []
  for (let empty = 0; empty < 2; ) {
    const batch = await consumer.poll({ maxRecords: 100, maxWaitMs: QUIET_MS })
    if (batch) batches.push(batch)
    empty = batch || !consumer.isMember() ? 0 : empty + 1
  }
  return batches
}

import type { MessagePort } from 'node:worker_threads'
import { connect, type Remote } from '../../threads/calls.ts'
import { type Served, soleClient, startWorker } from '../../threads/worker.ts'
import { type EventLog, type ExclusiveWriter, Fenced, LogUnavailable, Revoked } from '../port.ts'
import { checkedBytes } from '../record-check.ts'
import { createAppender, pack, positionsOf } from './append.ts'
import { openConsumer, openTail } from './consumer.ts'
import { unpackRecords } from './frame.ts'

const DEFAULT_HOUSEKEEPING_MS = 5_000

export interface EmbeddedEventLogOptions {
  folder: string
  /** Pause between two rounds of compaction and retention. Default: 5 s. */
  housekeepingMs?: number
}

/**
 * Starts the thread that holds the log of a folder, in one SQLite file.
 * @throws when another process, or another log of this process, has the folder open.
 */
export function startEmbeddedEventLog(options: EmbeddedEventLogOptions): Promise<Served> {
  return startWorker('log', new URL('./worker.ts', import.meta.url), {
    housekeepingMs: DEFAULT_HOUSEKEEPING_MS,
    ...options,
  })
}

/**
 * The log behind a message port of `startEmbeddedEventLog`, for any thread.
 * @param gatherMs appends that come within this time of the last message to the worker wait until it has passed, to share an fsync.
 */
export function eventLogClient(port: MessagePort, { gatherMs = 0 } = {}): EventLog {
  const closedError = () => new LogUnavailable('The log has been closed')
  const worker = connect(port, { LogUnavailable, Fenced, Revoked, RangeError }, closedError)
  let closed = false
  const remote: Remote = {
    call: (...args) => (closed ? Promise.reject(closedError()) : worker.call(...args)),
    close: () => worker.close(),
  }
  const appender = createAppender(remote, gatherMs)

  return {
    append: appender.append,
    consumer: ({ group, topics }) => openConsumer(remote, group, topics),
    tail: (topic, onBatch, from) => openTail(remote, topic, onBatch, from),
    exclusiveWriter: (name) => openExclusiveWriter(remote, name),
    bounds: (topic) => remote.call('bounds', [topic]),
    // A commit is one step of the worker.
    settled: async () => {},
    count: (topic, partition, from, to) => remote.call('count', [topic, partition, from, to]),
    async read(topic, partition, from, max) {
      return unpackRecords(await remote.call('read', [topic, partition, from, max]), topic, partition)
    },
    async replace(topic, partition, records) {
      checkedBytes(records.map((record) => ({ ...record, topic })))
      await remote.call('replace', [topic, partition, records])
      return true
    },
    committed: (group) => remote.call('committed', [group]),
    reset: (group, commits) => remote.call('reset', [group, commits]),
    async close() {
      if (closed) return
      appender.flush()
      closed = true
      // The worker answers in order: when this call is answered, every earlier one has been.
      await worker.call('disconnect', []).catch(() => {})
      worker.close()
    },
  }
}

async function openExclusiveWriter(remote: Remote, name: string): Promise<ExclusiveWriter> {
  const epoch = await remote.call<number>('openWriter', [name])
  return {
    async append(records) {
      const frame = pack(records)
      return positionsOf(records, await remote.call('appendAs', [name, epoch, frame], [frame.buffer]))
    },
    async close() {},
  }
}

/** The log of a folder for a single client; closing it stops the thread. */
export async function openEmbeddedEventLog(options: EmbeddedEventLogOptions): Promise<EventLog> {
  const served = await startEmbeddedEventLog(options)
  return soleClient(served, eventLogClient(served.connect()))
}

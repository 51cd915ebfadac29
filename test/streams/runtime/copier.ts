import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog, LogRecord, NewRecord } from '../../../infra/event-log/port.ts'
import type { PageView } from '../../../schemas/records/events.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { decode, encode } from '../../../schemas/wire/codec.ts'
import { createStream, type StreamOptions, type StreamStep } from '../../../streams/runtime/pipeline/pipeline.ts'
import type { Stream } from '../../../streams/runtime/stream.ts'
import { samples } from '../../schemas/samples.ts'

export const NOW = 1_790_000_000_000
export const silent = { info() {}, warn() {}, error() {} }

export const view = (id: string): NewRecord => ({
  topic: 'page-views',
  key: id,
  value: encode('PageView', { ...samples.PageView, id }),
})

/** Copies each page view's id into `feed-issues`, which has one partition. */
export const copy: StreamStep = async ({ records }) => ({
  outputs: records.map(({ value }) => ({
    topic: 'feed-issues',
    key: 'k',
    value: encode('FeedIssue', { ...samples.FeedIssue, message: (value as PageView).id }),
  })),
})

export const messages = (records: LogRecord[]) => records.map(({ value }) => decode('FeedIssue', value!).message)
export const ids = (count: number) => Array.from({ length: count }, (_, n) => `view ${n}`)

/** Each test of a file has a log of its own, and streams that end with it. */
export function copiersWorld() {
  const world = {} as { log: EventLog }
  let folder: string
  let streams: Stream[]

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pipeline-'))
    world.log = await openEmbeddedEventLog({ folder })
    streams = []
  })
  afterEach(async () => {
    await Promise.all(streams.map((stream) => stream.stop()))
    await world.log.close()
    await rm(folder, { recursive: true })
  })

  function start(step: StreamStep, options: Partial<StreamOptions> = {}): Stream {
    const stream = createStream({
      name: 'copier',
      topics: ['page-views'],
      log: world.log,
      step,
      batchMaxRecords: 7,
      lookAgainMs: 5_000,
      now: () => NOW,
      logger: silent,
      retry: { firstMs: 1, maxMs: 4 },
      ...options,
    })
    streams.push(stream)
    void stream.run()
    return stream
  }

  /** The first `count` records of a topic with one partition, once they are there. */
  async function readOnceThere(topic: TopicName, count: number): Promise<LogRecord[]> {
    for (;;) {
      const records = await world.log.read(topic, 0, 0, count)
      if (records.length === count) return records
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  return { world, start, readOnceThere }
}

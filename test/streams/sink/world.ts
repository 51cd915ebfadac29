import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog, NewRecord } from '../../../infra/event-log/port.ts'
import { encodeOffsetMetadata, SINK_GROUP } from '../../../streams/sink/offset-metadata.ts'
import { storedTopics, tablesOf } from '../../../streams/sink/rows.ts'
import { createSink, type SinkOptions } from '../../../streams/sink/sink.ts'
import { pageView, T0 } from '../attribution/events.ts'
import { bytesOf, type Happening, keyOf } from '../attribution/happenings.ts'

const silent = { info() {}, warn() {}, error() {} }
/** Records are stored once they are this old, however few they are. */
export const AGE_MS = 2_000
export const RETRY = { firstMs: 1, maxMs: 10 }
export const gather = () => delay(5)
const tables = Object.values(tablesOf).flatMap((each) => each.map(({ table }) => table))

export const record = (happening: Happening): NewRecord => ({
  topic: happening.topic,
  key: keyOf(happening),
  value: bytesOf(happening),
})
export const view = (id: string, cid = 'a'): Happening => ({
  topic: 'page-views',
  value: pageView({ id, cid, uid: null, at: T0 }),
})

/** An empty log and empty tables for each test, and a clock. */
export interface World {
  log: EventLog
  analytics: Analytics
  /** A new one for each log, because each log starts at offset 0 again, as after a rebuild. */
  epoch: number
  time: number
}

/** One store for all tests of a file. */
export function openWorld(openStore: () => Promise<Analytics>) {
  const world = { epoch: 0 } as World
  let folder: string

  async function begin(): Promise<void> {
    world.epoch += 1
    world.time = T0
    for (const table of tables) await world.analytics.command(`TRUNCATE TABLE ${table}`)
    world.log = await openEmbeddedEventLog({ folder: join(folder, `log${world.epoch}`) })
    const commits = storedTopics.map(async (topic) =>
      (await world.log.bounds(topic)).map(({ partition, start }) => {
        const metadata = encodeOffsetMetadata({ epoch: world.epoch, pendingLast: null })
        return { topic, partition, offset: start, metadata }
      }),
    )
    await world.log.reset(SINK_GROUP, (await Promise.all(commits)).flat())
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sink-'))
    world.analytics = await openStore()
  })
  beforeEach(async () => {
    await begin()
    return () => world.log.close()
  })
  afterAll(async () => {
    await world.analytics.close()
    await rm(folder, { recursive: true })
  })

  const query = <Row extends object>(sql: string) => world.analytics.query<Row>(sql)
  const sinkOf = (options: Partial<SinkOptions>) =>
    createSink({ log: world.log, analytics: world.analytics, now: () => world.time, logger: silent, ...options })
  return {
    world,
    sinkOf,
    query,
    countOf: async (table: string) => (await query<{ n: number }>(`SELECT count() AS n FROM ${table}`))[0]!.n,
    async beginAgain(): Promise<void> {
      await world.log.close()
      await begin()
    },
    /** Runs a sink while time passes, until it has committed everything. */
    async drain(through: Pick<Partial<SinkOptions>, 'log' | 'analytics' | 'store' | 'onStored'> = {}): Promise<void> {
      const sink = sinkOf({ ...through, retry: RETRY, gather })
      const ended = sink.run()
      while ((await sink.lag()).some(({ records }) => records > 0)) {
        world.time += AGE_MS
        await delay(20)
      }
      await sink.stop()
      await ended
    },
  }
}

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Analytics } from '../../infra/analytics/port.ts'
import { openEmbeddedCounters } from '../../infra/counters/embedded/counters.ts'
import type { Counters } from '../../infra/counters/port.ts'
import { openEmbeddedEventLog } from '../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import type { StreamLag } from '../../infra/metrics/metrics.ts'
import { openEmbeddedProductIndex } from '../../infra/product-index/embedded/product-index.ts'
import type { ProductIndex } from '../../infra/product-index/port.ts'
import { Snapshot } from '../../services/domain/snapshot.ts'
import { createShopSignals } from '../../streams/signals/shop-signals.ts'
import { startStreams } from '../../streams/start.ts'
import { openTemporaryAnalytics } from '../new-analytics.ts'
import { waitFor } from '../wait-for.ts'

const silent = { info() {}, warn() {}, error() {} }

let folder: string
let log: EventLog
let analytics: Analytics
let index: ProductIndex
let counters: Counters
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'streams-'))
  log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  analytics = await openTemporaryAnalytics()
  index = await openEmbeddedProductIndex({ folder: join(folder, 'index') })
  counters = await openEmbeddedCounters({ folder: join(folder, 'counters'), shards: 4 })
})
afterEach(async () => {
  await Promise.all([analytics.close(), index.close(), counters.close()])
  await log.close()
  rmSync(folder, { recursive: true })
})

it('tells the last known lag of every stream while the log does not say where it ends', async () => {
  let answered = Promise.resolve()
  const slowLog: EventLog = { ...log, bounds: (topic) => answered.then(() => log.bounds(topic)) }
  const snapshot = new Snapshot()
  const streams = await startStreams({
    ...{ log: slowLog, storedLog: slowLog, analytics, store: 'store', index, counters, snapshot },
    openShopSignals: () => ({ ...createShopSignals({ analytics, log, now: Date.now }), close() {} }),
    signalsIntervalMs: 60_000,
    isAlone: true,
    retentionDays: {},
    identifierDays: null,
    now: Date.now,
    runId: randomUUID,
    logger: silent,
  })
  const names = ['judge', 'indexer', 'signals']
  const told = async () => (await streams.lags()).filter(({ stream }) => names.includes(stream))
  const placesOf = (lags: StreamLag[]) => lags.map(({ stream, topic }) => `${stream} ${topic}`).sort()
  await waitFor(async () => new Set((await told()).map(({ stream }) => stream)).size === names.length)
  const before = await told()
  expect(before.every(({ staleMs }) => staleMs === 0)).toBe(true)

  const answers = Promise.withResolvers<void>()
  answered = answers.promise
  const meanwhile = await told()
  expect(placesOf(meanwhile)).toEqual(placesOf(before))
  for (const { topic, staleMs } of meanwhile) expect(staleMs > 0).toBe(topic !== null)

  answers.resolve()
  await waitFor(async () => (await told()).every(({ staleMs }) => staleMs === 0))
  await streams.stop()
})

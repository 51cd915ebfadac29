import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { type ErasingLog, withErasures } from '../../../infra/event-log/erasing-log.ts'
import { ATTRIBUTION_GROUP, attribute } from '../../../streams/attribution/attribution.ts'
import { findLookupLosses } from '../../../streams/attribution/lookup-losses.ts'
import { runToEnd } from '../../../streams/runtime/run-to-end.ts'
import { createSink } from '../../../streams/sink/sink.ts'
import { openNewAnalytics } from '../../new-analytics.ts'

export const silent = { info() {}, warn() {}, error() {} }

/** The clock runs ten times as fast, so that batches close early. */
export const now = () => Date.now() * 10

/** An embedded log and store, from which people are erased. */
export interface World {
  /** Holds the folders `log` and `analytics`. */
  folder: string
  log: ErasingLog
  analytics: Analytics
  /** Stores everything that the log has, and attributes it. */
  storeAll(): Promise<void>
  /** What is replaced in look-up tables is not lost. */
  expectNoLoss(): Promise<void>
  close(): Promise<void>
}

export async function openWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'erasure-'))
  const analytics = await openNewAnalytics({ folder: join(folder, 'analytics') })
  const log = withErasures(await openEmbeddedEventLog({ folder: join(folder, 'log') }), Date.now)
  return {
    folder,
    log,
    analytics,
    async storeAll() {
      await runToEnd(createSink({ log, analytics, now, logger: silent }))
      while ((await attribute({ log, analytics, runId: randomUUID })) !== null);
    },
    async expectNoLoss() {
      expect(await findLookupLosses(analytics, await log.committed(ATTRIBUTION_GROUP))).toEqual([])
    },
    async close() {
      await log.close()
      await analytics.close()
      await rm(folder, { recursive: true })
    },
  }
}

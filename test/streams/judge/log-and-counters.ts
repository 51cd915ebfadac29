import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { topics } from '../../../schemas/topics.ts'
import type { Snapshot } from '../../../services/domain/snapshot.ts'
import { createJudge } from '../../../streams/judge/judge.ts'
import { runToEnd } from '../../../streams/runtime/run-to-end.ts'
import { NOON } from './fixtures.ts'
import { type LossyCounters, lossyCounters } from './lossy-counters.ts'

export interface LogAndCounters {
  log: EventLog
  counters: LossyCounters
  /** Judges everything in the log. */
  judge(): Promise<void>
}

const silent = { info() {}, warn() {}, error() {} }

/** An embedded log, and counters that can lose what they hold. Both are empty before each test of the calling suite. */
export function emptyLogAndCounters(snapshot: Snapshot): LogAndCounters {
  let folder: string
  const its = {
    judge() {
      const { log, counters } = its
      return runToEnd(createJudge({ log, counters, snapshot, now: () => NOON, logger: silent }))
    },
  } as LogAndCounters
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'log-and-counters-'))
    its.log = await openEmbeddedEventLog({ folder })
    its.counters = lossyCounters(topics['ad-events'].partitions)
  })
  afterEach(async () => {
    await its.log.close()
    rmSync(folder, { recursive: true })
  })
  return its
}

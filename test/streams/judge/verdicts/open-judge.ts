import type { CounterKey } from '../../../../infra/counters/port.ts'
import type { NewRecord } from '../../../../infra/event-log/port.ts'
import type { AdEvent } from '../../../../schemas/records/events.ts'
import { decode } from '../../../../schemas/wire/codec.ts'
import type { Snapshot } from '../../../../services/domain/snapshot.ts'
import { createJudgeStep } from '../../../../streams/judge/judge.ts'
import { type RecountDeps, rebuildCounters } from '../../../../streams/judge/recount.ts'
import { NOON, recordsOf } from '../fixtures.ts'
import { lossyCounters } from '../lossy-counters.ts'

/** A judge of one partition, and its counters. @param log may hold entries of the registry. */
export function openJudge(log: RecountDeps['log'] = logOf([])) {
  const counters = lossyCounters()
  /** Early enough that no counter of the tests' day is forgotten yet. */
  const now = () => NOON
  return {
    /** Empties the counters. */
    async forget(): Promise<void> {
      await counters.clear()
      await counters.markComplete(0)
    },
    async judge(snapshot: Snapshot, events: readonly AdEvent[], firstOffset = 0) {
      const step = createJudgeStep({ log, counters, snapshot, now })
      const records = recordsOf(events, firstOffset)
      const lastOffset = firstOffset + events.length - 1
      const { outputs, dead } = await step({
        topic: 'ad-events',
        partition: 0,
        records,
        turn: async () => null,
        lastOffset,
      })
      return { judged: outputs!.map((output) => decode('JudgedEvent', output.value!)), outputs: outputs!, dead: dead! }
    },
    /** Counts everything again from what was judged. */
    recount: (snapshot: Snapshot, judged: readonly NewRecord[]) =>
      rebuildCounters({ log: logOf(judged), counters, snapshot, now }),
    read: (keys: CounterKey[]) => counters.read(keys),
  }
}

/** A log that has these judged events in one partition. */
function logOf(judged: readonly NewRecord[]): RecountDeps['log'] {
  return {
    settled: async () => {},
    bounds: async (topic) => [{ partition: 0, start: 0, end: topic === 'judged-events' ? judged.length : 0 }],
    committed: async () => [],
    read: async (_, partition, from, max) =>
      judged.slice(from, from + max).map((record, i) => ({ ...record, partition, offset: from + i, appendedAt: NOON })),
  }
}

import type { Counters, Step } from '../../infra/counters/port.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import { COUNTERS_COMPLETE_KEY } from '../../services/domain/money/counter-keys.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'
import { correctionsSourceOf, restoreCorrections } from './correction-steps.ts'
import { JUDGE_GROUP } from './judge.ts'
import { restoreCounters } from './recount.ts'
import { sourceOf } from './verdict.ts'

/** Marks the counters as complete for their readers: they hold everything that was judged. It may be applied again. */
export const markComplete: Step = {
  source: 'counters-keeper',
  offset: 0,
  once: null,
  limits: [{ name: 'WHOLE', key: COUNTERS_COMPLETE_KEY, add: 1, max: null, expiresAt: null }],
  now: 0,
}

/**
 * Finds counters that were emptied, replaced or restored from a backup, and counts again what they have lost. The judge notices
 * such a loss only when events arrive.
 * @returns periodic work, which every process of streams may do as often as it likes.
 */
export function createCountersRepair(deps: {
  log: Pick<EventLog, 'bounds' | 'read' | 'committed'>
  counters: Counters
  snapshot: Snapshot
}): () => Promise<boolean> {
  const { log, counters } = deps
  let partitions: number[] | null = null
  let seen: number[] | null = null

  return async function repair() {
    partitions ??= (await log.bounds('ad-events')).map(({ partition }) => partition)
    const sources = [...partitions.map(sourceOf), ...partitions.map(correctionsSourceOf)]
    let positions = await counters.positions(sources)
    const [whole] = await counters.read([COUNTERS_COMPLETE_KEY])
    if (whole === 0 || seen === null || positions.some((at, i) => at < seen![i]!)) {
      for (const { topic, partition, offset } of await log.committed(JUDGE_GROUP)) {
        if (topic !== 'ad-events') continue
        await restoreCounters(deps, partition, offset - 1)
        await restoreCorrections(deps, partition)
      }
      await counters.apply([markComplete])
      positions = await counters.positions(sources)
    }
    seen = positions
    return false
  }
}

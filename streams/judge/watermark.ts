import type { Counters } from '../../infra/counters/port.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import { uncommitted } from '../runtime/lag.ts'
import type { NextTurn } from '../runtime/periodic.ts'
import { JUDGE_GROUP } from './recount/judged-up-to.ts'

/** How long an event may be on its way into the log, unless the log is unavailable. */
const APPEND_MAX_MS = 5_000
/** After this long without an event, nothing that was shown before the last one is still in flight. */
const QUIET_AFTER_MS = 120_000
const QUIET_PAUSE_MS = 5_000

/**
 * The judge watermark: the time before which every received event has been judged. Selection reads it from the counters, and
 * holds money for an impression in flight until the watermark has passed it.
 * @returns periodic work that writes the watermark. Every process of streams may do it: the counters keep the latest.
 */
export function createJudgeWatermark(deps: {
  log: Pick<EventLog, 'bounds' | 'read' | 'committed'>
  counters: Pick<Counters, 'raiseWatermark'>
  /** UTC epoch milliseconds. */
  now: () => number
}): () => Promise<NextTurn> {
  const { log, counters, now } = deps
  let ends = ''
  let grownAt = Number.NEGATIVE_INFINITY

  /** When the log accepted the oldest record of a partition that is not judged yet; `at` when all are judged. */
  async function judgedUntil(partition: number, from: number, end: number, at: number): Promise<number> {
    if (from >= end) return at
    const [oldest] = await log.read('ad-events', partition, from, 1)
    return oldest ? Math.min(at, oldest.appendedAt) : at
  }

  return async function advance() {
    const at = now()
    const stretches = await uncommitted(log, 'ad-events', await log.committed(JUDGE_GROUP))
    const times = stretches.map(({ partition, from, end }) => judgedUntil(partition, from, end, at))
    const upTo = Math.min(...(await Promise.all(times))) - APPEND_MAX_MS
    await counters.raiseWatermark(upTo)
    const endsNow = stretches.map(({ end }) => end).join()
    if (endsNow !== ends) grownAt = at
    ends = endsNow
    return at - grownAt > QUIET_AFTER_MS ? { pauseMs: QUIET_PAUSE_MS } : false
  }
}

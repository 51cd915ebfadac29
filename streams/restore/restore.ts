import type { Analytics } from '../../infra/analytics/port.ts'
import { tablesWithRows } from '../../infra/analytics/queries/system/tables.ts'
import type { Counters } from '../../infra/counters/port.ts'
import { shardsOf } from '../../infra/counters/shards.ts'
import { epochOf } from '../../infra/event-log/epochs.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import type { LogEpoch } from '../../schemas/records/records.ts'
import { OperatorError } from '../../services/domain/errors.ts'
import { sourceOf } from '../judge/batch-counters.ts'
import { CORRECTIONS_GROUP } from '../judge/corrections.ts'
import { JUDGE_GROUP } from '../judge/recount/judged-up-to.ts'
import { renewReplayMarkers } from '../runtime/dead-letters.ts'
import { type JudgedTo, judgedTo, lastJudgedOffsets } from './judged-to.ts'
import { type CountCorrections, placeSpendCheckpoints } from './spend-checkpoints.ts'

/** Thrown when a projection is not empty: what it holds was made from another log. */
export class ProjectionNotEmpty extends OperatorError {
  override readonly name = 'ProjectionNotEmpty'
}

export interface RestoreDeps {
  /** What the log promises to a restore: `LogRestore` in `infra/event-log/kafka/epoch/restore.ts`. */
  restore: {
    readonly copy: EventLog
    begin(seen: number): Promise<{ epoch: number; log: EventLog }>
    finish(judgedTo: LogEpoch['judgedTo']): Promise<void>
  }
  counters: Counters
  analytics: Analytics
  /** Default: by the times of corrections and checkpoints. */
  countCorrections?: CountCorrections
  /** UTC epoch milliseconds. */
  now: () => number
}

export interface Restored {
  epoch: number
  judged: JudgedTo[]
  /** How many spend checkpoints were written again, to fit the copy. */
  spendCheckpoints: number
}

/**
 * Makes a copy of the log, whose records have other offsets than in the original, into a log to work on. It begins a new epoch. The
 * judge continues after the last event that has a verdict, and corrections at the end of their topic. Every other group starts from
 * the beginning and fills its empty projection. May be repeated after an interruption.
 * @throws ProjectionNotEmpty, and nothing was changed; Error when what was judged cannot be told.
 */
export async function restoreLog({
  restore,
  counters,
  analytics,
  countCorrections,
  now,
}: RestoreDeps): Promise<Restored> {
  await requireEmpty(counters, analytics)
  const lastJudged = await lastJudgedOffsets(restore.copy)
  const { epoch, log } = await restore.begin(epochOf(Math.max(0, ...lastJudged.values())))
  const judged = await judgedTo(log, now())
  const places = judged.map(({ partition, offset }) => ({ partition, offset, metadata: '' }))
  await log.reset(
    JUDGE_GROUP,
    places.map((place) => ({ topic: 'ad-events', ...place })),
  )
  // The stream of corrections has none left to apply: when judged events are counted again, refunds are restored too.
  const ends = (await log.bounds('corrections')).map(({ partition, end }) => ({ partition, offset: end, metadata: '' }))
  await log.reset(
    CORRECTIONS_GROUP,
    ends.map((place) => ({ topic: 'corrections', ...place })),
  )
  const spendCheckpoints = await placeSpendCheckpoints(log, epoch, lastJudged, countCorrections)
  await renewReplayMarkers(log, now)
  await restore.finish(judged.map(({ partition, offset }) => ({ partition, offset })))
  return { epoch, judged, spendCheckpoints }
}

/**
 * Refuses projections that are not empty. Counters would take events as judged whose verdicts were not copied, and tables would get
 * a second row of each record. A product index does no harm: what comes from now on is newer than what it holds.
 */
export async function requireEmpty(counters: Counters, analytics: Analytics): Promise<void> {
  const places = shardsOf(counters).map((shard) => ({ shard, source: sourceOf('ad-events', shard) }))
  if ((await counters.positions(places)).some((at) => at >= 0)) {
    throw new ProjectionNotEmpty('The counters belong to another log: empty them first')
  }
  const held = await tablesWithRows(analytics)
  if (held.length > 0) {
    throw new ProjectionNotEmpty(`The analytics store holds rows in ${held.join(', ')}: drop its database first`)
  }
}

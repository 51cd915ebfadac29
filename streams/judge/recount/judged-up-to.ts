import { readLogEpoch } from '../../../infra/event-log/log-epoch.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { lastJudgedOffsets } from '../../restore/judged-to.ts'
import type { StreamLogger } from '../../runtime/stream.ts'

/** The judge's consumer group. Its commits say what must have been counted. */
export const JUDGE_GROUP = 'judge'

type Log = Pick<EventLog, 'committed' | 'bounds' | 'read'>

/** The last offset of each partition of `ad-events` that the judge has committed. */
export async function judgedUpTo(log: Log): Promise<Map<number, number>> {
  const committed = await commitsOf(log)
  if (committed.length === 0) return judgedByVerdicts(log)
  return new Map(committed.map(({ partition, offset }) => [partition, offset - 1]))
}

/**
 * Makes the judge's commits again when Kafka has forgotten them, as it does some time after the last member has left the group
 * (`offsets.retention.minutes`). Otherwise everything in the log would be judged, and billed, a second time. Call it before joining.
 * @throws Error when the verdicts are on the events of another log.
 */
export async function restoreJudgeCommits(log: Log & Pick<EventLog, 'reset'>, logger: StreamLogger): Promise<void> {
  if ((await commitsOf(log)).length > 0) return
  const judged = await judgedByVerdicts(log)
  if (judged.size === 0) return
  for (const { partition, end } of await log.bounds('ad-events')) {
    const upTo = judged.get(partition) ?? -1
    if (upTo < end) continue
    throw new Error(
      `Verdicts name events of ad-events/${partition} up to offset ${upTo}, and it ends before ${end}: the log is a copy. Restore it by make restore-log`,
    )
  }
  logger.warn(
    { stream: JUDGE_GROUP },
    'the commits of the judge are gone from the log: it goes on after its last verdicts',
  )
  await log.reset(
    JUDGE_GROUP,
    Array.from(judged, ([partition, upTo]) => ({ topic: 'ad-events', partition, offset: upTo + 1, metadata: '' })),
  )
}

const commitsOf = async (log: Log) => (await log.committed(JUDGE_GROUP)).filter(({ topic }) => topic === 'ad-events')

/**
 * What the verdicts say of the judge's commits, with which they were stored. What follows the last verdict of a partition has none.
 * Verdicts from before a restore of the log name other offsets, so the restore has noted how far it found each partition judged.
 */
async function judgedByVerdicts(log: Log): Promise<Map<number, number>> {
  const judged = await lastJudgedOffsets(log)
  if (judged.size === 0) return judged
  for (const { partition, offset } of (await readLogEpoch(log)).judgedTo) {
    judged.set(partition, Math.max(judged.get(partition) ?? -1, offset - 1))
  }
  return judged
}

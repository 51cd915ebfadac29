import { readLogEpoch } from '../../../infra/event-log/log-epoch.ts'
import type { Commit, EventLog, PartitionBounds } from '../../../infra/event-log/port.ts'
import { lastJudgedOffsets } from '../../restore/judged-to.ts'
import type { StreamLogger } from '../../runtime/stream.ts'

/** The judge's consumer group. Its commits say what must have been counted. */
export const JUDGE_GROUP = 'judge'

type Log = Pick<EventLog, 'committed' | 'bounds' | 'read'>

/** The last offset of each partition of `ad-events` that the judge has committed, or did before Kafka forgot it. */
export async function judgedUpTo(log: Log): Promise<Map<number, number>> {
  const { commits, forgotten } = await commitsOf(log)
  return new Map([...commits.map(({ partition, offset }) => [partition, offset - 1] as const), ...forgotten])
}

/**
 * Makes those of the judge's commits again that Kafka has forgotten, as it does some time after the last member has left the group
 * (`offsets.retention.minutes`). Otherwise everything in the log would be judged, and billed, a second time. Call it before joining.
 * @throws Error when the verdicts are on the events of another log.
 */
export async function restoreJudgeCommits(log: Log & Pick<EventLog, 'reset'>, logger: StreamLogger): Promise<void> {
  const { commits, forgotten, bounds } = await commitsOf(log)
  if (forgotten.size === 0) return
  for (const { partition, end } of bounds) {
    const upTo = forgotten.get(partition) ?? -1
    if (upTo < end) continue
    throw new Error(
      `Verdicts name events of ad-events/${partition} up to offset ${upTo}, and it ends before ${end}: the log is a copy. Restore it by make restore-log`,
    )
  }
  logger.warn(
    { stream: JUDGE_GROUP, partitions: [...forgotten.keys()] },
    'commits of the judge are gone from the log: it goes on after its last verdicts',
  )
  const made = Array.from(forgotten, ([partition, upTo]) => {
    return { topic: 'ad-events' as const, partition, offset: upTo + 1, metadata: '' }
  })
  await log.reset(JUDGE_GROUP, [...commits, ...made])
}

/** The judge's commits, and the last offset that it judged of each partition whose commit is forgotten. */
async function commitsOf(log: Log): Promise<{
  commits: Commit[]
  forgotten: Map<number, number>
  bounds: PartitionBounds[]
}> {
  const [committed, bounds] = await Promise.all([log.committed(JUDGE_GROUP), log.bounds('ad-events')])
  const commits = committed.filter(({ topic }) => topic === 'ad-events')
  const lacking = bounds.filter(({ partition }) => !commits.some((commit) => commit.partition === partition))
  const isEmpty = lacking.every(({ start, end }) => start === end)
  if (isEmpty) return { commits, forgotten: new Map(), bounds }
  const judged = await judgedByVerdicts(log)
  const forgotten = lacking.flatMap(({ partition }) => {
    const upTo = judged.get(partition)
    return upTo === undefined ? [] : [[partition, upTo] as const]
  })
  return { commits, forgotten: new Map(forgotten), bounds }
}

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

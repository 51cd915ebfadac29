import type { Commit, EventLog } from '../../infra/event-log/port.ts'
import type { TopicName } from '../../schemas/topics.ts'

export interface TopicLag {
  topic: TopicName
  partition: number
  /** Records that the group has not committed. */
  records: number
  /** Age of the oldest of them; 0 when there is none. */
  ageMs: number
}

/** How far a group is behind, for each partition of some topics. */
export async function topicLag(
  log: EventLog,
  group: string,
  topics: readonly TopicName[],
  now: () => number,
): Promise<TopicLag[]> {
  const commits = await log.committed(group)
  const lags = topics.map(async (topic) => {
    const stretches = await uncommitted(log, topic, commits)
    return Promise.all(
      stretches.map(async ({ partition, from, end }) => {
        const records = await log.count(topic, partition, from, end)
        const [oldest] = records > 0 ? await log.read(topic, partition, from, 1) : []
        return { topic, partition, records, ageMs: oldest ? Math.max(0, now() - oldest.appendedAt) : 0 }
      }),
    )
  })
  return (await Promise.all(lags)).flat()
}

/** Offsets [from, end) of each partition of a topic that a group with these commits has not committed. */
export async function uncommitted(
  log: Pick<EventLog, 'bounds'>,
  topic: TopicName,
  commits: readonly Commit[],
): Promise<{ partition: number; from: number; end: number }[]> {
  return (await log.bounds(topic)).map(({ partition, start, end }) => {
    const commit = commits.find((each) => each.topic === topic && each.partition === partition)
    return { partition, from: Math.max(commit?.offset ?? start, start), end }
  })
}

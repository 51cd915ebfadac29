import { type TopicName, topicNames, topics, unitOf } from '../../schemas/topics.ts'
import { OperatorError } from '../../services/domain/errors.ts'

export type TopicPartitions = ReadonlyMap<TopicName, number>

/** The topics that get more partitions, with how many they then have. */
export type Growth = ReadonlyMap<TopicName, number>

/** Thrown when partitions cannot be added. The message gives the reason to a person. */
export class RepartitionRefused extends OperatorError {
  override readonly name = 'RepartitionRefused'
}

/**
 * The topics that have to grow. Each partition is split into the same number of parts, so that a campaign either stays where it is or
 * moves to a partition that was empty.
 * @throws RepartitionRefused
 */
export function growthOf(present: TopicPartitions, wanted: TopicPartitions): Growth {
  const growth = new Map<TopicName, number>()
  for (const [topic, to] of wanted) {
    const unit = unitOf(topic)
    const from = Math.min(...unit.map((each) => present.get(each)!))
    if (to === present.get(topic)) continue
    if (topics[topic].kind === 'compacted' && unit.length === 1) {
      throw new RepartitionRefused(
        `${topic} must keep its ${from} partitions, because all values of a key must be in one partition. Use ` +
          'KAFKA_TOPIC_PARTITIONS to name only the topics that are to grow',
      )
    }
    if (to < present.get(topic)!) {
      throw new RepartitionRefused(`${topic} has ${present.get(topic)} partitions, and cannot have fewer (${to})`)
    }
    if (to % from !== 0) {
      throw new RepartitionRefused(
        `${topic} has ${from} partitions: the new number must be a multiple of that, not ${to}`,
      )
    }
    growth.set(topic, to)
  }
  return growth
}

/** The partitions asked for of each topic, as at a start. Where none are asked for: as many as the largest topic of its unit has. */
export function wantedCounts(
  present: TopicPartitions,
  asked: { partitions: number | null; topicPartitions: Readonly<Partial<Record<TopicName, number>>> },
): TopicPartitions {
  return new Map(
    topicNames.map((topic) => {
      const most = Math.max(...unitOf(topic).map((each) => present.get(each)!))
      const common = topics[topic].partitions === 1 ? null : asked.partitions
      return [topic, asked.topicPartitions[topic] ?? common ?? most]
    }),
  )
}

import { KAFKA_PARTITIONS, type TopicName, topicNames, topics, unitOf } from '../../../schemas/topics.ts'

/** What the operator asks for. A topic that exists and that these options do not concern keeps its number of partitions. */
export interface PartitionOptions {
  /** For every topic that may have more than one partition. */
  partitions?: number
  /** For single topics, in place of `partitions`. It names either all topics of a unit or none. */
  topicPartitions?: TopicNumbers
}

export type TopicNumbers = Readonly<Partial<Record<TopicName, number>>>
export type PartitionCounts = ReadonlyMap<TopicName, number>

/** The number of partitions to create a missing topic with, given those of the existing topics. */
export function partitionsToMake(topic: TopicName, existing: PartitionCounts, options: PartitionOptions): number {
  const alike = unitOf(topic).flatMap((each) => existing.get(each) ?? [])
  return required(topic, options)?.partitions ?? alike[0] ?? KAFKA_PARTITIONS
}

/** Why the topics cannot be used as they are, in words for the operator; null when they can. */
export function partitionProblem(
  found: PartitionCounts,
  nameOf: (topic: TopicName) => string,
  options: PartitionOptions,
) {
  for (const topic of topicNames) {
    const count = found.get(topic)!
    const must = required(topic, options)
    if (must && must.partitions !== count) {
      return `The topic ${nameOf(topic)} has ${count} partitions and ${must.by} ${must.partitions}: with another number its keys lie in other partitions. ${must.remedy}`
    }
    const other = unitOf(topic).find((each) => found.get(each) !== count)
    if (other) {
      return `The topics ${nameOf(topic)} and ${nameOf(other)} must have the same number of partitions, not ${count} and ${found.get(other)}: each partition of the one belongs to that of the other. If partitions were being added, complete it by make repartition; otherwise use another namespace, or make the one anew that holds nothing yet.`
    }
  }
  return null
}

interface Required {
  partitions: number
  /** "X asks for", as in "X asks for 12". */
  by: string
  remedy: string
}

function required(topic: TopicName, { partitions, topicPartitions }: PartitionOptions): Required | null {
  if (topics[topic].partitions === 1) {
    return { partitions: 1, by: 'must have', remedy: 'Use another namespace, or move its records to a new topic.' }
  }
  const remedy = 'Leave the setting out to go on with what there is, or add partitions by make repartition.'
  const single = topicPartitions?.[topic]
  if (single !== undefined) return { partitions: single, by: 'KAFKA_TOPIC_PARTITIONS asks for', remedy }
  return partitions === undefined ? null : { partitions, by: 'KAFKA_PARTITIONS asks for', remedy }
}

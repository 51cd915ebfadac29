import { type TopicName, topicNames } from '../../../schemas/topics.ts'

/** The full names of topics, groups and transactional ids, in a Kafka that others may share. */
export interface KafkaNames {
  topic(name: TopicName): string
  group(name: string): string
  /** The transactional id of an exclusive writer. */
  writer(name: string): string
  /** The transactional id for the commits of a group in a partition, which only one producer can use at a time. */
  committer(group: string, topic: TopicName, partition: number): string
  /** Null for a topic that is not Endcap's. */
  topicOf(fullName: string): TopicName | null
}

export function namesIn(namespace: string): KafkaNames {
  const topics = new Map(topicNames.map((name) => [`${namespace}.${name}`, name]))
  return {
    topic: (name) => `${namespace}.${name}`,
    group: (name) => `${namespace}.${name}`,
    writer: (name) => `${namespace}.writer.${name}`,
    committer: (group, topic, partition) => `${namespace}.commits.${group}.${topic}.${partition}`,
    topicOf: (fullName) => topics.get(fullName) ?? null,
  }
}

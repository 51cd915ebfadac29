import { type TopicName, topicNames } from '../../../schemas/topics.ts'

/** What our topics, groups and transactional ids are called in a Kafka that others may share. */
export interface KafkaNames {
  topic(name: TopicName): string
  group(name: string): string
  /** Whoever writes with it fences whoever wrote with it before. */
  writer(name: string): string
  /** Of the transactions that commit a group's place in a partition: one writer at a time for each. */
  committer(group: string, topic: TopicName, partition: number): string
  /** Null for a topic that is not ours. */
  topicOf(fullName: string): TopicName | null
}

export function namesIn(namespace: string): KafkaNames {
  const ours = new Map(topicNames.map((name) => [`${namespace}.${name}`, name]))
  return {
    topic: (name) => `${namespace}.${name}`,
    group: (name) => `${namespace}.${name}`,
    writer: (name) => `${namespace}.writer.${name}`,
    committer: (group, topic, partition) => `${namespace}.commits.${group}.${topic}.${partition}`,
    topicOf: (fullName) => ours.get(fullName) ?? null,
  }
}

import { DAY_MS } from '../../../schemas/durations.ts'
import { type TopicName, topicNames, topics, unitOf } from '../../../schemas/topics.ts'
import { numbersByName } from '../../settings.ts'
import type { TopicNumbers } from './partition-counts.ts'

const PARTITIONS_MAX = 1_000
const RETENTION_DAYS_MAX = 36_500

/** Reads `topic:partitions,…`. @returns the numbers of the named topics and of those that are partitioned alike. */
export function readTopicPartitions(setting: string, text: string, problems: string[]): TopicNumbers {
  const wanted = new Map<TopicName, number>()
  for (const { topic, number } of readEntries(setting, text, problems)) {
    const unit = unitOf(topic)
    const other = wanted.get(topic)
    if (topics[topic].partitions === 1)
      problems.push(`${setting}: ${topic} must have one partition, because it is one ordered history`)
    else if (number < 1 || number > PARTITIONS_MAX) {
      problems.push(`${setting}: ${topic} must have 1 to ${PARTITIONS_MAX} partitions, not ${number}`)
    } else if (other !== undefined && other !== number) {
      problems.push(
        `${setting}: ${unit.join(', ')} must have the same number of partitions, not ${other} and ${number}`,
      )
    } else for (const each of unit) wanted.set(each, number)
  }
  return Object.fromEntries(wanted)
}

/** Reads `topic:days,…`. @returns milliseconds. */
export function readTopicRetention(setting: string, text: string, problems: string[]): TopicNumbers {
  const wanted = new Map<TopicName, number>()
  for (const { topic, number: days } of readEntries(setting, text, problems)) {
    const { kind, retentionMinMs } = topics[topic]
    const daysMin = retentionMinMs / DAY_MS
    if (kind === 'compacted')
      problems.push(`${setting}: ${topic} cannot be named, because it keeps the latest value of each key for ever`)
    else if (days < daysMin || days > RETENTION_DAYS_MAX) {
      problems.push(`${setting}: ${topic} must be kept for ${daysMin} to ${RETENTION_DAYS_MAX} days, not ${days}`)
    } else if (wanted.has(topic)) problems.push(`${setting} names ${topic} twice`)
    else wanted.set(topic, days * DAY_MS)
  }
  return Object.fromEntries(wanted)
}

function readEntries(setting: string, text: string, problems: string[]): { topic: TopicName; number: number }[] {
  return numbersByName(setting, text, 'topic:number', problems).flatMap(({ name, number }) => {
    const topic = topicNames.find((each) => each === name)
    if (topic) return [{ topic, number }]
    problems.push(`${setting}: there is no topic ${name}, only ${topicNames.join(', ')}`)
    return []
  })
}

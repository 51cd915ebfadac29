import { expect, it } from 'vitest'
import { partitionProblem, partitionsToMake } from '../../../../infra/event-log/kafka/partition-counts.ts'
import { partitionedAlike, type TopicName, topicNames, topics } from '../../../../schemas/topics.ts'

const none = new Map<TopicName, number>()
const all = (count: number, others: Partial<Record<TopicName, number>> = {}) =>
  new Map(topicNames.map((name) => [name, others[name] ?? (topics[name].partitions === 1 ? 1 : count)]))
const nameOf = (topic: TopicName) => `endcap.${topic}`

it('a new installation has 12 partitions, and one of each ordered history', () => {
  const made = Object.fromEntries(topicNames.map((name) => [name, partitionsToMake(name, none, {})]))
  expect(made).toMatchObject({ 'ad-events': 12, products: 12, registry: 1, 'shop-traffic': 1 })
})

it('what the operator asks for a topic goes before what is asked for all of them', () => {
  const options = { partitions: 6, topicPartitions: { emissions: 24 } }
  expect(partitionsToMake('emissions', none, options)).toBe(24)
  expect(partitionsToMake('transactions', none, options)).toBe(6)
  expect(partitionsToMake('registry', none, options)).toBe(1)
})

it('a topic that comes to an old unit is cut as the unit is, whatever the default has become', () => {
  const existing = new Map<TopicName, number>([['ad-events', 4]])
  expect(partitionsToMake('corrections', existing, {})).toBe(4)
  expect(partitionsToMake('emissions', existing, {})).toBe(12)
})

it('topics keep the number that they have, unless the operator asks for another', () => {
  expect(partitionProblem(all(4, { emissions: 9 }), nameOf, {})).toBeNull()
  expect(partitionProblem(all(4), nameOf, { partitions: 4 })).toBeNull()
  expect(partitionProblem(all(4), nameOf, { partitions: 12 })).toMatch(
    /endcap\.products has 4 partitions and KAFKA_PARTITIONS asks for 12/,
  )
  expect(partitionProblem(all(4), nameOf, { topicPartitions: { emissions: 5 } })).toMatch(
    /endcap\.emissions has 4 partitions and KAFKA_TOPIC_PARTITIONS asks for 5/,
  )
})

it('an ordered history has one partition, whatever is asked for', () => {
  expect(partitionProblem(all(4, { registry: 2 }), nameOf, {})).toMatch(
    /endcap\.registry has 2 partitions and must have 1/,
  )
})

it('topics of a unit that differ are refused by name', () => {
  expect(partitionProblem(all(4, { 'judged-events': 12 }), nameOf, {})).toMatch(
    /endcap\.ad-events and endcap\.judged-events must have the same number of partitions, not 4 and 12/,
  )
})

it('the topics of a unit have the same number in an embedded log, and are in one unit only', () => {
  for (const unit of partitionedAlike) expect(new Set(unit.map((name) => topics[name].partitions)).size).toBe(1)
  const members = partitionedAlike.flat()
  expect(new Set(members).size).toBe(members.length)
})

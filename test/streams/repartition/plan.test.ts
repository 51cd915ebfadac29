import { expect, test } from 'vitest'
import { type TopicName, topicNames, topics } from '../../../schemas/topics.ts'
import { growthOf, wantedCounts } from '../../../streams/repartition/plan.ts'

const counts = (change: Partial<Record<TopicName, number>> = {}) =>
  new Map(topicNames.map((topic) => [topic, change[topic] ?? topics[topic].partitions]))
const growth = (asked: Partial<Record<TopicName, number>>, present = counts(), partitions: number | null = null) =>
  Object.fromEntries(growthOf(present, wantedCounts(present, { partitions, topicPartitions: asked })))

const UNIT = { 'ad-events': 12, 'judged-events': 12, corrections: 12, 'spend-checkpoints': 12 }

test('topics get what is asked for, and those that are not named keep what they have', () => {
  expect(growth({ ...UNIT, emissions: 8 })).toEqual({ ...UNIT, emissions: 8 })
  expect(growth({})).toEqual({})
})

test('a unit that grew in part is completed, with or without the setting', () => {
  const { 'ad-events': _, ...others } = UNIT
  expect(growth(UNIT, counts(others))).toEqual({ 'ad-events': 12 })
  expect(growth({}, counts({ 'spend-checkpoints': 12 }))).toEqual({
    'ad-events': 12,
    'judged-events': 12,
    corrections: 12,
  })
})

test.each<[string, Parameters<typeof growth>, RegExp]>([
  ['fewer partitions', [{ emissions: 2 }], /emissions has 4 partitions, and cannot have fewer/],
  ['a part of a split', [{ emissions: 6 }], /a multiple of that, not 6/],
  ['more for the latest values of keys', [{ products: 12 }], /products must keep its 4 partitions/],
  ['more for every topic', [{}, counts(), 12], /products must keep its 4 partitions.* KAFKA_TOPIC_PARTITIONS/],
])('%s are refused', (_, args, problem) => {
  expect(() => growth(...args)).toThrow(problem)
})

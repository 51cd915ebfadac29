import { describe, expect, it } from 'vitest'
import { readTopicPartitions, readTopicRetention } from '../../../../infra/event-log/kafka/topic-numbers.ts'

const DAY_MS = 86_400_000

const partitions = (text: string) => {
  const problems: string[] = []
  return { wanted: readTopicPartitions('KEY', text, problems), problems }
}
const retention = (text: string) => {
  const problems: string[] = []
  return { wanted: readTopicRetention('KEY', text, problems), problems }
}

describe('partitions by topic', () => {
  it('names single topics, and with one of a unit all of it', () => {
    expect(partitions('emissions:24, judged-events:8')).toEqual({
      wanted: { emissions: 24, 'ad-events': 8, 'judged-events': 8, corrections: 8, 'spend-checkpoints': 8 },
      problems: [],
    })
    expect(partitions('')).toEqual({ wanted: {}, problems: [] })
  })

  it.each([
    [
      'ad-events:8,corrections:9',
      'KEY: ad-events, judged-events, corrections, spend-checkpoints must have the same number of partitions, not 8 and 9',
    ],
    ['registry:4', 'KEY: registry must have one partition, because it is one ordered history'],
    ['emissions:0', 'KEY: emissions must have 1 to 1000 partitions, not 0'],
    ['emissions:1001', 'KEY: emissions must have 1 to 1000 partitions, not 1001'],
    ['emissions=4', 'KEY must be a list of topic:number, separated by commas, not "emissions=4"'],
  ])('refuses %s', (text, problem) => {
    expect(partitions(text).problems).toEqual([problem])
  })

  it('names the topics that there are', () => {
    expect(partitions('views:4').problems).toEqual([
      expect.stringMatching(/^KEY: there is no topic views, only registry, /),
    ])
  })
})

describe('retention by topic', () => {
  it('is longer or shorter than by default', () => {
    expect(retention('page-views:7,transactions:3650').wanted).toEqual({
      'page-views': 7 * DAY_MS,
      transactions: 3650 * DAY_MS,
    })
  })

  it.each([
    ['judged-events:38', 'KEY: judged-events must be kept for 39 to 36500 days, not 38'],
    ['page-views:0', 'KEY: page-views must be kept for 1 to 36500 days, not 0'],
    ['products:30', 'KEY: products cannot be named, because it keeps the latest value of each key for ever'],
    ['emissions:3,emissions:4', 'KEY names emissions twice'],
  ])('refuses %s', (text, problem) => {
    expect(retention(text).problems).toEqual([problem])
  })
})

import { expect, it } from 'vitest'
import type { Commit } from '../../../infra/event-log/port.ts'
import { advanced, newRanges } from '../../../streams/attribution/ranges.ts'

const commit = (topic: Commit['topic'], partition: number, offset: number): Commit => ({
  ...{ topic, partition, offset, metadata: '' },
})

it.each([1, 3, 8])(
  'a run takes as many offsets of a topic as it may, whatever its partitions, and each once: %i',
  (partitions) => {
    const stored = Array.from({ length: partitions }, (_, n) => commit('judged-events', n, 100 + n))
    const starts = stored.map(({ topic, partition }) => ({ topic, partition, offset: 10 }))
    const taken: number[] = []
    let done: Commit[] = []
    for (;;) {
      const ranges = newRanges(stored, done, { starts, runOffsets: 24 })
      if (ranges.length === 0) break
      taken.push(ranges.reduce((sum, { from, to }) => sum + to - from, 0))
      done = advanced(done, ranges)
    }
    expect(taken[0]).toBe(24)
    expect(Math.max(...taken)).toBe(24)
    expect(taken.reduce((sum, each) => sum + each)).toBe(stored.reduce((sum, { offset }) => sum + offset - 10, 0))
  },
)

it('a partition takes its share of a run even if the topic has more partitions than the run may take offsets', () => {
  const stored = Array.from({ length: 5 }, (_, n) => commit('judged-events', n, 10))
  const starts = stored.map(({ topic, partition }) => ({ topic, partition, offset: 0 }))
  expect(newRanges(stored, [], { starts, runOffsets: 2 }).map(({ from, to }) => to - from)).toEqual([1, 1, 1, 1, 1])
})

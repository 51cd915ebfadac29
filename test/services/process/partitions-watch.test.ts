import { expect, test } from 'vitest'
import { watchPartitions } from '../../../services/process/partitions-watch.ts'

test('a process is told once the log has more partitions than it knows, and not while the log is away', async () => {
  const answers: (number | null)[] = [4, null, 4, 12]
  const bounds = async () => {
    const count = answers.length > 1 ? answers.shift()! : answers[0]!
    if (count === null) throw new Error('away')
    return Array.from({ length: count }, (_, partition) => ({ partition, start: 0, end: 0 }))
  }
  const watch = watchPartitions({ log: { bounds }, partitions: 4, everyMs: 1 })
  expect((await watch.changed).message).toBe('ad-events has 12 partitions now; it had 4 when this process started')
  expect(answers).toEqual([12])
  watch.stop()
})

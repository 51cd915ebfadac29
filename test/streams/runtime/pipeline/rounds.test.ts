import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Assignment, Batch, LogRecord } from '../../../../infra/event-log/port.ts'
import { type FailedBatch, processInRounds, type ReadableBatch } from '../../../../streams/runtime/pipeline/rounds.ts'
import { tries } from '../../../effort.ts'

/** A member with partitions in memory. It polls them in turn, at most `batchMax` records at a time. */
function memberOf(sizes: readonly number[], batchMax: number) {
  const assignments = sizes.map((_, partition): Assignment => ({ topic: 'page-views', partition, committed: null }))
  const next = sizes.map(() => 0)
  let turn = 0
  return {
    poll(): Batch | null {
      for (let tried = 0; tried < sizes.length; tried++) {
        const partition = turn++ % sizes.length
        const from = next[partition]!
        const to = Math.min(from + batchMax, sizes[partition]!)
        if (from === to) continue
        next[partition] = to
        const records = Array.from({ length: to - from }, (_, i) => recordAt(partition, from + i))
        return { topic: 'page-views', partition, assignment: assignments[partition]!, records }
      }
      return null
    },
    seek({ partition }: Assignment, offset: number) {
      next[partition] = offset
    },
  }
}

const recordAt = (partition: number, offset: number): LogRecord => {
  return { topic: 'page-views', partition, offset, key: null, value: null, appendedAt: 0 }
}

it('rounds process each record once and in order, however polls, preparations, failures and commits of partitions interleave', async () => {
  const market = fc.record({
    sizes: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
    batchMax: fc.integer({ min: 1, max: 4 }),
    recordsMax: fc.integer({ min: 1, max: 6 }),
    fails: fc.infiniteStream(fc.boolean()),
  })
  await fc.assert(
    fc
      .asyncProperty(market, fc.scheduler(), async ({ sizes, batchMax, recordsMax, fails }, scheduler) => {
        const member = memberOf(sizes, batchMax)
        const done = sizes.map(() => [] as number[])
        const working = new Set<number>()
        let failures = 0
        let mostRounds = 0
        let rounds = 0

        /** Whether a batch fails before its turn comes, in its turn, or not at all. */
        const failsNow = () => failures < 10 && fails.next().value && ++failures > 0

        async function work({ batch, turn }: ReadableBatch): Promise<FailedBatch[]> {
          const { partition, records } = batch
          const failed = [{ batch, error: new Error('once more') }]
          await scheduler.schedule(Promise.resolve(), `prepare ${partition}`)
          if (failsNow()) return failed
          if (!(await turn)) return []
          expect(working).not.toContain(partition)
          working.add(partition)
          await scheduler.schedule(Promise.resolve(), `work ${partition}`)
          const isFailing = failsNow()
          if (!isFailing) {
            await scheduler.schedule(Promise.resolve(), `commit ${partition}`)
            done[partition]!.push(...records.map(({ offset }) => offset))
          }
          working.delete(partition)
          return isFailing ? failed : []
        }

        const processed = processInRounds(member.poll()!, {
          poll: async () => {
            await scheduler.schedule(Promise.resolve(), 'poll')
            return member.poll()
          },
          recordsMax,
          process: async (round) => {
            mostRounds = Math.max(mostRounds, ++rounds)
            const failed = (await Promise.all(round.map(work))).flat()
            rounds -= 1
            return failed
          },
          retry: async (failed) => {
            for (const { batch } of failed) member.seek(batch.assignment, batch.records[0]!.offset)
            await scheduler.schedule(Promise.resolve(), 'pause')
          },
          stopping: () => false,
        })
        await scheduler.waitFor(processed)
        expect(done).toEqual(sizes.map((size) => Array.from({ length: size }, (_, offset) => offset)))
        expect(mostRounds).toBeLessThanOrEqual(3)
      })
      .beforeEach(() => {}),
    { numRuns: tries(300, 20_000) },
  )
})

it('rounds end with the error of a commit that fails while the next batch is read', async () => {
  const member = memberOf([1, 1], 1)
  const polled = Promise.withResolvers<Batch | null>()
  const processed = processInRounds(member.poll()!, {
    poll: () => polled.promise,
    recordsMax: 1,
    process: async () => {
      throw new Error('the log is away')
    },
    retry: async () => {},
    stopping: () => false,
  })
  // A rejection that nobody has handled by the next turn would end the process, and fails this test.
  await new Promise((resolve) => setImmediate(resolve))
  polled.resolve(null)
  await expect(processed).rejects.toThrow('the log is away')
})

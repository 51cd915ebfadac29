import { expect, it } from 'vitest'
import type { SharedBuckets } from '../../infra/rate-limits/port.ts'
import { createTokenBuckets } from '../../services/callers/token-buckets.ts'
import { waitFor } from '../wait-for.ts'

const MINUTE_MS = 60_000

/** What shared token buckets promise. @param open opens the same buckets each time, as another process or thread would. */
export function rateLimitsSuite(open: () => SharedBuckets): void {
  it('draws from buckets that all share, below zero too, and refills them evenly', async () => {
    const [one, other] = [open(), open()]
    const startedAt = performance.now()
    const draws = [
      { key: 'a', amount: 10, perMinute: 60 },
      { key: 'b', amount: 100, perMinute: 60 },
      { key: 'a', amount: 0.5, perMinute: 60 },
    ]
    const first = await one.draw(draws)
    const second = await other.draw([{ key: 'a', amount: 10, perMinute: 60 }])
    const refilled = ((performance.now() - startedAt) * 60) / MINUTE_MS
    const expected = [50, -40, 49.5, 39.5]
    for (const [index, level] of [...first, ...second].entries()) {
      expect(level).toBeGreaterThanOrEqual(expected[index]! - 0.01)
      expect(level).toBeLessThanOrEqual(expected[index]! + refilled + 0.1)
    }
    await Promise.all([one.close(), other.close()])
  })

  it('lets one refuse what came to another', async () => {
    const all = [open(), open()]
    const hashKey = Buffer.alloc(32, 7)
    const processes = all.map((buckets) =>
      createTokenBuckets({ shared: { buckets, hashKey }, now: Date.now, onError: () => {} }),
    )
    const draw = (amount: number) => [{ key: 'addressKibPerMinute 8.8.8.8/32', amount, perMinute: 100 }]
    expect(processes[0]!.draw(draw(1_000)).tag).toBe('DRAWN')
    await waitFor(() => {
      processes[1]!.draw(draw(5))
      return processes[1]!.draw(draw(0)).tag === 'EMPTY'
    })
    for (const process of processes) process.close()
    await Promise.all(all.map((buckets) => buckets.close()))
  })
}

import { describe, expect, it } from 'vitest'
import { sequence } from '../../../../services/demo/sequence.ts'
import { type DayOptions, largestGap, simulateDay, USUAL_DAY } from './pacing-day.ts'

const day = (kind: DayOptions['kind'], options: Partial<DayOptions> = {}) =>
  simulateDay({ kind, curve: USUAL_DAY, random: sequence(3).next, dailyBudgetMicros: 5_000_000, ...options })

describe('a day that is paced evenly', () => {
  it('spends on views along the traffic of the shop, to the last', async () => {
    const hours = await day('DISPLAY')
    expect(largestGap(hours)).toBeLessThan(0.01)
    expect(hours.at(-1)!.spent).toBeGreaterThan(0.99)
  })

  it('spends on clicks as they come, near the line', async () => {
    const hours = await day('SPONSORED', { dailyBudgetMicros: 40_000_000 })
    expect(largestGap(hours)).toBeLessThan(0.05)
  })

  it('stands a burst of traffic, and catches up after a pause', async () => {
    const burst = await day('DISPLAY', { burst: { from: 10, to: 12, times: 3 } })
    expect(largestGap(burst)).toBeLessThan(0.01)
    const paused = await day('DISPLAY', { pause: { from: 14, to: 16 } })
    expect(paused.at(-1)!.spent).toBeGreaterThan(0.99)
  })
})

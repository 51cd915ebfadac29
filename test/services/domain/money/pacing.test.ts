import { describe, expect, it } from 'vitest'
import type { Campaign } from '../../../../schemas/records/entities.ts'
import { goalOf, idealSpend } from '../../../../services/domain/money/pacing.ts'
import { EVEN_HOURS, shopDay } from '../../../../services/domain/time/shop-day.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const at = (time: string) => Date.parse(time)

describe('the day of a shop', () => {
  it.each([
    ['2026-05-01T12:00:00Z', '2026-04-30T22:00:00Z', 24],
    ['2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', 23],
    ['2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z', 25],
  ])('of %s in Berlin begins at %s and has %i hours', (moment, start, hours) => {
    const day = shopDay('Europe/Berlin', at(moment), EVEN_HOURS)
    expect(day.startAt).toBe(at(start))
    expect(day.endAt).toBe(at(start) + hours * HOUR_MS)
    expect(day.trafficUntil(day.startAt)).toBe(0)
    expect(day.trafficUntil(day.startAt + HOUR_MS)).toBeCloseTo(1 / hours)
    expect(day.trafficUntil(day.endAt)).toBeCloseTo(1)
  })

  it('may have 26 hours, where the clock is set back by two', () => {
    const { startAt, endAt } = shopDay('Antarctica/Troll', at('2026-10-25T12:00:00Z'), EVEN_HOURS)
    expect([startAt, endAt]).toEqual(['2026-10-24T22:00:00Z', '2026-10-26T00:00:00Z'].map(at))
  })

  it('knows zones of half and quarter hours', () => {
    expect(shopDay('Asia/Kathmandu', at('2026-05-01T12:00:00Z'), EVEN_HOURS).startAt).toBe(at('2026-04-30T18:15:00Z'))
  })

  it('spreads traffic by the hours that the clock shows: one shown twice brings twice as much', () => {
    const onlyAt = (hour: number) => EVEN_HOURS.map((_, each) => (each === hour ? 1 : 0))
    const { startAt, trafficUntil } = shopDay('Europe/Berlin', at('2026-10-25T12:00:00Z'), onlyAt(2))
    const shares = [1, 2, 3, 4, 5].map((hours) => trafficUntil(startAt + hours * HOUR_MS))
    expect(shares).toEqual([0, 0, 0.5, 1, 1])
    const noon = shopDay('UTC', 0, onlyAt(12))
    expect([12, 12.25, 12.5, 13].map((hour) => noon.trafficUntil(hour * HOUR_MS))).toEqual([0, 0.25, 0.5, 1])
  })
})

describe('even pacing', () => {
  const START = at('2026-05-01T00:00:00Z')
  const day = shopDay('UTC', START, EVEN_HOURS)
  const spent = (totalMicros: number, todayMicros = 0) => ({ totalMicros, todayMicros })
  const campaign = (changes: Partial<Campaign>) =>
    ({ startAt: 0, endAt: null, budgetMicros: 1_000, dailyBudgetMicros: null, ...changes }) as Campaign

  it('shares what was left when the day began among the days to come', () => {
    const tenDays = campaign({ endAt: START + 10 * DAY_MS })
    expect(goalOf(tenDays, spent(0), day)).toBe(100)
    expect(goalOf(tenDays, spent(550, 50), day)).toBe(50)
    expect(goalOf(campaign({ endAt: START + 10 * DAY_MS, dailyBudgetMicros: 30 }), spent(0), day)).toBe(30)
    expect(goalOf(campaign({ dailyBudgetMicros: 30 }), spent(980), day)).toBe(20)
  })

  it('gives all that is left to the last day, up to the end', () => {
    const ends = campaign({ endAt: START + 6 * HOUR_MS })
    expect(goalOf(ends, spent(400, 100), day)).toBe(700)
    expect(idealSpend(ends, spent(400, 100), day, START + 3 * HOUR_MS)).toBeCloseTo(350)
    expect(idealSpend(ends, spent(400, 100), day, START + 6 * HOUR_MS)).toBeCloseTo(700)
  })

  it('draws its line over the campaign’s part of the day', () => {
    const starts = campaign({ startAt: START + 12 * HOUR_MS, dailyBudgetMicros: 100 })
    expect(idealSpend(starts, spent(0), day, START + 12 * HOUR_MS)).toBe(0)
    expect(idealSpend(starts, spent(0), day, START + 18 * HOUR_MS)).toBeCloseTo(50)
    expect(idealSpend(starts, spent(0), day, START + 24 * HOUR_MS)).toBeCloseTo(100)
  })
})

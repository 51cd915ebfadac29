import type { Campaign } from '../../../../schemas/records/entities.ts'
import { createSimulation } from './budget-simulation.ts'
import { DISPLAY } from './display-campaign.ts'

const HOUR_MS = 3_600_000
const STEP_MS = 5_000
const MIDNIGHT = Date.parse('2026-05-01T00:00:00Z')
const VIEWED = 0.8
const CPM_MICROS = 2_000_000
const CPC_MICROS = 200_000
const CLICK_RATE = 0.01
/** What the day's requests could spend if all got an ad, as a multiple of the daily budget. */
const SUPPLY = 4

/** Requests by hour of a typical shop's day: few at night, most in the evening. */
export const USUAL_DAY = [14, 8, 5, 4, 4, 6, 12, 22, 34, 45, 52, 56, 58, 55, 52, 51, 53, 57, 64, 72, 76, 66, 45, 25]

export interface DayOptions {
  kind: 'SPONSORED' | 'DISPLAY'
  /** Requests by hour, in any unit: 24 numbers. */
  curve: readonly number[]
  /** The traffic that selection expects; default: the curve. */
  believedCurve?: readonly number[]
  /** The predicted click rate as a multiple of the true one. */
  misjudged?: number
  /** Multiplies the requests from one hour to another. */
  burst?: { from: number; to: number; times: number }
  pause?: { from: number; to: number }
  dailyBudgetMicros?: number
  random: () => number
}

export interface HourOfDay {
  hour: number
  /** Shares of the daily budget at the end of the hour. */
  ideal: number
  spent: number
}

/** Simulates one day of an evenly paced campaign on two processes. */
export async function simulateDay(options: DayOptions): Promise<HourOfDay[]> {
  const { kind, curve, believedCurve = curve, misjudged = 1, burst, pause, random } = options
  const { dailyBudgetMicros = 100_000_000 } = options
  const total = curve.reduce((sum, each) => sum + each, 0)
  const costMicros = kind === 'DISPLAY' ? (VIEWED * CPM_MICROS) / 1000 : CLICK_RATE * CPC_MICROS
  const requestsOfDay = (SUPPLY * dailyBudgetMicros) / costMicros
  const simulation = createSimulation({ processes: 2, startAt: MIDNIGHT, hourShares: believedCurve })
  const money = {
    budgetMicros: 100 * dailyBudgetMicros,
    dailyBudgetMicros,
    pacing: 'EVEN' as const,
    cpcMicros: CPC_MICROS,
  }
  const put = (status: Campaign['status']) =>
    simulation.put('c', { ...money, status, ...(kind === 'DISPLAY' ? { ...DISPLAY, cpmMicros: CPM_MICROS } : {}) })
  put('ACTIVE')
  await simulation.turn()

  const hours: HourOfDay[] = []
  let ideal = 0
  for (let hour = 0; hour < 24; hour++) {
    if (hour === pause?.from) put('PAUSED')
    if (hour === pause?.to) put('ACTIVE')
    const times = burst && hour >= burst.from && hour < burst.to ? burst.times : 1
    const perStep = (times * requestsOfDay * (curve[hour]! / total) * STEP_MS) / HOUR_MS
    for (let step = 0; step < HOUR_MS / STEP_MS; step++) {
      const requests = Math.floor(perStep + random())
      for (let i = 0; i < requests; i++) {
        if (!simulation.emit(i % 2, 'c', kind === 'DISPLAY' ? 1 : CLICK_RATE * misjudged)) continue
        const answers = random() < (kind === 'DISPLAY' ? VIEWED : CLICK_RATE)
        if (answers) simulation.respond(2_000 + random() * (kind === 'DISPLAY' ? 8_000 : 38_000))
      }
      await simulation.pass(STEP_MS, STEP_MS)
    }
    ideal += curve[hour]! / total
    hours.push({ hour, ideal, spent: simulation.tallyOf('c').billedMicros / dailyBudgetMicros })
  }
  return hours
}

/** The greatest distance between the spend and the ideal line at the end of an hour, as a share of the daily budget. */
export function largestGap(hours: readonly HourOfDay[]): number {
  return Math.max(...hours.map(({ ideal, spent }) => Math.abs(ideal - spent)))
}

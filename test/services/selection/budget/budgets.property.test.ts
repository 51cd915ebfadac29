import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sequence } from '../../../../services/demo/sequence.ts'
import { RESERVATION_MS } from '../../../../services/domain/money/in-flight.ts'
import { tries } from '../../../effort.ts'
import { createSimulation, type Simulation } from './budget-simulation.ts'
import { DISPLAY } from './display-campaign.ts'

const money = fc.record({
  /** Price of a thousand views. For most prices a view is not a whole number of micros, and rounding up reserves up to 1 % too much. */
  cpmMicros: fc.oneof(fc.integer({ min: 100_000, max: 999_999 }), fc.constantFrom(2_000_000, 3_333_333)),
  views: fc.integer({ min: 1, max: 60 }),
  dailyShare: fc.option(fc.integer({ min: 1, max: 4 })),
  pacing: fc.constantFrom('ASAP' as const, 'EVEN' as const),
})
const act = fc.record({
  process: fc.nat(4),
  campaign: fc.nat(2),
  requests: fc.integer({ min: 0, max: 40 }),
  viewedOfTen: fc.integer({ min: 0, max: 10 }),
  delayMs: fc.integer({ min: 0, max: RESERVATION_MS - 1 }),
  waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 20_000 })),
  stallMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4 * RESERVATION_MS })),
  crash: fc.integer({ min: 0, max: 11 }).map((n) => n === 0),
  repeat: fc.boolean(),
})
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never

async function play(simulation: Simulation, acts: readonly Act[], ids: readonly string[], check: () => void) {
  for (const { process, campaign, requests, viewedOfTen, delayMs, waitMs, stallMs, crash, repeat } of acts) {
    const at = process % simulation.processes.length
    if (stallMs > 0) simulation.stall(ids[campaign % ids.length]!, stallMs)
    for (let i = 0; i < requests; i++) {
      if (!simulation.emit(at, ids[campaign % ids.length]!, 1)) continue
      if (i % 10 < viewedOfTen) simulation.respond((delayMs * (i + 1)) % RESERVATION_MS)
    }
    if (crash) await simulation.crash(at)
    await simulation.pass(waitMs)
    if (repeat) await simulation.repeatBatch()
    check()
  }
}

describe('budgets of views, over any number of processes, through crashes, repeats and a judge that falls behind', () => {
  it('are never overspent, nothing is given away for views in time, and all is spent in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(money, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(act, { minLength: 1, maxLength: 25 }),
        async (monies, processes, acts) => {
          const simulation = createSimulation({ processes })
          const campaigns = monies.map(({ cpmMicros, views, dailyShare, pacing }, i) => {
            const perViewMicros = Math.ceil(cpmMicros / 1000)
            const budgetMicros = Math.max(views * perViewMicros, 1)
            const dailyBudgetMicros = dailyShare && Math.max(1, Math.floor(budgetMicros / dailyShare))
            const id = `campaign ${i}`
            const endAt = simulation.now + 10 * 86_400_000
            simulation.put(id, { ...DISPLAY, cpmMicros, budgetMicros, dailyBudgetMicros, pacing, endAt })
            return { id, perViewMicros, pacing, mostMicros: Math.min(budgetMicros, dailyBudgetMicros ?? budgetMicros) }
          })
          const ids = campaigns.map(({ id }) => id)
          const check = () => {
            for (const { id, mostMicros } of campaigns) {
              expect(simulation.tallyOf(id).billedMicros).toBeLessThanOrEqual(mostMicros)
              expect(simulation.tallyOf(id).free).toBe(0)
            }
          }
          await simulation.turn()
          await play(simulation, acts, ids, check)
          // From now on ads are requested again and again, and viewed at once.
          for (let round = 0; round < 300; round++) {
            await simulation.pass(2_000, 1_000)
            for (const id of ids) {
              for (let i = 0; i < 20; i++) if (simulation.emit(round % processes, id, 1)) simulation.respond(100)
            }
          }
          await simulation.pass(1_000)
          check()
          for (const { id, pacing, mostMicros, perViewMicros } of campaigns) {
            if (pacing === 'EVEN') continue
            expect(mostMicros - simulation.tallyOf(id).billedMicros).toBeLessThan(2 * perViewMicros)
          }
        },
      ),
      { numRuns: tries(25, 250) },
    )
  })

  it('are not overspent when what was set aside is lost, or views come late', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(act, { maxLength: 20 }), async (processes, acts) => {
        const simulation = createSimulation({ processes })
        const budgetMicros = 40_000
        simulation.put('c', { ...DISPLAY, cpmMicros: 2_000_000, budgetMicros })
        await simulation.turn()
        for (const each of acts) {
          const lateMs = each.viewedOfTen > 5 ? 3 * RESERVATION_MS : 0
          for (let i = 0; i < each.requests; i++) {
            if (simulation.emit(each.process % processes, 'c', 1)) simulation.respond(each.delayMs + lateMs)
          }
          if (each.repeat) simulation.loseHolds()
          if (each.crash) await simulation.crash(each.process % processes)
          await simulation.pass(each.waitMs)
          expect(simulation.tallyOf('c').billedMicros).toBeLessThanOrEqual(budgetMicros)
        }
      }),
      { numRuns: tries(30, 300) },
    )
  })
})

describe('budgets of clicks', () => {
  it('are never overspent, and what is given away stays about a hundredth', async () => {
    const runs = 15
    let budgetMicros = 0
    let freeMicros = 0
    let leftMicros = 0
    for (let run = 0; run < runs; run++) {
      const random = sequence(run + 1).next
      const simulation = createSimulation({ processes: 1 + (run % 5) })
      const cpcMicros = 100_000
      const budget = cpcMicros * (5 + Math.floor(random() * 60))
      simulation.put('c', { cpcMicros, budgetMicros: budget })
      await simulation.turn()
      for (let second = 0; second < 2_000; second++) {
        for (let i = 0; i < 30; i++) {
          const process = Math.floor(random() * simulation.processes.length)
          if (simulation.emit(process, 'c', 0.05) && random() < 0.05) simulation.respond(1_000 + random() * 30_000)
        }
        await simulation.pass(500, 500)
      }
      await simulation.pass(RESERVATION_MS)
      const { billedMicros, free } = simulation.tallyOf('c')
      expect(billedMicros).toBeLessThanOrEqual(budget)
      budgetMicros += budget
      freeMicros += free * cpcMicros
      leftMicros += budget - billedMicros
    }
    expect(freeMicros / budgetMicros).toBeLessThan(0.02)
    expect(leftMicros / budgetMicros).toBeLessThan(0.02)
  })
})

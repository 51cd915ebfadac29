import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CountersUnavailable } from '../../../../infra/counters/port.ts'
import type { Campaign } from '../../../../schemas/records/entities.ts'
import { RESERVATION_MS } from '../../../../services/domain/money/in-flight.ts'
import { SPEND_KNOWN_MS } from '../../../../services/selection/budget/spend.ts'
import { tries } from '../../../effort.ts'
import { NO_TARGETING } from '../display/display-world.ts'
import { createSimulation, type Simulation } from './budget-simulation.ts'

const DISPLAY: Partial<Campaign> = {
  kind: 'DISPLAY',
  cpcMicros: 0,
  country: 'DE',
  targetUrl: 'https://brand.example',
  targeting: NO_TARGETING,
  moderation: { state: 'ACCEPTED', reason: null, decidedAt: 0, decidedBy: '', history: [] },
}

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
      const random = seeded(run + 1)
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

it('of more campaigns than a turn looks at get their turn, one after the other', async () => {
  const CAMPAIGNS = 2_500
  const simulation = createSimulation({ processes: 1 })
  const ids = Array.from({ length: CAMPAIGNS }, (_, i) => `c${i}`)
  for (const id of ids) simulation.put(id, { ...DISPLAY, cpmMicros: 1_000_000, budgetMicros: 20_000 })
  await simulation.pass(1_000)
  const showOne = () => ids.filter((id) => simulation.emit(0, id, 1)).length
  for (let round = 0; round < 20; round++) {
    expect(showOne()).toBe(CAMPAIGNS)
    await simulation.pass(1_000)
  }
  expect(showOne()).toBe(0)
})

describe('leases of many campaigns that nobody asks for', () => {
  const CAMPAIGNS = 6_000
  const VIEWS = 1_000
  const TURN_MS = 200
  const ids = Array.from({ length: CAMPAIGNS }, (_, i) => `c${i}`)
  const resting = async (processes: number) => {
    const simulation = createSimulation({ processes })
    for (const id of ids) simulation.put(id, { ...DISPLAY, cpmMicros: 1_000_000, budgetMicros: VIEWS * 1_000 })
    await simulation.pass(240_000, TURN_MS)
    simulation.campaignsRead.clear()
    return simulation
  }
  const showAll = (simulation: Simulation, process: number) => {
    for (let shown = 0; ; shown++) {
      if (!simulation.emit(process, 'c0', 1)) return shown
      simulation.respond(1_000)
    }
  }

  it('are renewed seldom, and each is there when its campaign is asked for first', async () => {
    const simulation = await resting(1)
    await simulation.pass(10_000, TURN_MS)
    expect(simulation.campaignsRead.size).toBeLessThan(CAMPAIGNS / 4)
    expect(ids.filter((id) => simulation.emit(0, id, 1))).toHaveLength(CAMPAIGNS)
  })

  it('are all looked at soon after the counters were away', async () => {
    const simulation = await resting(1)
    simulation.beforeCounters = () => Promise.reject(new CountersUnavailable('down'))
    expect(simulation.emit(0, 'c0', 1)).toBe(true)
    await expect(simulation.processes[0]!.budgets.turn()).rejects.toThrow('down')
    simulation.beforeCounters = async () => {}
    await simulation.pass(10_000, TURN_MS)
    expect(simulation.campaignsRead.size).toBe(CAMPAIGNS)
  })

  it('of a process that is killed come back, and nothing is given away', async () => {
    const simulation = await resting(2)
    await simulation.crash(0)
    let shown = showAll(simulation, 1)
    for (let round = 0; round < 100; round++) {
      await simulation.pass(2_000, TURN_MS)
      shown += showAll(simulation, round % 2)
    }
    await simulation.pass(2_000, TURN_MS)
    expect(shown).toBe(VIEWS)
    expect(simulation.tallyOf('c0')).toMatchObject({ billedMicros: VIEWS * 1_000, free: 0 })
  })
})

describe('a budget while the counters', () => {
  const VIEWS = 1_000
  const open = async () => {
    const simulation = createSimulation({ processes: 4 })
    simulation.put('c', { ...DISPLAY, cpmMicros: 1_000_000, budgetMicros: VIEWS * 1_000 })
    await simulation.pass(1_000)
    return simulation
  }
  const showAll = (simulation: Simulation, process: number): number => {
    for (let shown = 0; ; shown++) {
      if (!simulation.emit(process, 'c', 1)) return shown
      simulation.respond(1_000)
    }
  }

  it('are slow, lets each process show what it has been granted: nothing is given away', async () => {
    const simulation = await open()
    simulation.beforeCounters = () => new Promise(() => {})
    for (const { budgets } of simulation.processes) void budgets.turn()
    await new Promise(setImmediate)
    simulation.now += 1_500
    const shown = simulation.processes.map((_, process) => showAll(simulation, process))
    for (const each of shown) expect(each).toBeGreaterThan(0)
    expect(shown.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(VIEWS)
  })

  it('are away, lets a process show all that it knows to be left, for ten seconds', async () => {
    const simulation = await open()
    simulation.beforeCounters = () => Promise.reject(new CountersUnavailable('down'))
    const failing = async () => {
      for (const { budgets } of simulation.processes) await expect(budgets.turn()).rejects.toThrow('down')
    }
    await failing()
    expect(showAll(simulation, 0)).toBe(VIEWS)
    simulation.now += SPEND_KNOWN_MS + 1
    await failing()
    expect(showAll(simulation, 1)).toBe(0)
    simulation.beforeCounters = async () => {}
    await simulation.pass(RESERVATION_MS)
    expect(simulation.tallyOf('c')).toMatchObject({ billedMicros: VIEWS * 1_000, free: 0 })
  })
})

it('what is in flight when the clock is set back stays there for its time, and no longer, and nothing is given away', async () => {
  const VIEWS = 100
  const simulation = createSimulation({ processes: 2 })
  simulation.put('c', { ...DISPLAY, cpmMicros: 1_000_000, budgetMicros: VIEWS * 1_000 })
  await simulation.pass(2_000)
  const showAll = () => {
    let shown = 0
    for (const process of simulation.processes.keys()) while (simulation.emit(process, 'c', 1)) shown++
    return shown
  }
  const showInTurns = async () => {
    let shown = 0
    for (let turn = 0; turn < 20; turn++) {
      shown += showAll()
      await simulation.pass(1_000)
    }
    return shown
  }
  expect(await showInTurns()).toBe(VIEWS)
  simulation.now -= 3_600_000
  expect(await showInTurns()).toBe(0)
  await simulation.pass(RESERVATION_MS)
  expect(await showInTurns()).toBe(VIEWS)
})

it('campaigns that cannot spend are not looked at, unless they change or the clock is set back', async () => {
  const simulation = createSimulation({ processes: 1 })
  const { now } = simulation
  const terms = { ...DISPLAY, cpmMicros: 1_000_000, budgetMicros: 1_000_000 }
  for (let n = 0; n < 50; n++) {
    simulation.put(`ended ${n}`, { ...terms, endAt: now })
    simulation.put(`paused ${n}`, { ...terms, status: 'PAUSED' })
    simulation.put(`archived ${n}`, { ...terms, archivedAt: now })
    simulation.put(`free ${n}`, { ...terms, autoPromo: true })
  }
  simulation.put('running', terms)
  simulation.put('ending', { ...terms, endAt: now + 60_000 })
  const looks = async () => {
    simulation.campaignsRead.clear()
    await simulation.pass(2_000)
    return [...simulation.campaignsRead].sort()
  }
  expect(await looks()).toEqual(['ending', 'running'])
  await simulation.pass(60_000)
  expect(await looks()).toEqual(['running'])
  simulation.put('paused 7', terms)
  expect(await looks()).toEqual(['paused 7', 'running'])
  simulation.now = now
  expect(await looks()).toEqual(['ending', 'paused 7', 'running'])
  expect(simulation.emit(0, 'ending', 1)).toBe(true)
})

/** Random numbers in [0, 1) from a seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

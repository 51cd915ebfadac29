import { describe, expect, it } from 'vitest'
import { CountersUnavailable } from '../../../../infra/counters/port.ts'
import { RESERVATION_MS } from '../../../../services/domain/money/in-flight.ts'
import { SPEND_KNOWN_MS } from '../../../../services/selection/budget/spend.ts'
import { createSimulation, type Simulation } from './budget-simulation.ts'
import { DISPLAY } from './display-campaign.ts'

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

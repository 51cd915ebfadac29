import { describe, expect, it } from 'vitest'
import { sequence } from '../../../../services/demo/sequence.ts'
import { tries } from '../../../effort.ts'
import { type Action, type Outcome, runModel } from './model.ts'

const ONCE = { rows: [1, 1, 1], committed: 3, counts: { from: 0, read: 3, written: 3, dead: 0 } }
const RANDOM_SCHEDULES = tries(2_000, 40_000)
const INTERFERENCES_MAX = 8

/** The steps at which somebody interferes, and which of the other actions happens instead. */
type Interference = readonly { step: number; choice: number }[]

async function run(interference: Interference): Promise<{ outcome: Outcome; alternatives: number[] }> {
  const alternatives: number[] = []
  const choose = (actions: readonly Action[]) => {
    const step = alternatives.push(actions.length - 1) - 1
    const wanted = interference.find((each) => each.step === step)?.choice ?? 0
    return Math.min(wanted, actions.length - 1)
  }
  return { outcome: await runModel(choose), alternatives }
}

/** Every schedule with at most `max` interferences. Between them, the first action always happens. */
async function* schedules(max: number, interference: Interference = []): AsyncGenerator<Outcome> {
  const { alternatives, outcome } = await run(interference)
  yield outcome
  if (interference.length === max) return
  const from = (interference.at(-1)?.step ?? -1) + 1
  for (let step = from; step < alternatives.length; step++) {
    for (let choice = 1; choice <= alternatives[step]!; choice++) {
      yield* schedules(max, [...interference, { step, choice }])
    }
  }
}

function expectOnce({ trace, ...outcome }: Outcome): void {
  expect(outcome, trace.join('\n')).toEqual(ONCE)
}

describe('a sink and its successor, step by step', () => {
  it('store every record once when nobody interferes', async () => {
    expectOnce((await run([])).outcome)
  })

  it('store every record once under every schedule with two interferences', async () => {
    let count = 0
    for await (const outcome of schedules(2)) {
      expectOnce(outcome)
      count++
    }
    expect(count).toBeGreaterThan(500)
  })

  it('store every record once under random schedules with many interferences', async () => {
    for (let seed = 0; seed < RANDOM_SCHEDULES; seed++) {
      const random = sequence(seed).next
      const share = 0.02 + (random() * INTERFERENCES_MAX) / 50
      const choose = (actions: readonly Action[]) => (random() < share ? Math.floor(random() * actions.length) : 0)
      expectOnce(await runModel(choose))
    }
  })
})

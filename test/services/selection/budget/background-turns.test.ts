import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createBackgroundTurns } from '../../../../services/selection/budget/background-turns.ts'

/** The number of turns for each call. */
let taken: number[]
let during = () => {}
const turns = () =>
  createBackgroundTurns(async (count) => {
    taken.push(count)
    during()
  })

beforeEach(() => {
  vi.useFakeTimers()
  taken = []
  during = () => {}
})
afterEach(() => void vi.useRealTimers())
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

it('turns are taken five times a second, and five as one after ten seconds without demand', async () => {
  const background = turns()
  background.start(() => {})
  for (let second = 0; second < 20; second++) {
    await pass(1_000)
    background.demanded()
  }
  await pass(10_000)
  expect(taken).toEqual(Array(150).fill(1))
  await pass(10_000)
  expect(taken.slice(150)).toEqual(Array(10).fill(5))
  background.close()
  background.demanded()
  await pass(10_000)
  expect(taken).toHaveLength(160)
})

it('demand brings the next turn near, while turns are waited for and while they are taken', async () => {
  const background = turns()
  background.start(() => {})
  await pass(10_500)
  taken = []
  background.demanded()
  background.demanded()
  await pass(400)
  expect(taken).toEqual([1, 1])
  await pass(10_000)
  taken = []
  during = () => background.demanded()
  await pass(1_000)
  await pass(200)
  expect(taken.slice(0, 2)).toEqual([5, 1])
  background.close()
})

it('a turn that fails is told, and the next one is taken', async () => {
  const errors: unknown[] = []
  const background = turns()
  during = () => {
    throw new Error('away')
  }
  background.start((error) => errors.push(error))
  await pass(400)
  background.close()
  expect(errors).toHaveLength(2)
})

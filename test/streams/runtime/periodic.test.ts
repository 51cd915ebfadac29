import { expect, it } from 'vitest'
import { createPeriodic, type NextTurn } from '../../../streams/runtime/periodic.ts'

const silent = { info() {}, warn() {}, error() {} }

/** Longer than the test may take, so only a wake-up ends it. */
const pauseMs = 60_000

it('periodic work is woken from its pause, also by what comes during a turn, and once for each', async () => {
  let turns = 0
  let during = () => {}
  const turn = async () => {
    turns += 1
    during()
    return false
  }
  const periodic = createPeriodic({ name: 'work', turn, pauseMs, now: Date.now, logger: silent })
  const ended = periodic.run()
  await expect.poll(() => turns).toBe(1)
  periodic.wake()
  await expect.poll(() => turns).toBe(2)
  during = () => {
    during = () => {}
    periodic.wake()
  }
  periodic.wake()
  await expect.poll(() => turns).toBe(4)
  await periodic.stop()
  await ended
  expect(turns).toBe(4)
})

it('periodic work pauses for as long as its turn says', async () => {
  let turns = 0
  const turn = async () => ({ pauseMs: ++turns < 5 ? 1 : pauseMs })
  const periodic = createPeriodic({ name: 'work', turn, pauseMs, now: Date.now, logger: silent })
  const ended = periodic.run()
  await expect.poll(() => turns).toBe(5)
  periodic.wake()
  await expect.poll(() => turns).toBe(6)
  await periodic.stop()
  await ended
  expect(turns).toBe(6)
})

it('periodic work tells when a turn that begins after the question has left nothing to do, or has failed', async () => {
  const turns: PromiseWithResolvers<NextTurn>[] = []
  const turn = () => {
    turns.push(Promise.withResolvers())
    return turns.at(-1)!.promise
  }
  const periodic = createPeriodic({ name: 'work', turn, pauseMs, now: Date.now, logger: silent })
  const ended = periodic.run()
  await expect.poll(() => turns.length).toBe(1)
  let isTold = false
  const told = periodic.caughtUp().then(() => {
    isTold = true
  })
  turns[0]!.resolve(false)
  await expect.poll(() => turns.length).toBe(2)
  expect(isTold).toBe(false)
  turns[1]!.resolve(true)
  await expect.poll(() => turns.length).toBe(3)
  expect(isTold).toBe(false)
  turns[2]!.resolve({ pauseMs: 60_000 })
  await told
  const toldOfFailure = periodic.caughtUp()
  await expect.poll(() => turns.length).toBe(4)
  turns[3]!.reject(new Error('the store is away'))
  await toldOfFailure
  await periodic.stop()
  await ended
})

it('periodic work that fails after the clock was set back lags all the same', async () => {
  const hourMs = 3_600_000
  let now = 10 * hourMs
  let isAway = false
  const turn = async () => {
    if (isAway) throw new Error('an engine is away')
    return false
  }
  const periodic = createPeriodic({ name: 'work', turn, pauseMs, now: () => now, logger: silent })
  const ended = periodic.run()
  await expect.poll(() => periodic.state().status).toBe('RUNNING')
  isAway = true
  now -= hourMs
  periodic.wake()
  await expect.poll(() => periodic.state().status).toBe('RETRYING')
  expect(periodic.lagMs()).toBeGreaterThanOrEqual(hourMs)
  await periodic.stop()
  await ended
})

import { expect, it } from 'vitest'
import { createPeriodic } from '../../../streams/runtime/periodic.ts'

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

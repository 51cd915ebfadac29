import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freezesOfRecovery, freezesOfStore, leaveInDoubt, openSinks, type Sinks, takeOverAndWake } from './sinks.ts'

const TIMEOUT_MS = 600_000

describe('a sink that is frozen, and wakes up when another has taken over, stores nothing twice', () => {
  let sinks: Sinks
  let before: { rows: number; stored: number }
  beforeAll(async () => {
    sinks = await openSinks()
    before = await sinks.count()
  })
  afterEach(async () => {
    await sinks.end()
    before = await sinks.count()
  })
  afterAll(() => sinks.remove())

  async function expectEachOnce(): Promise<void> {
    const after = await sinks.count()
    expect(after.rows - before.rows).toBe(after.stored - before.stored)
    expect(after.stored).toBeGreaterThan(before.stored)
  }

  it.each(freezesOfStore)(
    '%s',
    async (place, woken) => {
      await takeOverAndWake(sinks, { frozen: sinks.start(place), woken })
      await expectEachOnce()
    },
    TIMEOUT_MS,
  )

  it.each(freezesOfRecovery)(
    '%s, while it finishes what one before it has left',
    async (place, woken) => {
      await leaveInDoubt(sinks)
      await takeOverAndWake(sinks, { frozen: sinks.start(place), woken })
      await expectEachOnce()
    },
    TIMEOUT_MS,
  )

  it(
    'and all of it is counted once',
    async () => {
      await sinks.stopLoad()
      sinks.start()
      await sinks.untilAllStored()
      const { appended } = await sinks.count()
      const counted = { logged: appended, stored: appended, duplicates: 0, deadLetters: 0, uncounted: 0 }
      expect(await sinks.audited()).toMatchObject(counted)
    },
    TIMEOUT_MS,
  )
})

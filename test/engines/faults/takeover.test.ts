import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freezesOfRecovery, freezesOfStore, leaveInDoubt, openSinks, type Sinks, takeOverAndWake } from './sinks.ts'

const IN_TURN = { concurrent: false, timeout: 600_000 }
/** Each trial waits for sessions to expire, so several worlds are tried beside each other. */
const WORLDS = 3
const WHILE_RECOVERING = ', while it finishes what one before it has left'

const trials = [
  ...freezesOfStore.map((freeze) => ({ freeze, prepare: async () => {}, when: '' })),
  ...freezesOfRecovery.map((freeze) => ({ freeze, prepare: leaveInDoubt, when: WHILE_RECOVERING })),
]

describe.concurrent.each(Array.from({ length: WORLDS }, (_, world) => world))(
  'a sink that is frozen, and wakes up when another has taken over, stores nothing twice (%i)',
  (world) => {
    let sinks: Sinks
    let before: { rows: number; stored: number }
    beforeAll(async () => {
      sinks = await openSinks()
      before = await sinks.count()
    }, IN_TURN.timeout)
    afterEach(async () => {
      await sinks.end()
      before = await sinks.count()
    })
    afterAll(() => sinks.remove())

    for (const { freeze, prepare, when } of trials.filter((_, i) => i % WORLDS === world)) {
      const [place, woken] = freeze
      it(`${place}${when}`, IN_TURN, async () => {
        await prepare(sinks)
        await takeOverAndWake(sinks, { frozen: sinks.start(place), woken })
        const after = await sinks.count()
        expect(after.rows - before.rows).toBe(after.stored - before.stored)
        expect(after.stored).toBeGreaterThan(before.stored)
      })
    }

    it('and all of it is counted once', IN_TURN, async () => {
      await sinks.stopLoad()
      sinks.start()
      await sinks.untilAllStored()
      const { appended } = await sinks.count()
      const counted = { logged: appended, stored: appended, duplicates: 0, deadLetters: 0, uncounted: 0 }
      expect(await sinks.audited()).toMatchObject(counted)
    })
  },
)

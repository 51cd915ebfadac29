import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrate } from '../../../infra/analytics/migrate.ts'
import { createErasure } from '../../../streams/erasure/erasure.ts'
import { rebuildAnalytics } from '../../../streams/rebuild/rebuild.ts'
import { rebuildTableBeside } from '../../../streams/rebuild/table-beside.ts'
import { ask, erasureOf, stateOf } from '../erasure/people.ts'
import { now, openWorld, silent, type World } from '../erasure/world.ts'
import { testEnding } from './ending.suite.ts'
import { type EndingWorld, sinkTables } from './ending-world.ts'
import { DUE, ENDED } from './history.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

function testMore(ending: () => EndingWorld): void {
  it('need no erasure in the tables: one of such a person finds nothing there and is done', async () => {
    const { analytics, facts, rowsWith } = ending()
    const before = await facts()
    const person = erasureOf('CID', 'browser-old-0-0-shop', { requestedAt: ENDED })
    await ask(world.log, [person])
    const turn = createErasure({
      ...{ log: world.log, storedLog: world.log.stored, analytics, runId: randomUUID, settledAfterMs: 0, now },
      exclusively: (work) => work(),
    })
    await expect
      .poll(async () => {
        await turn()
        return (await stateOf(world.log, person.id)).erasedAt
      })
      .not.toBeNull()
    expect(await rowsWith(person.pseudonym)).toEqual({})
    expect(await facts()).toEqual(before)
  })

  it('stay ended in a table that is rebuilt next to the one that serves', async () => {
    const { log, analytics, facts, named } = ending()
    const before = await facts()
    for (const table of sinkTables) {
      const proof = await rebuildTableBeside(table, { log, analytics, replaces: false, now, say() {} })
      expect(proof.equal, table).toBe(true)
    }
    expect(await named()).toBe(0)
    expect(await facts()).toEqual(before)
  })

  it('end again after a rebuild of everything, which leaves every fact and credit as it was', async () => {
    const { log, analytics, facts, named } = ending()
    const before = await facts()
    const proofs = await rebuildAnalytics({ log, analytics, migrate, now, runId: randomUUID, logger: silent })
    expect(proofs.filter(({ equal }) => !equal)).toEqual([])
    expect(proofs.length).toBeGreaterThan(10)
    expect(await named()).toBeGreaterThan(0)
    await ending().end(DUE)
    expect(await named()).toBe(0)
    expect(await facts()).toEqual(before)
    await ending().expectCredit()
  })
}

testEnding(() => ({ ...world, shopIds: ['shop'] }), testMore)

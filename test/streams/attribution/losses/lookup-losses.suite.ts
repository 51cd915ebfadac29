import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { withMending } from '../../../../infra/analytics/mending.ts'
import { type Analytics, AnalyticsUnavailable } from '../../../../infra/analytics/port.ts'
import { linkTables, lookupTables } from '../../../../infra/analytics/queries/attribution/lookups.ts'
import { createAttribution } from '../../../../streams/attribution/attribution.ts'
import { createLookupLosses } from '../../../../streams/attribution/lookup-losses.ts'
import { progressOf } from '../../../../streams/attribution/progress.ts'
import { history, voided } from '../../../engines/analytics/two-shops.ts'
import { damageParts, FILES } from '../../../infra/analytics/damaged-part.ts'
import { attributedByHand } from '../oracle.ts'
import { openWorld } from '../world.ts'

export interface LookupStore {
  analytics: Analytics
  /** A server that has parts of the tables. */
  server: Analytics
  /** The name of a table there. */
  localName: (table: string) => string
}

const happenings = [...history(), ...voided]
const POLL = { interval: 1, timeout: 60_000 }
const STEPS = [happenings.slice(0, 90), happenings.slice(90)] as const

/**
 * @param open the store with its tables, which the suite empties.
 * @param isDamaged whether parts are damaged as well. While it read a damaged part for another server, the tests' server ended in one of
 * eight trials ("The server is shutting down due to a fatal error").
 */
export function lookupLossesSuite(open: () => LookupStore, { isDamaged = true } = {}): void {
  let epoch = 1_000
  /** What the tables hold of all that happened, in whichever parts. */
  let whole: unknown

  async function openLosses() {
    const world = await openWorld(open().analytics, epoch++)
    const logged: object[] = []
    const note = (details: object, message: string) => void logged.push({ ...details, message })
    const losses = createLookupLosses({ ...world, exclusively: (work) => work(), logger: { warn: note, error: note } })
    return { ...world, logged, losses }
  }

  const contents = () =>
    Promise.all(
      lookupTables.map((table) =>
        open().analytics.query(
          (linkTables as readonly string[]).includes(table)
            ? `SELECT shopId, cid, uid, min(seenAt), min(provenAt) FROM ${table} GROUP BY shopId, cid, uid ORDER BY ALL`
            : `SELECT DISTINCT * FROM ${table} ORDER BY ALL`,
        ),
      ),
    )

  beforeAll(async () => {
    const { store, attribute } = await openLosses()
    for (const step of STEPS) await store(step)
    await attribute()
    whole = await contents()
  })

  const merge = (table: string) => open().server.command(`OPTIMIZE TABLE ${open().localName(table)} FINAL`)

  const ways: Record<string, (table: string) => Promise<void>> = {
    'a part is dropped': async (table) => {
      const { server, localName } = open()
      await merge(table)
      const [part] = await server.query<{ name: string }>(
        'SELECT name FROM system.parts WHERE database = currentDatabase() AND table = {table:String} AND active LIMIT 1',
        { table: localName(table) },
      )
      await server.command(`ALTER TABLE ${localName(table)} DROP PART '${part!.name}'`)
    },
    'the store finds parts damaged when it starts': async (table) => {
      const { server, localName } = open()
      await merge(table)
      await damageParts(server, localName(table), { damage: 'empty', file: FILES.columns })
      // The store then loads the parts of the table as when it starts.
      await server.command(`DETACH TABLE ${localName(table)} SYNC`)
      await server.command(`ATTACH TABLE ${localName(table)}`)
    },
    'the table is emptied': (table) => open().analytics.command(`TRUNCATE TABLE ${table}`),
  }
  const [dropped, damaged, emptied] = Object.keys(ways) as [string, string, string]

  describe('rows of look-up tables', () => {
    it('are not missed while runs are repeated and parts are merged', async () => {
      const { store, attribute, committed, rewind, losses, logged } = await openLosses()
      for (const step of STEPS) {
        const before = await committed()
        await store(step)
        await attribute()
        await losses.turn()
        await rewind(before)
        await attribute()
        losses.attributed(false)
        losses.attributed(true)
        await losses.turn()
        for (const table of lookupTables) await merge(table)
        for (let look = 0; look < 3; look++) await losses.turn()
      }
      expect(logged).toEqual([])
      expect(progressOf(await committed()).phase).toBe('FOLLOWING')
      expect(await contents()).toEqual(whole)
    })

    it.each([
      ...lookupTables.map((table) => ({ way: dropped, table })),
      ...(isDamaged ? ['touches', 'links_by_cid'] : []).map((table) => ({ way: damaged, table })),
      { way: emptied, table: 'transactions_by_id' },
    ])('are copied again, and credit is computed again: of $table, when $way', async ({ way, table }) => {
      const { store, attribute, committed, lines, losses, logged } = await openLosses()
      await store(STEPS[0])
      await attribute()
      await losses.turn()
      const before = await contents()
      await ways[way]!(table)
      expect(await contents()).not.toEqual(before)
      await losses.turn()
      // A loss that is found once may be something half done. Meanwhile credit is computed without the rows.
      expect(logged).toEqual([])
      await store(STEPS[1])
      await attribute()
      await losses.turn()
      const message = expect.stringContaining('have lost rows; they are filled again')
      expect(logged).toEqual([{ losses: [{ table, rows: expect.any(Number) }], message }])
      expect(await committed()).toEqual([])
      await attribute()
      expect(await lines()).toEqual(attributedByHand(happenings))
      expect(await contents()).toEqual(whole)
      for (let look = 0; look < 2; look++) await losses.turn()
      expect(logged.length).toBe(1)
    })

    it.runIf(isDamaged)(
      'in parts that cannot be read hold attribution up only until the parts are dropped',
      async () => {
        const { store, attribute, log, lines, losses, logged } = await openLosses()
        const { analytics, server, localName } = open()
        await store(STEPS[0])
        await attribute()
        await losses.turn()
        const damaged = ['touches', 'transactions_by_id', 'links_by_uid'].map(localName)
        for (const table of damaged) await damageParts(server, table, { damage: 'empty', file: FILES.columns })
        const dropped = new Set<string>()
        const mending = withMending(analytics, { warn: (details) => dropped.add((details as { table: string }).table) })
        const turn = createAttribution({ log, analytics: mending, runId: randomUUID })
        await store(STEPS[1])
        const caughtUp = async () => {
          const hasMore = await turn().catch((error) => {
            expect(error).toBeInstanceOf(AnalyticsUnavailable)
            losses.attributed(false)
            return true
          })
          losses.attributed(!hasMore)
          return !hasMore
        }
        await expect.poll(caughtUp, POLL).toBe(true)
        expect([...dropped].sort()).toEqual(damaged.sort())
        for (let look = 0; look < 2; look++) await losses.turn()
        expect(logged.length).toBe(1)
        await expect.poll(caughtUp, POLL).toBe(true)
        expect(await lines()).toEqual(attributedByHand(happenings))
        expect(await contents()).toEqual(whole)
      },
    )
  })
}

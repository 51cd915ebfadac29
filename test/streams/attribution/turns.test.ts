import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Analytics, AnalyticsUnavailable } from '../../../infra/analytics/port.ts'
import { createAttribution } from '../../../streams/attribution/attribution.ts'
import { HOUR, T0 } from './events.ts'
import { type Happening, happened } from './happenings.ts'
import { openWorlds } from './world.ts'

const world = openWorlds()

const sale = (n: number, uid: string | null = null): Happening[] => [
  happened.touch({ eventId: `e${n}`, cid: `c${n}`, uid, at: T0 + n * HOUR, adId: 'p1' }),
  happened.purchase({ eventId: `o${n}`, cid: `c${n}`, uid, at: T0 + n * HOUR + 1, products: ['p1'] }),
]

/** Runs turns until nothing is left to do. */
async function follow(turn: () => Promise<boolean>): Promise<void> {
  while (await turn()) {}
}

it('a turn asks the store for what it needs and no more, in tables that it has already', async () => {
  const { store, log, analytics } = await world()
  const asked: string[] = []
  const counting: Analytics = {
    ...analytics,
    query: (sql, params) => {
      asked.push(sql)
      return analytics.query(sql, params)
    },
    command: (sql, params) => {
      asked.push(sql)
      return analytics.command(sql, params)
    },
  }
  const turn = createAttribution({ log, analytics: counting, runId: randomUUID })
  await store([...sale(0), happened.pageView({ id: 'v0', cid: 'c0', uid: null, at: T0 })])
  await follow(turn)
  const statementsOf = async (happenings: readonly Happening[]) => {
    asked.length = 0
    await store(happenings)
    await follow(turn)
    // The first offset of a partition is queried only once, so it does not count.
    return asked.filter((sql) => !sql.includes('min(_offset)')).length
  }
  // The first turn also queries what the store has.
  await statementsOf(sale(1))
  const ofSale = await statementsOf(sale(2))
  const ofTouch = await statementsOf(sale(3).slice(0, 1))
  const ofPageView = await statementsOf([happened.pageView({ id: 'v1', cid: 'c1', uid: null, at: T0 })])
  expect({ ofSale, ofTouch, ofPageView }).toEqual({ ofSale: 19, ofTouch: 6, ofPageView: 4 })
  expect(asked.filter((sql) => sql.startsWith('CREATE'))).toEqual([])
  expect(await statementsOf([])).toBe(0)
  // Finding out who a person is takes more statements.
  expect(await statementsOf(sale(4, 'u'))).toBeGreaterThan(ofSale)
})

it('a turn whose scratch tables are lost on the way is repeated with new ones', async () => {
  const { store, log, analytics, lines } = await world()
  let isLost = false
  const restarting: Analytics = {
    ...analytics,
    command: async (sql, params) => {
      if (isLost && sql.includes('INSERT INTO attributed_lines')) {
        isLost = false
        const scratch = `SELECT name FROM system.tables WHERE engine = 'Memory' AND startsWith(name, 'attribution_scratch_')`
        for (const { name } of await analytics.query<{ name: string }>(scratch)) {
          await analytics.command(`TRUNCATE TABLE ${name}`)
        }
      }
      await analytics.command(sql, params)
    },
  }
  const turn = createAttribution({ log, analytics: restarting, runId: randomUUID })
  await store([...sale(0), happened.pageView({ id: 'v0', cid: 'c0', uid: null, at: T0 })])
  await follow(turn)
  await store(sale(1))
  isLost = true
  await expect(turn()).rejects.toThrow(AnalyticsUnavailable)
  await follow(turn)
  expect((await lines()).map(({ eventId, outcome }) => `${eventId} ${outcome}`)).toEqual(['o0 CREDITED', 'o1 CREDITED'])
})

it('a link that was stored by a run that died is counted by the run after it', async () => {
  const { store, log, analytics, lines } = await world()
  const link = happened.pageView({ id: 'v1', cid: 'laptop', uid: 'u', at: T0 })
  await store([
    happened.touch({ eventId: 'e', cid: 'phone', uid: 'u', at: T0, adId: 'p1' }),
    happened.purchase({ eventId: 'o', cid: 'laptop', at: T0 + HOUR, products: ['p1'] }),
  ])
  let dies = false
  const dying: Analytics = {
    ...analytics,
    command: async (sql, params) => {
      if (dies && sql.includes('_scope')) throw new AnalyticsUnavailable('killed')
      await analytics.command(sql, params)
    },
  }
  const turn = createAttribution({ log, analytics: dying, runId: randomUUID })
  await follow(turn)
  const outcomes = async () => (await lines()).map(({ outcome }) => outcome)
  expect(await outcomes()).toEqual(['NO_TOUCH'])
  await store([link])
  dies = true
  await expect(turn()).rejects.toThrow('killed')
  dies = false
  await follow(turn)
  expect(await outcomes()).toEqual(['CREDITED'])
})

it('what another process has found is known to the one that goes on', async () => {
  const { store, log, analytics, lines } = await world()
  const [frozen, other] = [1, 2].map(() => createAttribution({ log, analytics, runId: randomUUID }))
  // A process first drops what other processes have left behind.
  await follow(other!)
  await follow(frozen!)
  await store([happened.touch({ eventId: 'e', cid: 'phone', at: T0, adId: 'p1' })])
  await follow(frozen!)
  await store(sale(1))
  await follow(frozen!)
  for (const cid of ['phone', 'laptop']) await store([happened.pageView({ id: cid, cid, uid: 'u', at: T0 })])
  await follow(other!)
  await store([happened.purchase({ eventId: 'o', cid: 'laptop', at: T0 + HOUR, products: ['p1'] })])
  await follow(frozen!)
  expect((await lines()).map(({ eventId, outcome }) => `${eventId} ${outcome}`)).toEqual(['o CREDITED', 'o1 CREDITED'])
})

describe('among many lines', () => {
  const OTHER_LINES = 20_000
  const shop = (version: number, viewWindowHours: number) =>
    happened.shop({ version, clickWindowHours: 1, viewWindowHours })

  /** A shop with one sale of p1, which is of item group g, and many lines of p2. */
  async function openShop() {
    const { store, log, analytics } = await world()
    const turn = createAttribution({ log, analytics, runId: randomUUID })
    await store([shop(1, 1), happened.grouping('p1', 'g'), ...sale(1)])
    await follow(turn)
    await analytics.command(
      `INSERT INTO attributed_lines (shopId, kind, eventId, line, shopProductId, trust, clickWindowHours, viewWindowHours)
       SELECT 'shop', 'PURCHASE', 'other', number, 'p2', 'OPEN', 1, 1 FROM numbers({lines:UInt32})`,
      { lines: OTHER_LINES },
    )
    const rowsRead = async () => {
      const sql = `SELECT toInt64(sum(value)) AS total FROM system.events WHERE event = 'SelectedRows'`
      return (await analytics.query<{ total: number }>(sql))[0]!.total
    }
    return {
      async readsLinesAfter(change: Happening): Promise<boolean> {
        const before = await rowsRead()
        await store([change])
        await follow(turn)
        return (await rowsRead()) - before >= OTHER_LINES
      },
    }
  }

  it('a change of a shop reads them only if it changes what they were computed with', async () => {
    const { readsLinesAfter } = await openShop()
    expect(await readsLinesAfter(shop(2, 1))).toBe(false)
    expect(await readsLinesAfter(shop(3, 2))).toBe(true)
  })

  it('a change of a product reads them only if it changes its item group', async () => {
    const { readsLinesAfter } = await openShop()
    expect(await readsLinesAfter(happened.grouping('p1', 'g'))).toBe(false)
    expect(await readsLinesAfter(happened.grouping('p1', 'h'))).toBe(true)
  })
})

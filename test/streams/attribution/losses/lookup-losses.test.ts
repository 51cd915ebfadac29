import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Analytics, AnalyticsGaveUp } from '../../../../infra/analytics/port.ts'
import { createLookupLosses } from '../../../../streams/attribution/lookup-losses.ts'
import { openTemporaryAnalytics } from '../../../new-analytics.ts'
import { HOUR, T0 } from '../events.ts'
import { happened } from '../happenings.ts'
import { openWorld } from '../world.ts'
import { lookupLossesSuite } from './lookup-losses.suite.ts'

let analytics: Analytics
beforeAll(async () => {
  analytics = await openTemporaryAnalytics()
})
afterAll(() => analytics.close())

lookupLossesSuite(() => ({ analytics, server: analytics, localName: (table) => table }))

const events = [
  happened.touch({ eventId: 'e', cid: 'c', uid: 'u', at: T0, adId: 'p1' }),
  happened.purchase({ eventId: 'o', cid: 'c', at: T0 + HOUR, products: ['p1'] }),
]

async function watched(epoch: number, changed: Partial<Analytics> = {}) {
  const world = await openWorld(analytics, epoch)
  const [asked, logged]: [string[], string[]] = [[], []]
  const note = (_: object, message: string) => void logged.push(message)
  const losses = createLookupLosses({
    log: world.log,
    analytics: {
      ...analytics,
      query: (sql, params) => {
        asked.push(sql)
        return analytics.query(sql, params)
      },
      ...changed,
    },
    exclusively: (work) => work(),
    logger: { warn: note, error: note },
  })
  await world.store(events)
  await world.attribute()
  return { ...world, losses, asked, logged }
}

it('a look reads no rows unless something has happened that may lose some', async () => {
  const { losses, asked, store, attribute } = await watched(1)
  await losses.turn()
  const statementsOf = async () => {
    asked.length = 0
    await losses.turn()
    return asked.length
  }
  expect(await statementsOf()).toBe(1)
  await store(events)
  await attribute()
  losses.attributed(true)
  expect(await statementsOf()).toBe(1)
  losses.attributed(false)
  expect(await statementsOf()).toBe(1)
  losses.attributed(true)
  expect(await statementsOf()).toBeGreaterThan(1)
  expect(await statementsOf()).toBe(1)
  await analytics.command('TRUNCATE TABLE touches')
  expect(await statementsOf()).toBeGreaterThan(1)
})

it('rows that the sink no longer has come from the other table of links', async () => {
  const { losses, attribute, lines } = await watched(2)
  const credited = await lines()
  // What retention does to the rows that showed the pair.
  for (const table of ['links_by_uid', 'judged_events']) await analytics.command(`TRUNCATE TABLE ${table}`)
  for (let look = 0; look < 2; look++) await losses.turn()
  await attribute()
  expect(await analytics.query('SELECT cid, uid FROM links_by_uid')).toEqual([{ cid: 'c', uid: 'u' }])
  expect(await lines()).toEqual(credited)
})

it('rows that cannot be copied are told of, and not copied over and over', async () => {
  const { losses, attribute, logged, committed } = await watched(3)
  const forgetful: Analytics = {
    ...analytics,
    command: async (sql, params) => {
      if (!sql.includes('INSERT INTO touches')) await analytics.command(sql, params)
    },
  }
  await analytics.command('TRUNCATE TABLE touches')
  for (let round = 0; round < 3; round++) {
    for (let look = 0; look < 2; look++) await losses.turn()
    await attribute({ analytics: forgetful })
  }
  expect(logged).toEqual([expect.stringContaining('have lost rows'), expect.stringContaining('lack rows even after')])
  expect(await committed()).not.toEqual([])
})

it('a comparison that is too much for the store is not tried over and over', async () => {
  const query: Analytics['query'] = (sql, params) =>
    sql.includes('groupBitmap') ? Promise.reject(new AnalyticsGaveUp('too slow')) : analytics.query(sql, params)
  const { losses } = await watched(4, { query })
  await expect(losses.turn()).rejects.toThrow('too slow')
  expect(await losses.turn()).toBe(false)
})

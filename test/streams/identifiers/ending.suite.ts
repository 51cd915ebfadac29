import { beforeAll, describe, expect, it } from 'vitest'
import { readEndedUntil } from '../../../infra/analytics/retention/ended-identifiers.ts'
import type { Commit, EventLog } from '../../../infra/event-log/port.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { ATTRIBUTION_GROUP } from '../../../streams/attribution/attribution.ts'
import { correction } from '../attribution/events.ts'
import { type Happening, happened } from '../attribution/happenings.ts'
import { attributedByHand } from '../attribution/oracle.ts'
import type { StoredLine } from '../attribution/world.ts'
import { type EndingWorld, type Engines, openEnding } from './ending-world.ts'
import { DAY, DAYS, DUE, ENDED, HOUR, history } from './history.ts'

async function endsOf(log: EventLog, topic: TopicName): Promise<Commit[]> {
  return (await log.bounds(topic)).map(({ partition, end }) => ({ topic, partition, offset: end, metadata: '' }))
}

/** What must hold when the identifiers of people end, whatever the store. @param more further cases, of the same history. */
export function testEnding(open: () => Engines, more?: (world: () => EndingWorld) => void): void {
  let world: EndingWorld
  let settled: readonly StoredLine[]
  beforeAll(() => {
    world = openEnding(open())
  })

  const unnamed = (lines: readonly StoredLine[]) => lines.map(({ cid: _, ...line }) => line)

  describe('the identifiers of people', () => {
    it('end at once where nothing is stored yet', async () => {
      const { analytics, end } = world
      const before = Date.UTC(2020, 0)
      await end(before + DAYS * DAY)
      expect(await readEndedUntil(analytics)).toBe(before)
    })

    it('stay while the sink or attribution has something to do that concerns their purchases', async () => {
      const { analytics, log, shopIds, happen, storeAll, attributeAll, retention, end } = world
      await happen(shopIds.flatMap((shopId, n) => history(shopId, n + 1)))
      const behind = retention(DUE + HOUR)
      await behind.turn()
      const ended = await readEndedUntil(analytics)
      expect([ended < ENDED, behind.overdueMs()]).toEqual([true, HOUR])
      await storeAll()
      await log.reset(ATTRIBUTION_GROUP, null)
      await behind.turn()
      expect(await readEndedUntil(analytics)).toBe(ended)
      await attributeAll()
      await log.append([{ topic: 'ad-events', key: 'campaign', value: Buffer.from('is still to be judged') }])
      await behind.turn()
      expect(await readEndedUntil(analytics)).toBe(ended)
      await log.reset('judge', await endsOf(log, 'ad-events'))
      await retention(DUE - 1).turn()
      // The month before has ended by now. Until the store has changed its rows, tables differ in whom they name.
      await end(DUE, null)
      expect(await readEndedUntil(analytics)).toBeLessThan(ENDED)
    })

    it('end with their month, and leave every fact, sum and credit as it was', async () => {
      const { analytics, told, rememberLines, end, facts, named, rowsWith } = world
      settled = await rememberLines()
      expect(unnamed(settled)).toEqual(unnamed(attributedByHand(told)))
      const later = `SELECT * FROM judged_events WHERE occurredAt >= ${ENDED} ORDER BY shopId, eventId`
      const [before, people] = [await facts(), await analytics.query(later)]
      expect(await named()).toBeGreaterThan(0)
      await end(DUE)
      expect(await readEndedUntil(analytics)).toBe(ENDED)
      expect(await facts()).toEqual(before)
      expect(await analytics.query(later)).toEqual(people)
      expect(await named()).toBe(0)
      expect(await rowsWith('browser-old')).toEqual({})
      await world.expectCredit()
    })

    it('are not missed when something is returned, whenever it was bought', async () => {
      const returns = world.shopIds.flatMap((shopId) =>
        Array.from({ length: 60 }, (_, n) => {
          const back = { returnId: `r-${n}-${shopId}`, eventId: `o${n}-${shopId}`, shopId, at: DUE }
          return happened.returned({ ...back, lines: [['p1', 2]] })
        }),
      )
      await world.happen(returns)
      await world.storeAll()
      await world.expectCredit()
    })

    it('are not missed when touches are voided, windows are changed and people are linked', async () => {
      const credited = new Set(settled.map(({ touchEventId }) => touchEventId))
      const voided = world.told.flatMap((each): Happening[] => {
        if (each.topic !== 'judged-events' || !credited.has(each.value.eventId)) return []
        const { eventId, type, cid, occurredAt: at, claims } = each.value
        const value = correction({ eventId, type, cid, at, adId: claims.adId, shopId: claims.shopId })
        return at < ENDED ? [{ topic: 'corrections', value }] : []
      })
      expect(voided.length).toBeGreaterThan(0)
      // The oracle is not told of these: what is settled is not lost.
      await world.append(voided)
      await world.happen(
        world.shopIds.flatMap((id) => [
          happened.shop({ id, version: 2, at: DUE, clickWindowHours: 24, viewWindowHours: 1 }),
          happened.pageView({
            ...{ id: `view-${id}`, shopId: id, at: DUE },
            ...{ cid: `browser-all-1-0-${id}`, uid: `login-all-2-${id}` },
          }),
        ]),
      )
      await world.storeAll()
      await world.expectCredit()
    })

    it('are not missed when the rules of credit change', async () => {
      await world.log.reset(ATTRIBUTION_GROUP, null)
      await world.attributeAll()
      await world.expectCredit()
      for (const table of ['touches', 'transactions_by_person']) {
        const sql = `SELECT toBool(min(occurredAt) >= ${ENDED}) AS isOfPeople FROM ${table}`
        expect(await world.analytics.query(sql), table).toEqual([{ isOfPeople: true }])
      }
    })

    it('end in what is stored later of the time before', async () => {
      const [shopId] = world.shopIds
      const cid = `browser-late-${shopId}`
      const order = { eventId: 'late', cid, uid: 'login-late', at: ENDED - DAY, products: ['p1'], shopId }
      await world.happen([happened.purchase({ ...order, imported: true })])
      await world.storeAll()
      const stored = ['transactions', 'transactions_by_id', 'links_by_cid', 'links_by_uid']
      for (const name of [cid, 'login-late']) expect(Object.keys(await world.rowsWith(name))).toEqual(stored)
      await world.end(DUE + 2 * DAY)
      for (const name of [cid, 'login-late']) expect(await world.rowsWith(name)).toEqual({})
      expect(await world.named()).toBe(0)
      await world.expectCredit()
    })

    more?.(() => world)

    it('stay ended when the setting is removed or made longer, and end for more when it is made shorter', async () => {
      const { analytics, end, facts } = world
      for (const days of [null, DAYS + 400]) {
        await end(DUE + 3 * DAY, days)
        expect(await readEndedUntil(analytics)).toBe(ENDED)
      }
      const before = await facts()
      await end(DUE + 31 * DAY, DAYS + 400)
      expect(await readEndedUntil(analytics)).toBe(ENDED)
      await end(DUE + 31 * DAY)
      expect(await readEndedUntil(analytics)).toBeGreaterThan(ENDED)
      expect(await facts()).toEqual(before)
    })
  })
}

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../../infra/analytics/migrate.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import type { ErasingLog } from '../../../infra/event-log/erasing-log.ts'
import type { NewRecord } from '../../../infra/event-log/port.ts'
import type { Erasure } from '../../../schemas/records/records.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { createErasure } from '../../../streams/erasure/erasure.ts'
import { rebuildAnalytics } from '../../../streams/rebuild/rebuild.ts'
import { HOUR, pageView, purchase, touch } from '../attribution/events.ts'
import { ask, erasureOf, stateOf } from './people.ts'
import { now, openWorld, silent, type World } from './world.ts'

/** What a person does between the request for an erasure and its end, when the tables still have the identifier. */

const ASKED_AT = Date.now() - HOUR
const BEFORE = ASKED_AT - 10 * HOUR
const AFTER = ASKED_AT + 1_000

let world: World
let analytics: Analytics
let log: ErasingLog
beforeAll(async () => {
  world = await openWorld()
  ;({ log, analytics } = world)
})
afterAll(() => world.close())

async function store(...records: NewRecord[]): Promise<void> {
  await log.append(records)
  await world.storeAll()
}

async function erase(...erasures: Erasure[]): Promise<void> {
  await ask(log, erasures)
  const deps = { log, storedLog: log.stored, analytics, runId: randomUUID, settledAfterMs: 0, now }
  const turn = createErasure({ ...deps, exclusively: (work) => work() })
  const areErased = async () => {
    await turn()
    await world.expectNoLoss()
    return Promise.all(erasures.map(async ({ id }) => (await stateOf(log, id)).erasedAt !== null))
  }
  await expect.poll(areErased).toEqual(erasures.map(() => true))
}

const click = (fields: Omit<Parameters<typeof touch>[0], 'adId'>): NewRecord => {
  return { topic: 'judged-events', key: 'campaign', value: encode('JudgedEvent', touch({ ...fields, adId: 'p1' })) }
}
const sale = (fields: Omit<Parameters<typeof purchase>[0], 'products'>): NewRecord => {
  const value = encode('Transaction', purchase({ ...fields, products: ['p1'] }))
  return { topic: 'transactions', key: fields.cid, value }
}
const visit = (fields: Omit<Parameters<typeof pageView>[0], 'id'>): NewRecord => {
  return { topic: 'page-views', key: fields.cid, value: encode('PageView', pageView({ ...fields, id: randomUUID() })) }
}

const credits = async () => {
  const rows = await analytics.query<{ eventId: string; touchEventId: string }>(
    'SELECT eventId, touchEventId FROM attributed_lines FINAL ORDER BY eventId',
  )
  return Object.fromEntries(rows.map(({ eventId, touchEventId }) => [eventId, touchEventId]))
}
const links = async () => [
  ...(await Promise.all(
    ['links_by_cid', 'links_by_uid'].map((table) =>
      analytics.query(
        `SELECT shopId, cid, uid, min(seenAt) AS seenAt, min(provenAt) AS provenAt FROM ${table}
         GROUP BY shopId, cid, uid ORDER BY shopId, cid, uid`,
      ),
    ),
  )),
]

test('an erasure leaves who is one person, and who earned which sale, as all events together tell', async () => {
  await store(
    // Pairs that are seen before and after the request.
    click({ eventId: 'known-click', cid: 'known', uid: 'known-login', at: BEFORE }),
    // Anonymous before the request.
    click({ eventId: 'anonymous-click', cid: 'anonymous', at: BEFORE }),
    sale({ eventId: 'earlier-sale', cid: 'phone', uid: 'new-login', at: BEFORE + HOUR }),
    click({ eventId: 'alone-click', cid: 'alone', at: BEFORE }),
    click({ eventId: 'login-click', cid: 'desk', uid: 'login', at: BEFORE }),
  )
  await store(
    visit({ cid: 'known', uid: 'known-login', at: AFTER }),
    click({ eventId: 'known-again', cid: 'known', uid: 'known-login', at: AFTER + 1 }),
    sale({ eventId: 'known-sale', cid: 'phone-of-known', uid: 'known-login', at: AFTER + 2 }),
    // Now logs in, which joins the browser with another one.
    visit({ cid: 'anonymous', uid: 'new-login', at: AFTER }),
    sale({ eventId: 'new-login-sale', cid: 'phone', uid: 'new-login', at: AFTER + 1 }),
    sale({ eventId: 'alone-sale', cid: 'alone', at: AFTER + 1 }),
    visit({ cid: 'tablet', uid: 'login', at: AFTER }),
    sale({ eventId: 'login-sale', cid: 'tablet', at: AFTER + 1 }),
  )
  expect(await credits()).toMatchObject({ 'alone-sale': 'alone-click', 'login-sale': 'login-click' })
  await erase(
    ...['known', 'anonymous', 'alone'].map((cid) => erasureOf('CID', cid, { requestedAt: ASKED_AT })),
    erasureOf('UID', 'login', { requestedAt: ASKED_AT }),
  )
  const found = { credits: await credits(), links: await links() }
  expect(found.credits).toEqual({
    'earlier-sale': '',
    'known-sale': 'known-again',
    'new-login-sale': '',
    'alone-sale': '',
    'login-sale': '',
  })
  await rebuildAnalytics({ log, analytics, migrate, now, runId: randomUUID, logger: silent })
  expect({ credits: await credits(), links: await links() }).toEqual(found)
})

test('an erasure finds the links of what happened before it was requested and was received later', async () => {
  await store(visit({ cid: 'late', uid: 'late-login', at: BEFORE, receivedAt: AFTER }))
  await erase(erasureOf('CID', 'late', { requestedAt: ASKED_AT }))
  const found = await links()
  expect(JSON.stringify(found)).not.toContain('"late"')
  await rebuildAnalytics({ log, analytics, migrate, now, runId: randomUUID, logger: silent })
  expect(await links()).toEqual(found)
})

test('an erasure names nobody to whom an ad was shown before it was requested, whoever clicks on it later', async () => {
  const shownTo = (cid: string, at: number): NewRecord => {
    const event = touch({ eventId: randomUUID(), cid: 'friend', at, adId: 'p1' })
    const claims = { ...event.claims, cid, uid: 'shown-login', emittedAt: BEFORE }
    return { topic: 'judged-events', key: 'campaign', value: encode('JudgedEvent', { ...event, claims }) }
  }
  const shown = () =>
    analytics.query(
      `SELECT DISTINCT emittedCid, emittedUid FROM judged_events WHERE cid = 'friend' ORDER BY emittedCid`,
    )
  await store(shownTo('shown', AFTER))
  const [cid, uid] = (['CID', 'UID'] as const).map((kind) =>
    erasureOf(kind, kind === 'CID' ? 'shown' : 'shown-login', { requestedAt: ASKED_AT }),
  ) as [Erasure, Erasure]
  await erase(cid, uid)
  const erased = [{ emittedCid: cid.pseudonym, emittedUid: uid.pseudonym }]
  expect(await shown()).toEqual(erased)
  await store(shownTo('shown', AFTER + 1))
  expect(await shown()).toEqual(erased)
  await rebuildAnalytics({ log, analytics, migrate, now, runId: randomUUID, logger: silent })
  expect(await shown()).toEqual(erased)
})

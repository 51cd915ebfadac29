import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../../infra/analytics/migrate.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import type { ErasingLog } from '../../../infra/event-log/erasing-log.ts'
import type { Erasure } from '../../../schemas/records/records.ts'
import { personalTopics } from '../../../schemas/topics.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { createErasure } from '../../../streams/erasure/erasure.ts'
import { rebuildAnalytics } from '../../../streams/rebuild/rebuild.ts'
import { campaign, HOUR, purchase } from '../attribution/events.ts'
import { findableTexts } from './findable.ts'
import { ask, erasureOf, lifeOf, stateOf } from './people.ts'
import { personalData } from './personal-data.ts'
import { now, openWorld, silent, type World } from './world.ts'

const [CID, UID, OTHER] = findableTexts('browser', 'login', 'other') as [string, string, string]
const ERASED_AT = Date.now()
const T0 = ERASED_AT - 10 * HOUR

let world: World
let analytics: Analytics
let log: ErasingLog
beforeAll(async () => {
  world = await openWorld()
  ;({ log, analytics } = world)
})
afterAll(() => world.close())

/** The names of the files that contain a text. */
async function filesWith(text: string): Promise<string[]> {
  const names = await readdir(world.folder, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const each of names.filter((name) => name.isFile())) {
    const path = join(each.parentPath, each.name)
    // The file may be gone by now, because parts of tables are merged all the time.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    if (bytes.includes(text)) found.push(path.slice(world.folder.length + 1))
  }
  return found
}

/** The folders of replaced parts, which the store deletes after some minutes. */
async function replacedParts(): Promise<string[]> {
  const parts = await analytics.query<{ path: string }>('SELECT path FROM system.parts WHERE NOT active')
  return parts.map(({ path }) => path.slice(path.indexOf('analytics/store/')))
}

const tables = [
  ...['emissions', 'judged_events', 'event_corrections', 'transactions', 'page_views', 'touches'],
  ...['transactions_by_person', 'transactions_by_id', 'links_by_cid', 'links_by_uid'],
  ...['attributed_lines', 'credited_lines'],
]

/** The number of rows in each table that contain a text in any column. */
async function rowsWith(text: string): Promise<Record<string, number>> {
  const counts = tables.map(
    (table) =>
      `SELECT '${table}' AS name, toInt64(count()) AS rows FROM ${table} WHERE position(formatRowNoNewline('JSONEachRow', *), {text:String}) > 0`,
  )
  const found = await analytics.query<{ name: string; rows: number }>(counts.join(' UNION ALL '), { text })
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]))
}

const sums = () =>
  analytics.query(
    `SELECT * FROM (SELECT 'credit' AS what, outcome, toInt64(count()) AS rows, toInt64(sum(priceMicros)) AS micros
     FROM attributed_lines FINAL GROUP BY outcome
     UNION ALL SELECT 'spend', verdict, toInt64(count()), toInt64(sum(billedMicros)) FROM judged_events GROUP BY verdict
     UNION ALL SELECT 'people', '', toInt64(uniqExact(shopId, cid)), 0 FROM page_views)
     ORDER BY what, outcome`,
  )

const erasing = (options: { now?: () => number; settledAfterMs?: number } = {}) =>
  createErasure({
    ...{ log, storedLog: log.stored, analytics, runId: randomUUID, settledAfterMs: 0, now, ...options },
    exclusively: (work) => work(),
  })

async function eraseAll(erasures: readonly Erasure[]): Promise<void> {
  const turn = erasing()
  await expect
    .poll(async () => {
      await turn()
      await world.expectNoLoss()
      return Promise.all(erasures.map(async ({ id }) => (await stateOf(log, id)).erasedAt !== null))
    })
    .toEqual(erasures.map(() => true))
}

describe('the erasure of a person', () => {
  const both = [erasureOf('CID', CID, { requestedAt: ERASED_AT }), erasureOf('UID', UID, { requestedAt: ERASED_AT })]
  let before: object[]

  it('begins with a person who is found in the log and in every table', async () => {
    await log.append([
      {
        topic: 'registry',
        key: 'Campaign/campaign',
        value: encode('RegistryEntry', campaign({ version: 1, at: 0, list: [] })),
      },
      ...lifeOf({ cid: CID, uid: UID, at: T0 }),
      ...lifeOf({ cid: OTHER, uid: `u${OTHER}`, at: T0 }),
      // The same cid and uid in another shop belong to another person.
      ...lifeOf({ cid: CID, uid: UID, at: T0, shopId: 'shop-2' }),
    ])
    await world.storeAll()
    before = await sums()
    for (const text of [CID, UID]) {
      const files = await filesWith(text)
      expect(files.some((file) => file.startsWith('log/'))).toBe(true)
      expect(files.some((file) => file.startsWith('analytics/'))).toBe(true)
    }
    const rows = await rowsWith(CID)
    expect(Object.entries(rows).filter(([, found]) => found === 0)).toEqual([])
  })

  it('hands out all that is known of the person, in that shop', async () => {
    const byCid = await personalData(analytics, { shopId: 'shop', identifier: 'cid', value: CID })
    const byUid = await personalData(analytics, { shopId: 'shop', identifier: 'uid', value: UID })
    for (const [data, corrections] of [
      [byCid, 1],
      [byUid, 0],
    ] as const) {
      const { shopId: _shop, identifier: _kind, exportedAt: _at, identifiersSince: _since, linked, ...rows } = data
      expect(Object.fromEntries(Object.entries(rows).map(([part, found]) => [part, found.length]))).toEqual({
        ...{ adRequests: 1, adEvents: 1, transactions: 1, pageViews: 1, credits: 1, corrections },
      })
      expect(linked).toEqual([{ cid: CID, uid: UID, firstSeenAt: new Date(T0).toISOString() }])
      expect(rows.transactions).toMatchObject([{ shopId: 'shop', cid: CID, uid: UID }])
      expect(rows.transactions[0]).not.toHaveProperty('_offset')
    }
  })

  it('leaves the identifiers of the shop in no table, and every sum as it was', async () => {
    await ask(log, both)
    await eraseAll(both)
    expect(await sums()).toEqual(before)
    for (const { id } of both) expect(await stateOf(log, id)).toMatchObject({ logFreeAt: expect.any(Number) })
    const shops = await analytics.query(
      'SELECT DISTINCT shopId FROM judged_events WHERE cid = {cid:String} OR emittedCid = {cid:String} OR uid = {uid:String} OR emittedUid = {uid:String}',
      { cid: CID, uid: UID },
    )
    expect(shops).toEqual([{ shopId: 'shop-2' }])
    const [pseudonym] = both.map((each) => each.pseudonym)
    const rows = await rowsWith(pseudonym!)
    expect(Object.entries(rows).filter(([, found]) => found === 0)).toEqual([])
  })

  it('leaves their bytes in no file that is kept, once the other shop has erased them, too', async () => {
    const others = [
      erasureOf('CID', CID, { requestedAt: ERASED_AT, shopId: 'shop-2' }),
      erasureOf('UID', UID, { requestedAt: ERASED_AT, shopId: 'shop-2' }),
    ]
    await ask(log, others)
    await eraseAll(others)
    expect(await rowsWith(CID)).toEqual(Object.fromEntries(tables.map((each) => [each, 0])))
    // None are left when ClickHouse has removed their files by now.
    const replaced = await replacedParts()
    const isKept = (file: string) => !replaced.some((part) => file.startsWith(part))
    for (const text of [CID, UID]) expect((await filesWith(text)).filter(isKept)).toEqual([])
    expect((await filesWith(OTHER)).length).toBeGreaterThan(1)
    expect(await sums()).toEqual(before)
  })

  it('survives a rebuild', async () => {
    const proofs = await rebuildAnalytics({ log, analytics, migrate, now, runId: randomUUID, logger: silent })
    expect(proofs.filter(({ equal }) => !equal)).toEqual([])
    expect(await sums()).toEqual(before)
    expect(Object.values(await rowsWith(CID)).every((rows) => rows === 0)).toBe(true)
  })

  it('leaves alone what the same browser does afterwards, and erases it when it is asked to again', async () => {
    await log.append(lifeOf({ cid: CID, uid: UID, at: ERASED_AT + 1 }))
    await world.storeAll()
    expect(Object.values(await rowsWith(CID)).every((rows) => rows > 0)).toBe(true)
    const again = [
      erasureOf('CID', CID, { requestedAt: ERASED_AT + 20 * HOUR }),
      erasureOf('UID', UID, { requestedAt: ERASED_AT + 20 * HOUR }),
    ]
    await ask(log, again)
    await eraseAll(again)
    expect(Object.values(await rowsWith(CID)).every((rows) => rows === 0)).toBe(true)
  })

  it('lets who asks while another settles wait no longer for the tables, and each be done in its own time', async () => {
    const at = ERASED_AT + 40 * HOUR
    await log.append([...lifeOf({ cid: `a${CID}`, uid: 'a', at }), ...lifeOf({ cid: `b${CID}`, uid: 'b', at })])
    await world.storeAll()
    const clock = { now: at + 2 * HOUR }
    const turn = erasing({ now: () => clock.now, settledAfterMs: 60_000 })
    const [first, second] = [0, 30_000].map((later, i) =>
      erasureOf('CID', `${'ab'[i]}${CID}`, { requestedAt: clock.now + later }),
    )
    const isGone = async (text: string) => {
      await turn()
      return Object.values(await rowsWith(text)).every((rows) => rows === 0)
    }
    await ask(log, [first!])
    await expect.poll(() => isGone(`a${CID}`)).toBe(true)
    clock.now += 30_000
    await ask(log, [second!])
    await expect.poll(() => isGone(`b${CID}`)).toBe(true)
    const areDone = async () => {
      await turn()
      return [first!, second!].map(async ({ id }) => (await stateOf(log, id)).erasedAt !== null)
    }
    expect(await Promise.all(await areDone())).toEqual([false, false])
    clock.now += 30_000
    await expect.poll(async () => Promise.all(await areDone())).toEqual([true, false])
    clock.now += 30_000
    await expect.poll(async () => Promise.all(await areDone())).toEqual([true, true])
  })

  it('leaves to an order the version that counts, where two were received at the same moment', async () => {
    const eventId = `order-${CID}`
    const versions = [
      purchase({ eventId, cid: `a${CID}-first`, at: T0, products: ['p1', 'p2'] }),
      purchase({ eventId, cid: `b${CID}-second`, at: T0, products: ['p3'] }),
    ]
    await log.append(
      versions.map((each) => ({ topic: 'transactions', key: each.cid, value: encode('Transaction', each) })),
    )
    await world.storeAll()
    const told = async () => [
      await analytics.query(
        'SELECT line, shopProductId FROM attributed_lines FINAL WHERE eventId = {eventId:String} ORDER BY line',
        { eventId },
      ),
      await analytics.query('SELECT revenueMicros FROM v_orders WHERE orderId = {eventId:String}', { eventId }),
    ]
    const before = await told()
    const erasures = [erasureOf('CID', versions[0]!.cid, { requestedAt: Date.now() })]
    await ask(log, erasures)
    await eraseAll(erasures)
    expect(await told()).toEqual(before)
  })

  it('stores what comes late of before under the pseudonym, and shows what is stored by its name to no reader', async () => {
    const late = lifeOf({ cid: CID, uid: UID, at: T0 + 1 })
    for (const [to, from] of [
      [log, log.stored],
      [log.stored, log],
    ] as const) {
      const places = await to.append(late)
      for (const [i, { topic, partition, offset }] of places.entries()) {
        const [read] = await from.read(topic, partition, offset, 1)
        for (const text of [CID, UID]) expect(read!.value!.includes(text), topic).toBe(false)
        expect(read!.key).toBe(late[i]!.key === CID ? both[0]!.pseudonym : late[i]!.key)
      }
      expect(new Set(places.map(({ topic }) => topic))).toEqual(new Set(personalTopics))
    }
  })
})

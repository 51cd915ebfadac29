import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectClickHouse } from '../../../infra/analytics/clickhouse/analytics.ts'
import { migrateClickHouse } from '../../../infra/analytics/clickhouse/migrate.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { type ErasingLog, withErasures } from '../../../infra/event-log/erasing-log.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { attribute } from '../../../streams/attribution/attribution.ts'
import { createErasure } from '../../../streams/erasure/erasure.ts'
import { runToEnd } from '../../../streams/runtime/run-to-end.ts'
import { createSink } from '../../../streams/sink/sink.ts'
import { campaign, HOUR } from '../../streams/attribution/events.ts'
import { findableTexts } from '../../streams/erasure/findable.ts'
import { ask, erasureOf, lifeOf, stateOf } from '../../streams/erasure/people.ts'
import { personalData } from '../../streams/erasure/personal-data.ts'
import { now, silent } from '../../streams/erasure/world.ts'
import { testNamespace } from '../addresses.ts'
import { startTwoShards, type TwoShards } from './two-shards.ts'
import { SHOPS } from './two-shops.ts'

/** People are erased from the tables of two ClickHouse servers, each of which has one shop. */

const REQUESTED_AT = Date.now()
const T0 = REQUESTED_AT - 10 * HOUR
const [CID, UID, OTHER] = findableTexts('browser', 'login', 'other') as [string, string, string]
const namespace = testNamespace()
const folder = mkdtempSync(join(tmpdir(), 'cluster-erasure-'))
let servers: TwoShards
/** Each server by itself. */
let each: Analytics[]
let analytics: Analytics
let log: ErasingLog

beforeAll(async () => {
  servers = await startTwoShards(namespace)
  const options = { url: servers.url, cluster: servers.cluster, namespace }
  await migrateClickHouse(options)
  analytics = connectClickHouse(options)
  each = servers.urls.map((url) => connectClickHouse({ url, namespace }))
  log = withErasures(await openEmbeddedEventLog({ folder }), Date.now)
  const entry = encode('RegistryEntry', campaign({ version: 1, at: 0, list: [] }))
  await log.append([{ topic: 'registry', key: 'Campaign/campaign', value: entry }])
})
afterAll(async () => {
  await Promise.all([log.close(), analytics.close(), ...each.map((one) => one.close())])
  await servers.remove()
  rmSync(folder, { recursive: true })
})

async function store(...lives: Parameters<typeof lifeOf>[0][]): Promise<void> {
  await log.append(lives.flatMap(lifeOf))
  await runToEnd(createSink({ log, analytics, now, logger: silent }))
  while ((await attribute({ log, analytics, runId: randomUUID })) !== null);
}

/** For each server, the number of rows in each table that it stores which contain a text in any column. */
const rowsWith = (text: string) =>
  Promise.all(
    each.map(async (server) => {
      const tables = await server.query<{ name: string }>(
        `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name`,
      )
      const counts = tables.map(async ({ name }) => {
        const sql = `SELECT toInt64(count()) AS rows FROM ${name} WHERE position(formatRowNoNewline('JSONEachRow', *), {text:String}) > 0`
        return [name, (await server.query<{ rows: number }>(sql, { text }))[0]!.rows] as const
      })
      return Object.fromEntries((await Promise.all(counts)).filter(([, rows]) => rows > 0))
    }),
  )

const sums = () =>
  analytics.query(
    `SELECT * FROM (SELECT 'credit' AS what, shopId, outcome, toInt64(count()) AS rows, toInt64(sum(priceMicros)) AS micros
     FROM attributed_lines FINAL GROUP BY shopId, outcome
     UNION ALL SELECT 'spend', shopId, verdict, toInt64(count()), toInt64(sum(billedMicros)) FROM judged_events GROUP BY shopId, verdict
     UNION ALL SELECT 'people', shopId, '', toInt64(uniqExact(cid)), 0 FROM page_views GROUP BY shopId)
     ORDER BY what, shopId, outcome`,
  )

const erasing = () =>
  createErasure({
    ...{ log, storedLog: log.stored, analytics, runId: randomUUID, settledAfterMs: 0, now },
    exclusively: (work) => work(),
  })

const namedTables = [
  ...[
    'attributed_lines',
    'credited_lines',
    'emissions',
    'event_corrections',
    'judged_events',
    'links_by_cid',
    'links_by_uid',
    'page_views',
  ],
  ...['touches', 'transactions_by_id', 'transactions_by_person', 'transactions'],
].map((table) => `${table}_local`)

test('a person is erased from every table of both servers; sums and the exported data stay as they were', async () => {
  await store(
    ...SHOPS.flatMap((shopId) =>
      [CID, OTHER].map((cid) => ({ cid, uid: cid === CID ? UID : `u${cid}`, at: T0, shopId })),
    ),
  )
  for (const rows of await rowsWith(CID)) expect(Object.keys(rows)).toEqual(namedTables)
  const before = await sums()
  const others = await rowsWith(OTHER)
  const dataOf = (shopId: string, value: string) =>
    personalData(analytics, { shopId, identifier: 'cid', value }, { pageRows: 1 })
  const exported = await Promise.all(SHOPS.map((shopId) => dataOf(shopId, CID)))

  const people = SHOPS.map((shopId) =>
    (['CID', 'UID'] as const).map((kind) =>
      erasureOf(kind, kind === 'CID' ? CID : UID, { requestedAt: REQUESTED_AT, shopId }),
    ),
  )
  await ask(log, people.flat())
  const turn = erasing()
  await expect
    .poll(async () => {
      await turn()
      return Promise.all(people.flat().map(async ({ id }) => (await stateOf(log, id)).erasedAt !== null))
    })
    .not.toContain(false)

  expect(await Promise.all([CID, UID].map(rowsWith))).toEqual([
    [{}, {}],
    [{}, {}],
  ])
  expect(await sums()).toEqual(before)
  expect(await rowsWith(OTHER)).toEqual(others)
  for (const [i, [cid, uid]] of people.entries()) {
    const renamed = JSON.stringify(exported[i]).replaceAll(CID, cid!.pseudonym).replaceAll(UID, uid!.pseudonym)
    expect(JSON.stringify(await dataOf(SHOPS[i]!, cid!.pseudonym))).toBe(renamed)
    expect((await dataOf(SHOPS[i]!, CID)).adEvents).toEqual([])
  }
})

test('changes that a server has not finished are waited for, not asked for again', async () => {
  const [slow, shopId] = [each[1]!, SHOPS[1]]
  await store({ cid: `slow-${CID}`, uid: `slow-${UID}`, at: T0, shopId })
  const mutations = async () => {
    // Those of the other tables take their time, too.
    const [found] = await slow.query<{ count: number }>(
      `SELECT toInt64(count()) AS count FROM system.mutations
       WHERE database = currentDatabase() AND table = 'emissions_local' AND NOT is_done`,
    )
    return found!.count
  }
  await slow.command(`SYSTEM STOP MERGES ${namespace}.emissions_local`)
  const person = erasureOf('CID', `slow-${CID}`, { requestedAt: REQUESTED_AT, shopId })
  await ask(log, [person])
  const turn = erasing()
  for (let i = 0; i < 5; i++) await turn()
  expect(await mutations()).toBe(1)
  await slow.command(`SYSTEM START MERGES ${namespace}.emissions_local`)
  await expect
    .poll(async () => {
      await turn()
      return (await stateOf(log, person.id)).erasedAt !== null
    })
    .toBe(true)
  expect(await rowsWith(`slow-${CID}`)).toEqual([{}, {}])
})

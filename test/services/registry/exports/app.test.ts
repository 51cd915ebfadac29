import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Analytics } from '../../../../infra/analytics/port.ts'
import { exportedViews } from '../../../../schemas/http/panel/reports/exports.ts'
import { exportsApp } from '../../../../services/registry/exports/app.ts'
import { factsOf } from '../reports/facts/facts.ts'
import { store } from '../reports/facts/stored.ts'
import { OPERATOR, openWorld, tokens, type Who, type World } from '../reports/world.ts'

const ROWS_MAX = 30
const MIB_MAX = 2
const folder = mkdtempSync(join(tmpdir(), 'exports-'))
let world: World
/** The statement of the last file. */
let asked: Parameters<Analytics['queryParquet']>
beforeAll(async () => {
  world = await openWorld()
  await store(world, factsOf(2), 'exported')
  const analytics: Analytics = {
    ...world.analytics,
    queryParquet(...statement) {
      asked = statement
      return world.analytics.queryParquet(...statement)
    },
  }
  world.server.register(exportsApp({ ...world, analytics, rowsMax: ROWS_MAX, mibMax: MIB_MAX }))
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

const get = (path: string, who: Who = 'pub-a') => {
  const token = who === 'operator' ? OPERATOR : tokens[who]
  return world.server.inject({ url: `/v1/panel/exports/${path}`, headers: { authorization: `Bearer ${token}` } })
}
const MARCH = 'shopId=newYork&from=2026-03-01&to=2026-04-01'

test.each(exportedViews)('%s comes as a file that holds the rows of that shop and time', async (view) => {
  const answer = await get(`${view}?${MARCH}`)
  expect(answer.statusCode, answer.body).toBe(200)
  expect(answer.headers['content-type']).toBe('application/vnd.apache.parquet')
  expect(answer.headers['content-disposition']).toBe(`attachment; filename="${view}.parquet"`)
  const file = join(folder, `${view}.parquet`)
  writeFileSync(file, answer.rawPayload)
  const isByDay = view === 'v_campaign_days'
  // Midnight in New York, before and after its clocks change.
  const time = isByDay
    ? "shopDay >= '2026-03-01' AND shopDay < '2026-04-01'"
    : "occurredAt >= '2026-03-01 05:00:00' AND occurredAt < '2026-04-01 04:00:00'"
  const columns = "COLUMNS('Id$|Micros$|Day$|At$')"
  const [held, wanted] = await Promise.all([
    world.analytics.query(`SELECT ${columns} FROM file('${file}', 'Parquet') ORDER BY ALL`),
    world.analytics.query(`SELECT ${columns} FROM ${view} WHERE shopId = 'newYork' AND ${time} ORDER BY ALL`),
  ])
  expect(held).toEqual(wanted)
  // The facts have no separate orders, and no credited sale of this shop in this month.
  if (!/orders|sales/.test(view)) expect(held.length).toBeGreaterThan(0)
})

test('days of campaigns are read from the events and sales around these days', async () => {
  expect((await get(`v_campaign_days?${MARCH}`)).statusCode).toBe(200)
  const [sql, params] = asked
  const plan = await world.analytics.query<{ explain: string }>(`EXPLAIN indexes = 1 ${sql}`, params)
  const reads = plan
    .map(({ explain }) => explain)
    .join('\n')
    .split('ReadFromMergeTree')
  const ofTime = reads.filter((read) => /^ \(.*\.(judged_events|credited_lines)\)/.test(read))
  expect(ofTime).toHaveLength(3)
  const [first, end] = [Date.UTC(2026, 1, 28) / 1_000, Date.UTC(2026, 3, 2) / 1_000]
  for (const read of ofTime) {
    expect(read).toContain(`toIntervalMillisecond(occurredAt)) in ['${first}', +Inf)`)
    expect(read).toContain(`toIntervalMillisecond(occurredAt)) in (-Inf, '${end}')`)
  }
})

test('more rows than a file may have are refused, with their number', async () => {
  const answer = await get('v_events?shopId=warsaw&from=2026-01-01&to=2026-12-31')
  expect(answer.statusCode).toBe(413)
  expect(answer.json().detail).toMatch(
    /^The period has \d+ rows, but a file can have at most 30: choose a shorter period$/,
  )
})

test('rows that are longer than a file may be are refused, with their size', async () => {
  const long = {
    shopProductId: 'p',
    priceMicros: 1,
    quantity: 1,
    productTitle: 'x'.repeat(100_000),
    brand: null,
    sellerId: null,
  }
  const at = Date.UTC(2026, 7, 1)
  const order = {
    ...{ _topic: 't', _partition: 0, _offset: 1, kind: 'PURCHASE', shopId: 'warsaw', eventId: 'long' },
    cid: 'c',
  }
  const times = { occurredAt: at, receivedAt: at, currency: 'PLN', proof: 'SIGNED', imported: false }
  const lines = Array.from({ length: 30 }, () => long)
  await world.analytics.insert('transactions', [{ ...order, ...times, lines }], { token: 'long' })
  const answer = await get('v_orders?shopId=warsaw&from=2026-08-01&to=2026-08-02')
  expect(answer.statusCode).toBe(413)
  expect(answer.json().detail).toBe(
    'The rows of the period take 3 MiB, but a file can have at most 2: choose a shorter period',
  )
})

test('an advertiser is refused, and the publisher of another shop finds none', async () => {
  expect((await get(`v_orders?${MARCH}`, 'adv-1')).statusCode).toBe(403)
  expect((await get(`v_orders?${MARCH}`, 'pub-b')).statusCode).toBe(404)
  expect((await get(`v_orders?${MARCH}`, 'operator')).statusCode).toBe(200)
})

test.each([
  ['v_shops?shopId=newYork&from=2026-03-01&to=2026-04-01', 'params/view'],
  ['v_clicks?shopId=newYork&from=march&to=2026-04-01', 'querystring/from'],
  ['v_clicks?shopId=newYork&from=2026-03-01&to=2029-04-01', 'querystring/to'],
  ['v_campaign_days?shopId=newYork&from=2026-03-01T00:00:00Z&to=2026-04-01', 'querystring/from'],
])('%s is refused and says where', async (path, field) => {
  const answer = await get(path)
  expect(answer.statusCode).toBe(400)
  expect(answer.body).toContain(field)
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { reportsApp } from '../../../../services/registry/reports/app.ts'
import { PARQUET_TYPE } from '../../../../services/registry/reports/parquet.ts'
import { factsOf, type LineFact } from './facts/facts.ts'
import { store } from './facts/stored.ts'
import { OPERATOR, openWorld, type World } from './world.ts'

const folder = mkdtempSync(join(tmpdir(), 'report-'))
let world: World
beforeAll(async () => {
  world = await openWorld()
  await store(world, factsOf(1), 'reported')
  world.server.register(reportsApp(world))
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

const MONTH = 'from=2026-03-01&to=2026-04-01&shopId=newYork'
const METRICS = ['requests', 'views', 'clicks', 'ctr', 'spend', 'netRevenue', 'roas']

function ask(query: string, headers: Record<string, string> = {}) {
  const authorization = `Bearer ${OPERATOR}`
  return world.server.inject({ url: `/v1/panel/reports?${query}`, headers: { authorization, ...headers } })
}

/** Reads the file with ClickHouse. */
async function read<Row extends object>(file: Buffer, sql: string): Promise<Row[]> {
  const path = join(folder, 'report.parquet')
  writeFileSync(path, file)
  return world.analytics.query<Row>(sql.replace('FILE', `file('${path}', 'Parquet')`))
}

it('has the columns and rows of the report in CSV, with the types of their figures', async () => {
  const query = `${MONTH}&groupBy=day,campaign&metrics=${METRICS}`
  const answer = await ask(`${query}&format=parquet`)
  expect(answer.statusCode, answer.body).toBe(200)
  expect(answer.headers['content-type']).toBe(PARQUET_TYPE)
  expect(answer.headers['content-disposition']).toBe('attachment; filename="report.parquet"')
  const [header, ...lines] = (await ask(`${query}&format=csv`)).body.trimEnd().split('\r\n')
  const types = await read<{ name: string; type: string }>(answer.rawPayload, 'DESCRIBE FILE')
  expect(types.map(({ name, type }) => `${name} ${type}`)).toEqual([
    ...['day', 'campaign', 'campaignName', 'currency'].map((name) => `${name} Nullable(String)`),
    ...['requests', 'views', 'clicks'].map((name) => `${name} Nullable(Int64)`),
    'ctr Nullable(Float64)',
    ...['spend', 'netRevenue'].map((name) => `${name} Nullable(Decimal(38, 6))`),
    'roas Nullable(Float64)',
  ])
  expect(header).toBe(types.map(({ name }) => name).join(','))
  const asText = header!.split(',').map((name) => `ifNull(toString(${name}), '') AS ${name}`)
  const rows = await read<Record<string, string>>(answer.rawPayload, `SELECT ${asText} FROM FILE`)
  expect(rows.length).toBeGreaterThan(0)
  // Like JavaScript, ClickHouse writes the shortest form of a double, and no trailing zeros of a decimal.
  expect(rows.map((row) => Object.values(row).join(','))).toEqual(lines)
})

it('is chosen by Accept, and empty where there is nothing to tell', async () => {
  const nothing = 'from=2020-01-01&to=2020-01-02&shopId=newYork&groupBy=campaign&metrics=views,spend'
  const answer = await ask(nothing, { accept: PARQUET_TYPE })
  expect(answer.headers['content-type']).toBe(PARQUET_TYPE)
  expect(await read(answer.rawPayload, 'SELECT toInt64(count()) AS rows FROM FILE')).toEqual([{ rows: 0 }])
  expect((await ask(nothing, { accept: `text/csv, ${PARQUET_TYPE}` })).headers['content-type']).toContain('text/csv')
})

it('tells in its metadata how the figures are made, when it is asked to', async () => {
  const query = `${MONTH}&metrics=views&format=parquet`
  expect((await ask(query)).body).not.toContain('attributionModel')
  expect((await ask(`${query}&disclosure=true`)).body).toContain('"attributionModel":"LAST_TOUCH"')
})

it('has every digit of a sum, however large it is', async () => {
  // A shop whose currency has small units sells for ten thousand times the largest price.
  const lines = Array.from(
    { length: 10_000 },
    (_, i): LineFact => ({
      ...{ kind: 'PURCHASE', eventId: `large-${i}`, line: 0, shopId: 'lordHowe', occurredAt: Date.parse('2025-05-05') },
      ...{ shopProductId: 'sku', quantity: 1, priceMicros: 999_999_999_999_999, returnedMicros: 0 },
      ...{ currency: 'IRR', country: null },
      credit: { campaignId: 'c-lordHowe-1', adId: 'sku', adUnitId: 'u-lordHowe-1', match: 'DIRECT' },
    }),
  )
  await store(world, { emissions: [], events: [], lines }, 'large')
  const query = 'from=2025-05-01&to=2025-06-01&shopId=lordHowe&metrics=revenue'
  expect((await ask(`${query}&format=csv`)).body).toContain('IRR,9999999999999.99')
  const file = (await ask(`${query}&format=parquet`)).rawPayload
  expect(await read(file, 'SELECT toString(revenue) AS revenue FROM FILE')).toEqual([{ revenue: '9999999999999.99' }])
})

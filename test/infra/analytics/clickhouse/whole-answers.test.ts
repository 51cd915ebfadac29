import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectClickHouse } from '../../../../infra/analytics/clickhouse/analytics.ts'
import { type Analytics, AnalyticsUnavailable } from '../../../../infra/analytics/port.ts'

const ROWS = '{"n":1}\n{"n":2}\n'

/** What the server sends next, after a header that says that it has found two rows. */
let body = ''
const server = createServer((request, response) => {
  request.resume()
  response.setHeader('X-ClickHouse-Query-Id', 'any')
  response.setHeader('X-ClickHouse-Summary', '{"read_rows":"7","result_rows":"2"}')
  response.end(body)
})
let analytics: Analytics

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  analytics = connectClickHouse({ url: `http://127.0.0.1:${port}`, namespace: 'endcap' })
})
afterAll(async () => {
  await analytics.close()
  server.close()
})

it('an answer with all rows is given', async () => {
  body = ROWS
  expect(await analytics.query('SELECT n FROM two')).toEqual([{ n: 1 }, { n: 2 }])
})

it.each(['', ROWS.slice(0, ROWS.indexOf('\n') + 1), ROWS.slice(0, -4)])(
  'an answer that lacks rows is none: %j',
  async (part) => {
    body = part
    await expect(analytics.query('SELECT n FROM two')).rejects.toBeInstanceOf(AnalyticsUnavailable)
  },
)

it('a Parquet file is given whole or not at all', async () => {
  body = 'PAR1 rows and footer PAR1'
  expect(Buffer.from(await analytics.queryParquet('SELECT n FROM two')).toString()).toBe(body)
  for (const part of ['', 'PAR1 rows and foo']) {
    body = part
    await expect(analytics.queryParquet('SELECT n FROM two')).rejects.toBeInstanceOf(AnalyticsUnavailable)
  }
})

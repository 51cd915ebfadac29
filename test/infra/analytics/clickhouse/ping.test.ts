import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { zstdDecompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { connectClickHouse } from '../../../../infra/analytics/clickhouse/analytics.ts'
import { AnalyticsUnavailable } from '../../../../infra/analytics/port.ts'
import { within } from '../../../../infra/within.ts'
import { waitFor } from '../../../wait-for.ts'

const REPORTS = 20
const PING_MAX_MS = 5_000

it('a ping of ClickHouse does not wait for the reports that are being computed, however many there are', async () => {
  const computed: IncomingMessage[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const isZstd = request.headers['content-encoding'] === 'zstd'
    const statement = (isZstd ? zstdDecompressSync(body) : body).toString()
    if (statement.startsWith('SELECT 1')) response.end()
    else computed.push(request)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const analytics = connectClickHouse({ url: `http://127.0.0.1:${port}`, namespace: 'endcap' })

  const reports = Array.from({ length: REPORTS }, () => analytics.query('SELECT sleep(30)'))
  const answers = Promise.allSettled(reports)
  await waitFor(() => computed.length > 0)
  await within(analytics.ping(), PING_MAX_MS, () => new AnalyticsUnavailable('The ping was not answered'))

  server.closeAllConnections()
  server.close()
  await analytics.close()
  expect((await answers).every(({ status }) => status === 'rejected')).toBe(true)
})

import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { zstdDecompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { connectClickHouse } from '../../../../infra/analytics/clickhouse/analytics.ts'
import { waitFor } from '../../../wait-for.ts'

const REPORTS = 20

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
  let ended = 0
  for (const report of reports) void report.catch(() => {}).then(() => ended++)
  await analytics.ping()
  expect(ended).toBe(0)

  server.closeAllConnections()
  server.close()
  await analytics.close()
  expect((await answers).every(({ status }) => status === 'rejected')).toBe(true)
})

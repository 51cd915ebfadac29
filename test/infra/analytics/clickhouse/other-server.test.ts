import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { connectClickHouse } from '../../../../infra/analytics/clickhouse/analytics.ts'
import { AnalyticsUnavailable } from '../../../../infra/analytics/port.ts'

it('what a server that is not ClickHouse answers 200 to counts as not stored and not done', async () => {
  const server = createServer((request, response) => {
    request.resume()
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const analytics = connectClickHouse({ url: `http://127.0.0.1:${port}`, namespace: 'endcap' })
  const calls = {
    insert: () => analytics.insert('views', [{ a: 1 }], { token: 'a' }),
    command: () => analytics.command('TRUNCATE TABLE views'),
    raiseFences: () => analytics.raiseFences([{ scope: 'a', epoch: 1 }]),
  }
  for (const [name, call] of Object.entries(calls)) await expect(call(), name).rejects.toThrow(AnalyticsUnavailable)

  await analytics.close()
  server.close()
  server.closeAllConnections()
})

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cpuText, startServerCpu } from '../../../../services/demo/traffic/server-cpu.ts'
import { emptyTally } from '../../../../services/demo/traffic/shopper.ts'

const used = { cpu: 10, ads: 100, events: 40 }
let server: Server
let metricsUrl: string
beforeEach(async () => {
  Object.assign(used, { cpu: 10, ads: 100, events: 40 })
  server = createServer((_, response) => {
    response.end(`# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.
process_cpu_user_seconds_total 7
process_cpu_seconds_total ${used.cpu}
endcap_http_request_duration_seconds_bucket{le="0.001",method="POST",route="/v1/dsa/raw/batch",status="200"} 3
endcap_http_request_duration_seconds_count{method="POST",route="/v1/dsa/raw/batch",status="200"} ${used.ads}
endcap_http_request_duration_seconds_count{method="POST",route="/v1/ev/batch",status="202"} ${used.events}
`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  metricsUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`
})
afterEach(() => server.close())

test('the processor time of a server is what its metrics count from the start to the end', async () => {
  const cpu = await startServerCpu(metricsUrl)
  Object.assign(used, { cpu: 12.5, ads: 130, events: 70 })
  expect(await cpu(60)).toBe(2.5)
})

test('the processor time of another server, which has answered less than was asked, is not taken for it', async () => {
  const cpu = await startServerCpu(metricsUrl)
  Object.assign(used, { cpu: 12.5, ads: 130, events: 69 })
  expect(await cpu(60)).toBeNull()
})

test('nothing is known of a server whose metrics are off, or cannot be read', async () => {
  expect(await (await startServerCpu(null))(0)).toBeNull()
  const cpu = await startServerCpu(metricsUrl)
  server.close()
  server.closeAllConnections()
  expect(await cpu(0)).toBeNull()
})

test('the processor time is told for each request, and for each ad request and event', () => {
  const events = { pageViews: 4, views: 8, clicks: 2, carts: 1, purchases: 1 }
  const tally = { ...emptyTally(), ...events, requests: 10, latencies: [1, 2, 3, 4] }
  expect(cpuText(0.1, tally)).toBe('0.1 s: 10.00 ms a request, 5.00 ms an ad request or event')
  expect(cpuText(0.1, emptyTally())).toBe('0.1 s: 100.00 ms a request, 100.00 ms an ad request or event')
})

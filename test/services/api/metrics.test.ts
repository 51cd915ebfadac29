import { expect, it } from 'vitest'
import { createMetrics } from '../../../infra/metrics/metrics.ts'
import { createRequestMetrics } from '../../../infra/metrics/requests.ts'
import { listenForMetrics, measureRequests, metricsApp } from '../../../services/api/metrics.ts'
import { createHttpServer } from '../../../services/http/server.ts'

const sampled = {
  streamLags: async () => [
    { stream: 'sink', topic: 'ad-events', records: 3, ageMs: 200, staleMs: 0 },
    { stream: 'sink', topic: 'ad-events', records: 4, ageMs: 1_500, staleMs: 0 },
    { stream: 'signals', topic: null, records: 0, ageMs: 60_000, staleMs: 0 },
    { stream: 'attribution', topic: 'ad-events', records: 2, ageMs: 300, staleMs: 8_000 },
  ],
  pausedPartitions: async () => [{ stream: 'sink', topic: 'judged-events', partitions: 2 }],
  deadLetters: async (): Promise<number> => Promise.reject(new Error('the log is down')),
  emissionQueue: () => 5,
  spool: () => ({ records: 3, bytes: 200 }),
}

it('GET /metrics tells of requests by route and status, of ads, events and streams', async () => {
  const requests = createRequestMetrics(sampled)
  const metrics = createMetrics(sampled, async () => [await requests.values()])
  const server = createHttpServer({ logger: false })
  measureRequests(server, requests)
  server.register(metricsApp({ metrics }))
  server.get('/thing/:id', async () => ({}))
  await server.inject('/thing/1')
  await server.inject('/thing/2')
  await server.inject('/nowhere/3')
  requests.adsSelected({ kind: 'SPONSORED', durationMs: 4, shortfalls: ['DEADLINE', 'DEADLINE'] })
  requests.eventsTaken({ type: 'ad-events', code: null, count: 10 })
  requests.eventsTaken({ type: 'element', code: 'INVALID', count: 2 })

  const { body, headers } = await server.inject('/metrics')
  expect(headers['content-type']).toContain('text/plain')
  const lines = body.split('\n')
  expect(lines).toContain('endcap_http_request_duration_seconds_count{method="GET",route="/thing/:id",status="200"} 2')
  expect(lines).toContain('endcap_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1')
  expect(lines).toContain('endcap_selection_duration_seconds_bucket{le="0.005",kind="SPONSORED"} 1')
  expect(lines).toContain('endcap_selection_shortfalls_total{kind="SPONSORED",reason="DEADLINE"} 2')
  expect(lines).toContain('endcap_events_accepted_total{type="ad-events"} 10')
  expect(lines).toContain('endcap_events_rejected_total{type="element",code="INVALID"} 2')
  expect(lines).toContain('endcap_stream_lag_records{stream="sink",topic="ad-events"} 7')
  expect(lines).toContain('endcap_stream_lag_seconds{stream="sink"} 1.5')
  expect(lines).toContain('endcap_stream_lag_seconds{stream="signals"} 60')
  expect(lines).toContain('endcap_stream_lag_stale_seconds{stream="sink"} 0')
  expect(lines).toContain('endcap_stream_lag_stale_seconds{stream="attribution"} 8')
  expect(lines).toContain('endcap_stream_partitions{stream="sink",topic="ad-events"} 2')
  expect(lines).toContain('endcap_stream_paused_partitions{stream="sink",topic="judged-events"} 2')
  expect(lines).toContain('endcap_dead_letters Nan')
  expect(lines).toContain('endcap_emission_queue_records 5')
  expect(body).toContain('process_cpu_seconds_total')
  await server.close()
})

it('begins every series of a counter at zero, so that its first increase can be seen', async () => {
  const requests = createRequestMetrics(null)
  const { body } = await createMetrics(null, async () => [await requests.values()]).render()
  const lines = body.split('\n')
  expect(lines).toContain('endcap_selection_shortfalls_total{kind="DISPLAY",reason="DEADLINE"} 0')
  expect(lines).toContain('endcap_events_accepted_total{type="transactions"} 0')
  expect(lines).toContain('endcap_events_rejected_total{type="element",code="INVALID_SHOW_ID"} 0')
  expect(lines).toContain('endcap_requests_limited_total{limit="shopEventsPerMinute"} 0')
  expect(lines).toContain('endcap_emissions_lost_total 0')
})

it('begins the failures of every route at zero, before anybody asks for it', async () => {
  const requests = createRequestMetrics(null)
  const metrics = createMetrics(null, async () => [await requests.values()])
  const server = createHttpServer({ logger: false })
  measureRequests(server, requests)
  server.register(async (inner) => {
    inner.post('/things/:id', () => Promise.reject(new Error('unexpected')))
    inner.route({ method: ['PUT', 'PATCH'], url: '/things', handler: async () => ({}) })
  })
  await server.ready()
  const failures = async () =>
    (await metrics.render()).body.split('\n').filter((line) => line.startsWith('endcap_http_failures_total{'))
  const series = (method: string, route: string, status: number, count: number) =>
    `endcap_http_failures_total{method="${method}",route="${route}",status="${status}"} ${count}`
  const others = [
    series('PUT', '/things', 500, 0),
    series('PUT', '/things', 503, 0),
    series('PATCH', '/things', 500, 0),
    series('PATCH', '/things', 503, 0),
    series('POST', '/things/:id', 503, 0),
  ]
  expect((await failures()).toSorted()).toEqual([...others, series('POST', '/things/:id', 500, 0)].toSorted())
  await server.inject({ method: 'POST', url: '/things/1' })
  await server.inject({ method: 'PUT', url: '/things' })
  await server.inject('/nowhere')
  expect((await failures()).toSorted()).toEqual([...others, series('POST', '/things/:id', 500, 1)].toSorted())
  await server.close()
})

it('adds up what threads have counted, and what waits in each', async () => {
  const threads = [createRequestMetrics(sampled), createRequestMetrics({ ...sampled, emissionQueue: () => 2 })]
  const metrics = createMetrics(sampled, () => Promise.all(threads.map((each) => each.values())))
  for (const [i, each] of threads.entries()) {
    each.eventsTaken({ type: 'ad-events', code: null, count: 1 + i })
    each.requestServed({ method: 'GET', route: '/', status: 200, durationMs: 2 })
  }
  const lines = (await metrics.render()).body.split('\n')
  expect(lines).toContain('endcap_events_accepted_total{type="ad-events"} 3')
  expect(lines).toContain('endcap_http_request_duration_seconds_count{method="GET",route="/",status="200"} 2')
  expect(lines).toContain('endcap_emission_queue_records 7')
  expect(lines).toContain('endcap_spool_records 6')
  expect(lines.filter((line) => line.startsWith('endcap_dead_letters'))).toHaveLength(1)
})

it('tells two that ask at once the same as one', async () => {
  const metrics = createMetrics(sampled, async () => [])
  for (const { body } of await Promise.all([metrics.render(), metrics.render()])) {
    const lines = body.split('\n')
    expect(lines).toContain('endcap_stream_lag_records{stream="sink",topic="ad-events"} 7')
    expect(lines).toContain('endcap_stream_lag_seconds{stream="sink"} 1.5')
    expect(lines).toContain('endcap_stream_partitions{stream="sink",topic="ad-events"} 2')
    expect(lines).toContain('endcap_stream_paused_partitions{stream="sink",topic="judged-events"} 2')
  }
})

it('are served on an address of their own, and on any free port when another process has the usual one', async () => {
  const metrics = createMetrics(null, async () => [])
  const first = await listenForMetrics(metrics, { host: '127.0.0.1', port: 0, orAnyFree: false })
  const { port } = new URL(first.url)
  const usual = { host: '127.0.0.1', port: Number(port) }
  const second = await listenForMetrics(metrics, { ...usual, orAnyFree: true })
  expect(new URL(second.url).port).not.toBe(port)
  for (const { url } of [first, second]) expect(await (await fetch(url)).text()).toContain('process_cpu_seconds_total')
  await expect(listenForMetrics(metrics, { ...usual, orAnyFree: false })).rejects.toThrow(/EADDRINUSE/)
  await Promise.all([first.close(), second.close()])
})

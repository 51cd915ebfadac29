import { afterEach, expect, it, vi } from 'vitest'
import { Degraded, type HealthCheck, healthApp, NotReady } from '../../../services/api/health.ts'
import { createHttpServer } from '../../../services/http/server.ts'

afterEach(() => vi.useRealTimers())

async function ask(path: string, checks: Record<string, HealthCheck>) {
  const server = createHttpServer({ logger: false })
  server.register(healthApp({ checks }))
  const answer = await server.inject(path)
  await server.close()
  return { status: answer.statusCode, body: answer.json() }
}

it('is live as long as it answers', async () => {
  expect(await ask('/health/live', { log: () => Promise.reject(new Error('down')) })).toEqual({
    status: 200,
    body: { status: 'ok' },
  })
})

it('is ready when every check holds', async () => {
  const checks = { log: async () => undefined, streams: async () => true }
  expect(await ask('/health/ready', checks)).toEqual({
    status: 200,
    body: { status: 'ok', checks: { log: 'ok', streams: 'ok' } },
  })
})

it('is not ready when a check fails, holds not, or does not answer; and says which but not why', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const asked = ask('/health/ready', {
    log: () => Promise.reject(new Error('secret address')),
    streams: async () => false,
    index: () => new Promise(() => queueMicrotask(() => vi.advanceTimersByTime(2_000))),
    analytics: async () => 1,
  })
  const failed = { log: 'failed', streams: 'failed', index: 'failed', analytics: 'ok' }
  expect(await asked).toEqual({ status: 503, body: { status: 'failed', checks: failed } })
})

it('says what an operator must do, also while it still serves', async () => {
  const stale = async () => new Degraded('the copy ends at offset 7')
  expect(await ask('/health/ready', { registry: stale, log: async () => undefined })).toEqual({
    status: 200,
    body: {
      status: 'degraded',
      checks: { registry: 'degraded', log: 'ok' },
      reasons: { registry: 'the copy ends at offset 7' },
    },
  })
  const waits = () => Promise.reject(new NotReady('sink, judged-events/1: needs a newer version'))
  expect(await ask('/health/ready', { registry: stale, streams: waits })).toMatchObject({
    status: 503,
    body: { status: 'failed', reasons: { streams: 'sink, judged-events/1: needs a newer version' } },
  })
})

it('asks each part once, however many callers ask at the same time, and again when another one asks later', async () => {
  let asked = 0
  const server = createHttpServer({ logger: false })
  const index = async () => {
    asked++
    await new Promise(setImmediate)
  }
  server.register(healthApp({ checks: { index } }))
  await server.ready()
  const answers = await Promise.all(Array.from({ length: 50 }, () => server.inject('/health/ready')))
  expect(new Set(answers.map(({ body }) => body))).toEqual(new Set(['{"status":"ok","checks":{"index":"ok"}}']))
  expect(asked).toBe(1)
  await server.inject('/health/ready')
  expect(asked).toBe(2)
  await server.close()
})

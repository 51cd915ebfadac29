import { describe, expect, it, vi } from 'vitest'
import { LogUnavailable } from '../../../infra/event-log/port.ts'
import { defaultLimits } from '../../../services/domain/limits.ts'
import { createHttpServer } from '../../../services/http/server.ts'
import { createLogger } from '../../../services/process/logger.ts'

function serverThatSays() {
  const clock = { now: 0 }
  const said: { level: number; msg: string; route: string; suppressed?: number; err: { message: string } }[] = []
  const logger = createLogger('info', { write: (line: string) => void said.push(JSON.parse(line)) })
  const server = createHttpServer({ logger, now: () => clock.now })
  return { server, said, clock }
}
const WARN = 40
const ERROR = 50

it('says once a second that requests are refused, and how many were passed over', async () => {
  const { server, said, clock } = serverThatSays()
  server.get('/away', () => Promise.reject(new LogUnavailable('the disk is full')))
  for (let i = 0; i < 20; i++) {
    const answer = await server.inject('/away')
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2'])
    clock.now += 100
  }
  expect(said).toMatchObject([
    { level: WARN, msg: 'requests are refused', route: '/away', suppressed: 0, err: { message: 'the disk is full' } },
    { level: WARN, msg: 'requests are refused', route: '/away', suppressed: 9 },
  ])
})

it('says that requests are refused also once the clock has been set back', async () => {
  const { server, said, clock } = serverThatSays()
  server.get('/away', () => Promise.reject(new LogUnavailable('the disk is full')))
  await server.inject('/away')
  clock.now -= 3_600_000
  await server.inject('/away')
  expect(said).toHaveLength(2)
})

it('says each failure that nobody expected, and none of what callers do wrong', async () => {
  const { server, said } = serverThatSays()
  server.get('/broken', () => Promise.reject(new TypeError('it is broken')))
  for (let i = 0; i < 3; i++) expect((await server.inject('/broken')).statusCode).toBe(500)
  expect((await server.inject('/nowhere')).statusCode).toBe(404)
  expect(said.map(({ level, route, err }) => [level, route, err.message])).toEqual(
    Array(3).fill([ERROR, '/broken', 'it is broken']),
  )
})

it('waits for a part that takes long to open', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const server = createHttpServer({ logger: false })
    const opened = Promise.withResolvers<void>()
    server.register(async (part) => {
      await opened.promise
      part.get('/there', async () => 'yes')
    })
    const ready = server.ready()
    await vi.advanceTimersByTimeAsync(60_000)
    opened.resolve()
    await ready
    expect((await server.inject('/there')).body).toBe('yes')
    await server.close()
  } finally {
    vi.useRealTimers()
  }
})

describe.each([
  ['the main thread', undefined],
  ['another thread', () => {}],
])('the server of %s', (_, elsewhere) => {
  it('keeps idle connections, and lets headers and bodies arrive, for as long as the limits say', async () => {
    const limits = { ...defaultLimits, idleSeconds: 90, headersSeconds: 600 }
    const server = createHttpServer({ logger: false, limits, ...(elsewhere ? { elsewhere } : {}) })
    server.get('/there', async () => 'yes')
    const url = await server.listen({ port: 0, host: '127.0.0.1' })
    const { headers } = await fetch(`${url}/there`)
    expect(headers.get('keep-alive')).toBe('timeout=90')
    expect(server.server).toMatchObject({ keepAliveTimeout: 90_000, headersTimeout: 600_000, requestTimeout: 0 })
    await server.close()
  })
})

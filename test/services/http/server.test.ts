import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
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

it('hangs up on a client that reads nothing of its answer, and on none that waits for it or reads it slowly', async () => {
  const server = createHttpServer({ logger: false, limits: { ...defaultLimits, idleSeconds: 2 } })
  const bytes = Buffer.alloc(32 * 1024 * 1024)
  server.get('/whole', async () => bytes)
  server.get('/stream', async () => Readable.from(Array.from({ length: 512 }, () => bytes.subarray(0, 65_536))))
  server.get('/late', async () => {
    await setTimeout(3_000)
    return Readable.from(lateParts())
  })
  async function* lateParts() {
    yield bytes
    await setTimeout(3_000)
    yield 'the end'
  }
  const broken: string[] = []
  server.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => void (reply.raw.writableFinished || broken.push(request.url)))
    done()
  })
  const { port, hostname } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }))
  const open = (path: string) => {
    const socket = connect(Number(port), hostname)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    return socket
  }
  const stalled = ['/whole', '/stream'].map(open)
  for (const socket of stalled) socket.on('error', () => {}).pause()
  let late = ''
  open('/late').on('data', (chunk) => {
    late = `${late}${chunk.toString('latin1')}`.slice(-100)
  })
  let read = 0
  const slow = open('/whole').on('data', (chunk) => {
    read += chunk.length
    slow.pause()
    void setTimeout(2).then(() => slow.resume())
  })
  await expect.poll(() => broken).toHaveLength(2)
  await expect.poll(() => [late.includes('the end'), read > bytes.length]).toEqual([true, true])
  expect(broken.sort()).toEqual(['/stream', '/whole'])
  for (const socket of [...stalled, slow]) socket.destroy()
  await server.close()
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

import { MessagePort } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { HttpServer } from '../../../services/http/server.ts'
import { createWholeApi } from './whole-api.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
let server: HttpServer
/** Every path of the OpenAPI document with its parameters filled in, and its methods. */
let paths: [path: string, methods: string[]][]
beforeAll(async () => {
  server = await createWholeApi()
  const document = (await server.inject('/docs/json')).json<{ paths: Record<string, object> }>()
  paths = Object.entries(document.paths).map(([path, operations]) => [
    path.replace(/\{\w+\}/g, 'x.1'),
    Object.keys(operations).map((method) => method.toUpperCase()),
  ])
})
afterAll(() => server.close())

/** The Allow header: GET implies HEAD, and OPTIONS is always there. */
function allowOf(methods: string[]): string {
  const all = [...methods, 'OPTIONS', ...(methods.includes('GET') ? ['HEAD'] : [])]
  return [...new Set(all)].sort().join(', ')
}

describe('every path of the API', () => {
  it('answers 405 with Allow to methods that it does not know', async () => {
    expect(paths.length).toBeGreaterThan(40)
    for (const [url, methods] of paths) {
      for (const method of METHODS) {
        const answer = await server.inject({ method: method as 'GET', url: `${url}?a=b` })
        const isKnown = allowOf(methods).split(', ').includes(method)
        if (isKnown) {
          expect(answer.statusCode, `${method} ${url}`).not.toBe(405)
          continue
        }
        expect(answer.statusCode, `${method} ${url}`).toBe(405)
        expect(answer.headers).toMatchObject({
          allow: allowOf(methods),
          'content-type': 'application/problem+json; charset=utf-8',
        })
        if (method !== 'HEAD') expect(answer.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED', status: 405 })
      }
    }
  })

  it('tells its methods to OPTIONS, also with a slash at its end', async () => {
    for (const [url, methods] of paths) {
      for (const asked of [url, `${url}/`]) {
        const answer = await server.inject({ method: 'OPTIONS', url: asked })
        expect([answer.statusCode, answer.headers.allow, answer.body], asked).toEqual([204, allowOf(methods), ''])
      }
    }
  })
})

const ORIGIN = 'https://shop.example'
const PUBLIC = [
  ...['/v1/dsa/raw/batch', '/v1/banner/dsa/raw/batch', '/v1/dsa/emissionInfo', '/v1/banner/dsa/emissionInfo'],
  ...['/v1/dsa/view-event', '/v1/banner/dsa/click-event', '/v1/ev/transaction', '/v1/ev/page-view', '/v1/ev/batch'],
  ...['/v1/events/purchase', '/v1/dsa/formatted/x/y/1/1', '/v1/dsa/script.js', '/v1/images/x'],
]
const corsOf = (headers: Record<string, unknown>) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control'))

describe('a page of another origin', () => {
  it.each(PUBLIC)('may ask before it sends, and is answered by its name: %s', async (url) => {
    const headers = { origin: ORIGIN, 'access-control-request-method': 'POST' }
    const answer = await server.inject({ method: 'OPTIONS', url, headers })
    expect(answer.statusCode).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, POST',
      vary: 'Origin',
    })
    const allowed = String(answer.headers['access-control-allow-headers']).split(', ')
    const needed = ['content-type', 'cid', 'uid', 'traceparent', 'tracestate', 'x-requested-with', 'authorization']
    expect(allowed).toEqual(expect.arrayContaining([...needed, 'endcap-signature']))
  })

  it.each(PUBLIC)('reads the answer, errors too, and its request-id: %s', async (url) => {
    const answer = await server.inject({ method: 'POST', url, headers: { origin: ORIGIN }, payload: {} })
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
      'request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(answer.headers['access-control-expose-headers']).toContain('request-id')
  })

  it('gets the library of the script under a Vary of both that it depends on', async () => {
    const answer = await server.inject({ url: '/v1/dsa/script.js', headers: { origin: ORIGIN } })
    if (answer.statusCode === 200) expect(answer.headers.vary).toBe('Origin, Accept-Encoding')
    expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN)
  })

  it('reads nothing of the management API, of health and of the documentation', async () => {
    const others = paths.map(([url]) => url).filter((url) => !/^\/v1\/(dsa|banner|ev|events|images)\//.test(url))
    expect(others.length).toBeGreaterThan(30)
    for (const url of [...others, '/docs/json', '/v1/panel/images', '/V1/dsa/x', '/nothing']) {
      const asked = { origin: ORIGIN, 'access-control-request-method': 'GET' }
      const preflight = await server.inject({ method: 'OPTIONS', url, headers: asked })
      expect(corsOf(preflight.headers), `OPTIONS ${url}`).toEqual([])
      const answer = await server.inject({ url, headers: { origin: ORIGIN } })
      expect(corsOf(answer.headers), `GET ${url}`).toEqual([])
    }
  })

  it('is not let in when CORS_ORIGINS names others', async () => {
    const strict = await createWholeApi({ corsOrigins: ['https://one.example', 'https://two.example'] })
    const ask = async (origin: string) =>
      (await strict.inject({ method: 'POST', url: '/v1/ev/batch', headers: { origin }, payload: {} })).headers
    expect(await ask('https://two.example')).toMatchObject({ 'access-control-allow-origin': 'https://two.example' })
    for (const origin of [ORIGIN, 'null', 'https://one.example.evil']) {
      expect(await ask(origin)).toMatchObject({ vary: 'Origin' })
      expect((await ask(origin))['access-control-allow-origin']).toBeUndefined()
    }
    await strict.close()
  })
})

it('names requests itself: an id that a caller sends is not taken over', async () => {
  const ask = async () =>
    (await server.inject({ url: '/health/live', headers: { 'request-id': 'mine' } })).headers['request-id']
  expect(await ask()).toMatch(/^[0-9a-f-]{36}$/)
  expect(await ask()).not.toBe(await ask())
})

it.each(['GET', 'POST', 'OPTIONS', 'PROPFIND'])('answers 404 to %s of a path that it does not have', async (method) => {
  for (const url of ['/nothing', '/v1/panel/feeds/a/b/c/d', '/v1/ev/batch/x']) {
    const answer = await server.inject({ method: method as 'GET', url })
    expect([answer.statusCode, answer.json().code, answer.headers.allow]).toEqual([404, 'NOT_FOUND', undefined])
  }
})

it('answers 405 to methods that are rarely heard of', async () => {
  const answer = await server.inject({ method: 'PROPFIND' as 'GET', url: '/health/live' })
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
})

it('finds styles and scripts of the documentation, whether its address ends with a slash or not', async () => {
  for (const address of ['/docs', '/docs/']) {
    const { body } = await server.inject(address)
    const links = [...body.matchAll(/(?:href|src)="([^"]+)"/g)].map(
      ([, link]) => new URL(link!, `http://x${address}`).pathname,
    )
    expect(links.length).toBeGreaterThan(4)
    for (const link of links) expect((await server.inject(link)).statusCode, `${link} of ${address}`).toBe(200)
  }
})

it('makes the documentation in a thread of its own, and each page once, in whatever spelling it is asked for', async () => {
  const fresh = await createWholeApi()
  const written = vi.spyOn(JSON, 'stringify')
  const posted = vi.spyOn(MessagePort.prototype, 'postMessage')
  try {
    const first = await fresh.inject('/docs/json')
    expect(first.json()).toMatchObject({ openapi: '3.1.0' })
    // The document would take this thread a few tenths of a second, in which it answers nobody else.
    expect(written.mock.calls.filter(([value]) => (value as { openapi?: string } | null)?.openapi)).toEqual([])
    expect(posted).toHaveBeenCalled()
    posted.mockClear()
    const again = await fresh.inject('/docs/json?again')
    expect([again.statusCode, again.body === first.body]).toEqual([200, true])
    const unchanged = { 'if-none-match': String(first.headers.etag) }
    expect((await fresh.inject({ url: '/docs/%6ason', headers: unchanged })).statusCode).toBe(304)
    expect((await fresh.inject('/docs/%2fjson')).statusCode).toBe(404)
    expect(posted).not.toHaveBeenCalled()
  } finally {
    written.mockRestore()
    posted.mockRestore()
    await fresh.close()
  }
})

describe('every answer', () => {
  it('to a path that the documentation does not have is a problem document', async () => {
    for (const url of ['/docs/nothing', '/docs//elsewhere', '/docs/static/nothing.js', '/docs/static/%00']) {
      const answer = await server.inject(url)
      expect(answer.headers['content-type'], url).toContain('application/problem+json')
      expect(answer.json(), url).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    }
  })

  it('says that nothing may be read into its type, and that no cache keeps what the API answers', async () => {
    for (const [url, methods] of paths) {
      const answer = await server.inject({ method: methods[0] as 'GET', url })
      expect(answer.headers['x-content-type-options'], url).toBe('nosniff')
      if (url.startsWith('/v1/panel/')) expect(answer.headers['cache-control'], url).toBe('no-store')
      if (url.startsWith('/v1/ev/')) expect(answer.headers['cache-control'], url).toBeUndefined()
    }
    for (const url of ['/%761/panel/shops', '/v1/pa%6Eel/shops/?limit=1']) {
      expect((await server.inject(url)).headers['cache-control'], url).toBe('no-store')
    }
    for (const url of ['/health/live', '/nowhere', '/docs/json', '/panel/', '/%']) {
      const answer = await server.inject(url)
      expect(answer.headers['x-content-type-options'], url).toBe('nosniff')
      expect(answer.headers['strict-transport-security'], url).toBeUndefined()
    }
  })

  it('demands TLS from then on where the public address has it', async () => {
    const secure = await createWholeApi({ publicUrl: 'https://api.ads.example' })
    for (const url of ['/health/live', '/nowhere', '/v1/panel/shops']) {
      expect((await secure.inject(url)).headers['strict-transport-security'], url).toBe('max-age=31536000')
    }
    await secure.close()
  })

  it('is nothing about how busy the program is', async () => {
    for (const url of ['/metrics', '/metrics/', '/%6detrics', '//metrics', '/metrics?x']) {
      expect((await server.inject(url)).statusCode, url).toBe(404)
    }
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import type { HttpServer } from '../../services/http.ts'
import { createWholeApi } from '../whole-api.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
let server: HttpServer
/** Every path of the OpenAPI document, with its parameters filled in, and its methods. */
let paths: [path: string, methods: string[]][]
beforeAll(async () => {
  server = await createWholeApi()
  const document = (await server.inject('/docs/json')).json<{ paths: Record<string, object> }>()
  paths = Object.entries(document.paths).map(([path, operations]) => [
    path.replace(/\{\w+\}/g, 'x.1'),
    Object.keys(operations).map((method) => method.toUpperCase()),
  ])
})

/** GET brings HEAD, and OPTIONS is known everywhere. */
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

it('lets browsers ask before they send: a preflight is answered by CORS', async () => {
  const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' }
  const answer = await server.inject({ method: 'OPTIONS', url: '/v1/ev/batch', headers })
  expect(answer.statusCode).toBe(204)
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST',
  })
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

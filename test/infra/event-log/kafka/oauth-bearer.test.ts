import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTokenSource } from '../../../../infra/event-log/kafka/oauth-bearer.ts'
import { LogUnavailable } from '../../../../infra/event-log/port.ts'

let server: Server
let answer: { status: number; body: string }
let requests: number
let clock: number
let token: () => Promise<string>

const tokenOf = (name: string, expiresIn?: unknown) => ({
  status: 200,
  body: JSON.stringify({ access_token: name, expires_in: expiresIn }),
})

beforeEach(async () => {
  requests = 0
  clock = 1_000_000
  server = createServer((_, response) => {
    requests++
    response.writeHead(answer.status).end(answer.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const endpoint = { url: `http://127.0.0.1:${port}/token`, clientId: 'id', clientSecret: 's3cret', scope: null }
  token = createTokenSource(endpoint, () => clock)
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

it('a token is used by all until a fifth of its life is left', async () => {
  answer = tokenOf('one', 1_000)
  expect(await Promise.all([token(), token(), token()])).toEqual(['one', 'one', 'one'])
  answer = tokenOf('two', 1_000)
  clock += 799_000
  expect(await token()).toBe('one')
  clock += 1_000
  expect(await token()).toBe('two')
  expect(requests).toBe(2)
})

it('a short token is renewed before its connection signs in again', async () => {
  answer = tokenOf('one', 30)
  await token()
  answer = tokenOf('two', 30)
  clock += 15_000
  expect(await token()).toBe('two')
})

it('while the endpoint is away the token at hand is used to its end, and no longer', async () => {
  answer = tokenOf('one', '100')
  await token()
  answer = { status: 503, body: '' }
  clock += 99_000
  expect(await token()).toBe('one')
  clock += 1_000
  await expect(token()).rejects.toThrow(LogUnavailable)
  answer = tokenOf('two')
  expect(await token()).toBe('two')
})

it.each([
  ['no JSON', 200, 'a token'],
  ['no object', 200, 'null'],
  ['no token', 200, '{}'],
  ['a token of other characters', 200, '{"access_token":"a\\u0001b","expires_in":60}'],
  ['a life of nothing', 200, '{"access_token":"a","expires_in":0}'],
  ['a redirect', 302, ''],
  ['an error that repeats the secret', 400, '{"error":"s3cret is wrong"}'],
])('%s is refused without repeating it', async (_, status, body) => {
  answer = { status, body }
  const error = await token().catch((error: Error) => error)
  expect(error).toBeInstanceOf(LogUnavailable)
  expect(String(error)).not.toMatch(/s3cret/)
})

import { describe, expect, it } from 'vitest'
import type { HttpServer } from '../../../../services/http/server.ts'
import { listening } from './echo-server.ts'

describe('a body of JSON', () => {
  const post = (server: HttpServer, payload: string | Buffer, type = 'application/json') =>
    server.inject({ method: 'POST', url: '/echo', headers: { 'content-type': type }, payload })

  it.each([
    ['brackets', '['.repeat(500_000)],
    ['properties', '{"a":'.repeat(100_000)],
    ['33 lists', `${'['.repeat(33)}${']'.repeat(33)}`],
    ['too many values', `[${'0,'.repeat(50_000)}0]`],
    ['too many properties', `{${Array.from({ length: 25_001 }, (_, i) => `"${i}":0`).join()}}`],
  ])('is not parsed when it is %s', async (_, json) => {
    const { server } = await listening()
    const answer = await post(server, json)
    expect([answer.statusCode, answer.json().code]).toEqual([413, 'TOO_LARGE'])
  })

  it.each([
    ['32 lists', `${'['.repeat(32)}${']'.repeat(32)}`],
    ['brackets in a text', JSON.stringify('[{,:'.repeat(30_000))],
    ['quotes and backslashes', JSON.stringify('\\"['.repeat(30_000))],
    ['a text that ends with a backslash', JSON.stringify(['\\', '['.repeat(40), '\\\\'])],
    ['many values', `[${'0,'.repeat(49_000)}0]`],
  ])('is parsed when it is %s', async (_, json) => {
    const { server } = await listening()
    const answer = await post(server, json)
    expect([answer.statusCode, answer.json().read]).toEqual([200, JSON.parse(json)])
  })

  it.each(['', '{', '"', '"\\', '{"a":1}}', 'nul', '{"__proto__":{}}', '{"constructor":{"prototype":1}}'])(
    'is refused as %j',
    async (json) => {
      const { server } = await listening()
      const answer = await post(server, json)
      expect([answer.statusCode, answer.json().code]).toEqual([400, 'MALFORMED_JSON'])
    },
  )

  it('is the only kind where a route says nothing else', async () => {
    const { server } = await listening()
    for (const type of ['text/plain', 'text/plain;charset=UTF-8', 'application/xml', 'nonsense']) {
      const answer = await post(server, '{}', type)
      expect([answer.statusCode, answer.json().detail], type).toEqual([415, 'Send the content type application/json'])
    }
  })

  it('may be missing where a route takes none, whatever its type', async () => {
    const { server } = await listening()
    const answer = await server.inject({
      method: 'DELETE',
      url: '/thing',
      headers: { 'content-type': 'application/json' },
    })
    expect([answer.statusCode, answer.body]).toEqual([200, 'gone'])
  })
})

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defaultLimits } from '../../../../../services/domain/limits.ts'
import {
  type FetchOptions,
  type FetchRequest,
  fetchFeed,
  fetchOptions,
} from '../../../../../services/registry/feeds/source/fetch.ts'

let folder: string
let server: Server
let base: string
let answer: RequestListener
let requests: IncomingMessage[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-fetch-'))
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(async () => {
  requests = []
  server = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const path = () => join(folder, 'feed')
function fetch(request: Partial<FetchRequest> = {}, options: Partial<FetchOptions> = {}) {
  return fetchFeed(
    {
      url: `${base}/feed.xml`,
      credentials: null,
      etag: null,
      lastModified: null,
      path: path(),
      signal: new AbortController().signal,
      ...request,
    },
    { ...fetchOptions(defaultLimits, true), ...options },
  )
}

describe('fetching', () => {
  it('stores the body as it comes, and what the next fetch shall ask with', async () => {
    const packed = gzipSync('<rss/>')
    answer = (_request, response) => {
      response.writeHead(200, {
        etag: '"v1"',
        'last-modified': 'Mon, 01 Jun 2026 00:00:00 GMT',
        'content-encoding': 'gzip',
      })
      response.end(packed)
    }
    expect(await fetch()).toEqual({
      tag: 'FETCHED',
      validators: { etag: '"v1"', lastModified: 'Mon, 01 Jun 2026 00:00:00 GMT' },
    })
    expect(await readFile(path())).toEqual(packed)
    expect(requests[0]!.headers).toMatchObject({ 'accept-encoding': 'gzip' })
    expect(requests[0]!.headers).not.toHaveProperty('if-none-match')
  })

  it('is conditional when it knows an earlier answer', async () => {
    answer = (request, response) => {
      response.statusCode = request.headers['if-none-match'] === '"v1"' ? 304 : 200
      response.end()
    }
    expect(await fetch({ etag: '"v1"', lastModified: 'Mon' })).toEqual({ tag: 'NOT_MODIFIED' })
    expect(requests[0]!.headers).toMatchObject({ 'if-none-match': '"v1"', 'if-modified-since': 'Mon' })
  })

  it('follows five redirects, relative ones too, and no sixth', async () => {
    answer = (request, response) => {
      const hops = Number(request.url!.slice(2))
      if (hops === 0) response.end('<rss/>')
      else response.writeHead([301, 302, 303, 307, 308][hops % 5]!, { location: `/r${hops - 1}` }).end()
    }
    expect(await fetch({ url: `${base}/r5` })).toMatchObject({ tag: 'FETCHED' })
    await expect(fetch({ url: `${base}/r6` })).rejects.toThrow('redirects more than 5 times')
  })

  it('signs in at the origin of the address, and nowhere that it redirects to', async () => {
    const other = createServer((request, response) => {
      requests.push(request)
      response.end('<rss/>')
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
    answer = (request, response) =>
      void response.writeHead(302, { location: request.url === '/feed.xml' ? '/again' : elsewhere }).end()
    await fetch({ credentials: { username: 'shop', password: 's:e' } })
    other.close()
    const basic = `Basic ${Buffer.from('shop:s:e').toString('base64')}`
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([basic, basic, undefined])
  })

  it('names no address that a host resolves to', async () => {
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    for (const options of [{ allowPrivateAddresses: false }, {}]) {
      const failure = await fetch({ url: 'http://inside.example:1/' }, { resolve, ...options }).catch((error) => error)
      expect(failure.message).toMatch(/inside\.example is not at a public address|the server refuses connections/)
      expect(failure.message).not.toContain('127.0.0.1')
      expect(failure.code).not.toBe('INTERRUPTED')
    }
  })

  it.each([404, 403, 500, 204, 206, 304])('fails at the status %i', async (status) => {
    answer = (_request, response) => void response.writeHead(status).end()
    await expect(fetch()).rejects.toThrow(`status ${status}`)
  })

  const BROKE_OFF = {
    code: 'INTERRUPTED',
    message: expect.stringContaining('broke before the feed was complete'),
  }

  it('fails when the body ends before its length', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('<rss>')
      setImmediate(() => response.socket!.destroy())
    }
    await expect(fetch()).rejects.toMatchObject(BROKE_OFF)
  })

  it('fails when a chunked body ends without its end', async () => {
    answer = (_request, response) => {
      response.write('<rss>')
      setImmediate(() => response.socket!.destroy())
    }
    await expect(fetch()).rejects.toMatchObject(BROKE_OFF)
  })

  it('gives up on a server that does not answer, one that stops, and one that takes for ever', async () => {
    answer = () => {}
    await expect(fetch({}, { connectTimeoutMs: 50 })).rejects.toThrow('No answer within 0.05 s')
    answer = (_request, response) => void response.write('<rss>')
    await expect(fetch({}, { pace: { spanMs: 50, bytesMin: 1 } })).rejects.toThrow('under 1 bytes in 0.05 s')
    answer = (_request, response) => {
      const timer = setInterval(() => response.write(' '), 5)
      response.on('close', () => clearInterval(timer))
    }
    await expect(fetch({}, { totalTimeoutMs: 100 })).rejects.toThrow('did not arrive within 0.1 s')
  })

  it('ends at once when it is cancelled', async () => {
    const abort = new AbortController()
    answer = () => abort.abort()
    await expect(fetch({ signal: abort.signal })).rejects.toThrow(/abort/i)
  })

  it('stops at the size limit', async () => {
    answer = (_request, response) => response.end('x'.repeat(2_000))
    await expect(fetch({}, { bytesMax: 1_000 })).rejects.toThrow('over 1000 bytes')
  })

  it('refuses an encoding that it did not ask for', async () => {
    answer = (_request, response) => response.writeHead(200, { 'content-encoding': 'br' }).end('x')
    await expect(fetch()).rejects.toThrow('Content-Encoding br')
  })

  it('says so when nobody is there', async () => {
    const port = (server.address() as AddressInfo).port
    await new Promise((resolve) => server.close(resolve))
    await expect(fetch({ url: `http://127.0.0.1:${port}/` })).rejects.toThrow('could not be fetched')
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
})

describe('private addresses', () => {
  const guarded = (url: string, options: Partial<FetchOptions> = {}) =>
    fetch({ url }, { allowPrivateAddresses: false, ...options })

  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://user:pw@10.0.0.1/',
    'https://192.168.0.1/',
  ])('are refused as the host: %s', async (url) => {
    await expect(guarded(url)).rejects.toThrow('not at a public address')
  })

  it.each(['file:///etc/passwd', 'ftp://a.example/', 'gopher://a.example/', 'data:,x', 'nonsense'])(
    'cannot be got around with %s',
    async (url) => {
      await expect(guarded(url)).rejects.toThrow('not an http or https address')
    },
  )

  it('are refused when a name resolves to one, even to one among public ones', async () => {
    const { port } = server.address() as AddressInfo
    const resolve = async () => [
      { address: '93.184.215.14', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]
    await expect(guarded(`http://feeds.example:${port}/`, { resolve })).rejects.toThrow(
      'feeds.example is not at a public address',
    )
    expect(requests).toEqual([])
  })

  it('are refused when the name turns to one between two hops', async () => {
    const { port } = server.address() as AddressInfo
    answer = (_request, response) => response.writeHead(302, { location: `http://feeds.example:${port}/next` }).end()
    const asked: string[] = []
    const resolve = async (host: string) => {
      asked.push(host)
      return [{ address: '127.0.0.1', family: 4 }]
    }
    // The first hop is allowed as if it were public; the second hop's address is checked.
    let first = true
    const options: FetchOptions = {
      ...fetchOptions(defaultLimits, true),
      resolve,
      get allowPrivateAddresses() {
        return first
      },
    }
    answer = (_request, response) => {
      first = false
      response.writeHead(302, { location: `http://feeds.example:${port}/next` }).end()
    }
    const request = {
      credentials: null,
      etag: null,
      lastModified: null,
      path: path(),
      signal: new AbortController().signal,
    }
    await expect(fetchFeed({ ...request, url: `http://shop.example:${port}/` }, options)).rejects.toThrow(
      'feeds.example is not at a public address',
    )
    expect(asked).toEqual(['shop.example', 'feeds.example'])
    expect(requests).toHaveLength(1)
  })

  it('are refused as the goal of a redirect', async () => {
    const { port } = server.address() as AddressInfo
    let first = true
    const options: FetchOptions = {
      ...fetchOptions(defaultLimits, true),
      get allowPrivateAddresses() {
        return first
      },
    }
    for (const location of ['http://127.0.0.1:1/', 'http://[::1]/', 'file:///etc/passwd']) {
      first = true
      answer = (_request, response) => {
        first = false
        response.writeHead(302, { location }).end()
      }
      const request = {
        credentials: null,
        etag: null,
        lastModified: null,
        path: path(),
        signal: new AbortController().signal,
      }
      await expect(fetchFeed({ ...request, url: `http://127.0.0.1:${port}/` }, options)).rejects.toThrow(
        /not at a public|not an http/,
      )
    }
  })

  it('connects to the very address that was judged', async () => {
    const { port } = server.address() as AddressInfo
    answer = (_request, response) => response.end('<rss/>')
    let asked = 0
    const resolve = async () => {
      asked++
      return [{ address: '127.0.0.1', family: 4 }]
    }
    await fetch({ url: `http://nowhere.invalid:${port}/` }, { resolve })
    expect(asked).toBe(1)
    expect(requests[0]!.headers.host).toBe(`nowhere.invalid:${port}`)
  })
})

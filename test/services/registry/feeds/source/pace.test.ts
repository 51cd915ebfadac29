import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defaultLimits } from '../../../../../services/domain/limits.ts'
import { fetchFeed, fetchOptions } from '../../../../../services/registry/feeds/source/fetch.ts'

const pace = { spanMs: 60_000, bytesMin: 1_000 }
const SPANS = 6
const server = createServer()
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-pace-'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(async () => {
  vi.useRealTimers()
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

/** Begins a fetch of a feed whose server sends only what the test says. */
async function begin() {
  const path = join(folder, 'feed')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.xml`
  const request = { url, credentials: null, etag: null, lastModified: null, path, signal: new AbortController().signal }
  const asked = once(server, 'request')
  const fetched = fetchFeed(request, { ...fetchOptions(defaultLimits, true), pace })
  // A failure is seen where the test waits for the outcome.
  fetched.catch(() => {})
  const [, response] = (await asked) as [unknown, ServerResponse]
  let sentBytes = 0
  /** Resolves once the bytes have arrived. */
  async function send(bytes: number): Promise<void> {
    response.write(' '.repeat(bytes))
    sentBytes += bytes
    await expect.poll(async () => (await stat(path)).size).toBe(sentBytes)
  }
  await send(1)
  for (let span = 0; span < SPANS; span++) {
    await send(pace.bytesMin)
    vi.advanceTimersByTime(pace.spanMs)
  }
  return { fetched, send, end: () => response.end('<rss/>') }
}

it('a server that sends as many bytes in each span as it must is not hung up on', async () => {
  const { fetched, end } = await begin()
  end()
  expect(await fetched).toMatchObject({ tag: 'FETCHED' })
})

it('a server that sends fewer bytes in a span than it must is hung up on', async () => {
  const { fetched, send } = await begin()
  await send(pace.bytesMin / 2)
  vi.advanceTimersByTime(pace.spanMs)
  await expect(fetched).rejects.toThrow('arrived too slowly: under 1000 bytes in 60 s')
})

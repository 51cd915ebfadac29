import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { encode } from '../../../../../schemas/wire/codec.ts'
import { offerKey } from '../../../../../services/domain/catalogue/offer.ts'
import { defaultLimits } from '../../../../../services/domain/limits.ts'
import { noCounts } from '../../../../../services/registry/feeds/runs/job.ts'
import { type RunDeps, runFeed } from '../../../../../services/registry/feeds/runs/run.ts'
import { fetchOptions } from '../../../../../services/registry/feeds/source/fetch.ts'
import { readEntries } from '../../../../../services/registry/products/product-entries.ts'
import { item, rss } from '../documents.ts'
import { type Engines, openEngines } from '../engines.ts'

/** A feed whose products also get updates through the API. The later statement about a product counts, with or without an ETag. */

let engines: Engines
let server: Server
let url: string
let answer: RequestListener
let now: number
let run = 0
let shopId: string
/** What the registry keeps between two runs. */
let known: { etag: string | null; lastModified: string | null; contentHash: string | null }

beforeAll(async () => {
  engines = await openEngines()
  server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(async () => {
  server.close()
  await engines.close()
})
beforeEach(() => {
  shopId = `shop-${run++}`
  now = Date.UTC(2026, 5, 15, 12)
  known = { etag: null, lastModified: null, contentHash: null }
})

const serve = (content: string, etag?: string) => {
  answer = (request, response) => {
    if (etag && request.headers['if-none-match'] === etag) return void response.writeHead(304).end()
    // Compress differently each time, as servers do: the bytes differ, but the feed is the same.
    const level = 1 + (run++ % 9)
    response.writeHead(200, { 'content-encoding': 'gzip', ...(etag ? { etag } : {}) }).end(gzipSync(content, { level }))
  }
}

async function fetchRun(trigger: 'SCHEDULE' | 'MANUAL' = 'SCHEDULE') {
  const runId = `run-${run++}`
  const deps: RunDeps = {
    log: engines.log,
    index: engines.index,
    caughtUp: engines.catchUp,
    fetch: fetchOptions(defaultLimits, true),
    readInTurn: (read) => read(),
    now: () => now,
  }
  const outcome = await runFeed(
    deps,
    {
      runId,
      feed: { id: 'F', shopId, currency: 'EUR', lang: null },
      task: {
        tag: 'FETCH',
        url,
        credentials: null,
        ...known,
        ...(trigger === 'MANUAL' ? { etag: null, contentHash: null } : {}),
        isFresh: false,
      },
      contentPath: join(engines.folder, `${runId}.content`),
      heldPath: join(engines.folder, `${runId}.held`),
    },
    { signal: new AbortController().signal, counts: noCounts() },
  )
  known = outcome.content ?? known
  return outcome
}

async function update(id: string, price: number | null) {
  const product = {
    feedId: 'F',
    id,
    title: 'T',
    price,
    isAvailable: true,
    link: 'https://a.example/',
    imageLink: 'https://a.example/',
  }
  const entry = { batchId: 'b', method: price === null ? 'DELETE' : 'UPSERT', product }
  const { taken } = readEntries([entry], new Map([['F', { shopId, currency: 'EUR', lang: null }]]), now)
  const { offer } = taken[0]!
  const value = offer && encode('ProductOffer', offer)
  await engines.log.append([{ topic: 'products', key: offerKey(shopId, 'F', id), value }])
}

const prices = async () =>
  Object.fromEntries([...(await engines.offers(shopId))].map(([id, offer]) => [id, offer.priceMicros / 1e6]).toSorted())

it.each([undefined, '"v1"'])('keeps updates until the feed says something new, with ETag %s', async (etag) => {
  serve(rss(...['a', 'b', 'c'].map((id) => item({ id, price: '10.00 EUR' }))), etag)
  await fetchRun()
  await update('a', 7)
  await update('b', null)
  await update('n', 5)
  expect(await fetchRun()).toMatchObject({ status: 'DONE', counts: { changed: 0, removed: 0 } })
  expect(await prices()).toEqual({ a: 7, c: 10, n: 5 })

  serve(rss(...['a', 'b', 'c'].map((id) => item({ id, price: '12.00 EUR' }))), '"v2"')
  await fetchRun()
  expect(await prices()).toEqual({ a: 12, b: 12, c: 12 })
})

it('lets a sale begin for a product that was not updated, and leaves one that was', async () => {
  const sale = { price: '10.00 EUR', sale_price: '8.00 EUR', sale_price_effective_date: '2026-06-16/2026-06-17' }
  serve(rss(item({ id: 'a', ...sale }), item({ id: 'b', ...sale })))
  await fetchRun()
  await update('a', 9)
  now += 24 * 3_600_000
  expect(await fetchRun()).toMatchObject({ counts: { changed: 1, unchanged: 1 } })
  const offers = await engines.offers(shopId)
  expect(offers.get('a')).toMatchObject({ priceMicros: 9_000_000, salePriceMicros: null })
  expect(offers.get('b')).toMatchObject({ priceMicros: 10_000_000, salePriceMicros: 8_000_000 })
})

it('takes the offers of the feed when a run is asked for', async () => {
  serve(rss(item({ id: 'a', price: '10.00 EUR' })))
  await fetchRun()
  await update('a', 7)
  await fetchRun('MANUAL')
  expect(await prices()).toEqual({ a: 10 })
})

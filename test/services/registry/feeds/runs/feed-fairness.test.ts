import { randomUUID } from 'node:crypto'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { defaultLimits } from '../../../../../services/domain/limits.ts'
import { Snapshot } from '../../../../../services/domain/snapshot.ts'
import { createFeedRuns } from '../../../../../services/registry/feeds/runs/feed-runs.ts'
import { runsOf } from '../../../../../services/registry/feeds/runs/run-state.ts'
import { createFeedRunner } from '../../../../../services/registry/feeds/runs/runner.ts'
import { fetchOptions } from '../../../../../services/registry/feeds/source/fetch.ts'
import { openFeedFiles } from '../../../../../services/registry/feeds/source/files.ts'
import { created, openRegistry, removed } from '../../../../../services/registry/resources/store.ts'
import { waitFor } from '../../../../wait-for.ts'
import { item, rss } from '../documents.ts'
import { type Engines, openEngines } from '../engines.ts'

const shop = {
  ...{ name: 'S', currency: 'EUR', lang: 'en', country: 'DE', timeZone: 'UTC' },
  ...{
    clickWindowHours: 24,
    viewWindowHours: 24,
    reserveCpcMicros: 0,
    transactionTrust: 'OPEN' as const,
    invalidTraffic: [],
    synonyms: '',
  },
}

let engines: Engines
let server: Server
let base: string
let dripping: ServerResponse[]

beforeAll(async () => {
  engines = await openEngines()
  server = createServer((request, response) => {
    if (request.url !== '/drip') {
      response.end(rss(item({ id: 'a' })))
      return
    }
    dripping.push(response)
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await engines.close()
})

/** Opens feed runs, with publishers whose feeds have a shop each. */
async function openRuns(options: { limits?: Partial<typeof defaultLimits>; spanMs?: number } = {}) {
  dripping = []
  const limits = { ...defaultLimits, ...options.limits }
  const fetch = fetchOptions(limits, true)
  if (options.spanMs) fetch.pace = { spanMs: options.spanMs, bytesMin: 1_000 }
  const registry = await openRegistry({ log: engines.log, snapshot: new Snapshot(), now: Date.now })
  const runs = createFeedRuns({
    registry,
    limits,
    runner: createFeedRunner({ ...engines, caughtUp: engines.catchUp, fetch, now: Date.now }),
    files: await openFeedFiles(join(engines.folder, randomUUID())),
    intervalMs: 3_600_000,
    now: Date.now,
    uuid: randomUUID,
    logger: { error: () => {} },
  })
  await runs.start()
  const write = (change: ReturnType<typeof created>) => registry.write([change], { by: 'test' })
  return {
    runs,
    async publisher() {
      const accountId = randomUUID()
      return {
        async feed(path: string) {
          const [shopId, feedId] = [randomUUID(), randomUUID()]
          await write(created('Shop', shopId, { ...shop, accountId }))
          const feed = {
            shopId,
            name: 'F',
            url: base + path,
            currency: 'EUR',
            lang: null,
            etag: null,
            lastModified: null,
            contentHash: null,
            username: null,
            password: null,
            keptUpload: null,
          }
          await write(created('Feed', feedId, feed))
          return { feedId, run: () => runsOf(registry.snapshot, feedId)[0]?.body }
        },
      }
    },
    async close() {
      await runs.close()
      // Remove the feeds, which the next test's process would fetch too.
      await registry.write(
        [...registry.snapshot.all('Feed')].map((feed) => removed(feed)),
        { by: 'test' },
      )
      await registry.close()
    },
  }
}

it('reads a publisher while all feeds of another drip', async () => {
  const { publisher, close } = await openRuns()
  const [slow, honest] = [await publisher(), await publisher()]
  const drips = await Promise.all(Array.from({ length: 10 }, () => slow.feed('/drip')))
  await waitFor(() => dripping.length === defaultLimits.accountFeedRunsAtOnce)
  const feeds = await Promise.all(Array.from({ length: 3 }, () => honest.feed('/feed.xml')))
  await waitFor(() => feeds.every(({ run }) => run()?.status === 'DONE'))
  expect(dripping.length).toBe(defaultLimits.accountFeedRunsAtOnce)
  expect(drips.map(({ run }) => run()?.status).sort()).toEqual([...Array(8).fill('QUEUED'), 'RUNNING', 'RUNNING'])
  await close()
})

it('ends runs whose server drips, in turn, and says why', async () => {
  const { publisher, close } = await openRuns({ spanMs: 200 })
  const slow = await publisher()
  const drips = await Promise.all(Array.from({ length: 4 }, () => slow.feed('/drip')))
  await waitFor(() => drips.every(({ run }) => run()?.status === 'FAILED'))
  expect(drips[3]!.run()!.message).toBe('The feed arrived too slowly: under 1000 bytes in 0.2 s')
  await close()
})

it('lets so many runs of one publisher wait, and as many of another', async () => {
  const { runs, publisher, close } = await openRuns({ limits: { accountFeedRunsAtOnce: 1, accountFeedRunsWaiting: 2 } })
  const slow = await publisher()
  const first = await slow.feed('/drip')
  await waitFor(() => first.run()?.status === 'RUNNING')
  const [, , third] = [await slow.feed('/drip'), await slow.feed('/drip'), await slow.feed('/drip')]
  await expect(runs.request(third.feedId, 'me')).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 60 })
  await runs.tick()
  expect(third.run()).toBeUndefined()
  const feed = await (await publisher()).feed('/feed.xml')
  await waitFor(() => feed.run()?.status === 'DONE')
  await close()
})

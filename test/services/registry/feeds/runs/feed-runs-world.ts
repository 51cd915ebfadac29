import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { FeedRun } from '../../../../../schemas/records/entities.ts'
import { createUuid } from '../../../../../services/domain/identity/uuid.ts'
import { defaultLimits, type Limits } from '../../../../../services/domain/limits.ts'
import { Snapshot } from '../../../../../services/domain/snapshot.ts'
import { createFeedRuns, type FeedRuns } from '../../../../../services/registry/feeds/runs/feed-runs.ts'
import type { FeedRunner } from '../../../../../services/registry/feeds/runs/job.ts'
import { runsOf } from '../../../../../services/registry/feeds/runs/run-state.ts'
import { createFeedRunner } from '../../../../../services/registry/feeds/runs/runner.ts'
import { fetchOptions } from '../../../../../services/registry/feeds/source/fetch.ts'
import { type FeedFiles, openFeedFiles } from '../../../../../services/registry/feeds/source/files.ts'
import { created, openRegistry, type Registry, removed } from '../../../../../services/registry/resources/store.ts'
import { waitFor } from '../../../../wait-for.ts'
import { item, rss } from '../documents.ts'
import { type Engines, openEngines } from '../engines.ts'

export const HOUR_MS = 3_600_000
export const UPLOAD_BYTES_MAX = 2 * 1024 ** 2

/** What the tests of a file share: engines and a server of feeds. Each test has its own feed. */
export interface FeedRunsWorld {
  engines: Engines
  /** The address of the feed on the server, which answers with `content`. Without an ETag the server knows of no versions. */
  url: string
  content: { xml: string; etag: string | null; status: number }
  /** The header `if-none-match` of each request to that address. */
  requests: (string | undefined)[]
  registry: Registry
  runs: FeedRuns
  runner: FeedRunner
  files: FeedFiles
  /** UTC epoch milliseconds. */
  now: number
  feedId: string
  shopId: string
  /** The id of the run for each removal of a run's files. */
  cleared: string[]
}

const unfetched = {
  ...{ etag: null, lastModified: null, contentHash: null, username: null, password: null, keptUpload: null },
}

export const products = (...ids: string[]) => rss(...ids.map((id) => item({ id })))
export const body = (text: string) => Readable.from([Buffer.from(text)])

/** Opens a world before the tests of a file, and closes it after them. */
export function feedRunsWorld() {
  const world = { now: Date.UTC(2026, 5, 15) } as FeedRunsWorld
  const uuid = createUuid({ now: () => world.now, randomBytes })
  let server: Server

  beforeAll(async () => {
    world.engines = await openEngines()
    server = createServer((request, response) => {
      world.requests.push(request.headers['if-none-match'])
      const { xml, etag, status } = world.content
      if (etag !== null && request.headers['if-none-match'] === etag) response.writeHead(304).end()
      else response.writeHead(status, etag === null ? {} : { etag }).end(xml)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    world.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.xml`
  })
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve))
    await world.engines.close()
  })

  beforeEach(async () => {
    const { log, index, catchUp } = world.engines
    Object.assign(world, { requests: [], cleared: [], feedId: randomUUID(), shopId: randomUUID() })
    world.content = { xml: products('a', 'b', 'c'), etag: '"1"', status: 200 }
    const fetch = fetchOptions(defaultLimits, true)
    world.runner = createFeedRunner({ log, index, caughtUp: catchUp, fetch, now: () => world.now })
    await open()
  })
  afterEach(async () => {
    // Remove the feed, which the next test's process would fetch too.
    const feed = world.registry.snapshot.get('Feed', world.feedId)
    if (feed) await world.registry.write([removed(feed)], { by: 'test' })
    await close()
  })

  async function open(changes: { runner?: FeedRunner; limits?: Limits } = {}) {
    const now = () => world.now
    const { cleared, runner } = world
    world.registry = await openRegistry({ log: world.engines.log, snapshot: new Snapshot(), now })
    const files = await openFeedFiles(folder(), UPLOAD_BYTES_MAX)
    world.files = { ...files, remove: (runId: string) => files.remove(runId).finally(() => cleared.push(runId)) }
    world.runs = createFeedRuns({
      registry: world.registry,
      runner,
      files: world.files,
      intervalMs: HOUR_MS,
      limits: defaultLimits,
      now,
      uuid,
      logger: { error: () => {} },
      ...changes,
    })
    await world.runs.start()
  }

  async function close() {
    await world.runs.close()
    await world.registry.close()
  }

  async function createFeed(url: string | null = world.url) {
    const feed = { shopId: world.shopId, name: 'F', url, currency: 'EUR', lang: null, ...unfetched }
    await world.registry.write([created('Feed', world.feedId, feed)], { by: 'test' })
  }

  const folder = () => join(world.engines.folder, world.shopId)
  const feedNow = () => world.registry.snapshot.get('Feed', world.feedId)!
  const statuses = () => runsOf(world.registry.snapshot, world.feedId).map(({ body: run }) => run.status)
  const latest = () => runsOf(world.registry.snapshot, world.feedId)[0]!
  const ids = async () => [...(await world.engines.offers(world.shopId)).keys()].sort()

  /** The latest run, once all runs have ended. */
  async function ended(count = 1): Promise<FeedRun> {
    await waitFor(() => statuses().length >= count && !statuses().some((s) => s === 'QUEUED' || s === 'RUNNING'))
    world.now += 1
    return latest().body
  }

  return { world, open, close, createFeed, folder, feedNow, statuses, latest, ids, ended }
}

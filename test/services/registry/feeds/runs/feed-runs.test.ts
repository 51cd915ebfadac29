import { randomUUID } from 'node:crypto'
import { access, readdir } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { MessageChannel } from 'node:worker_threads'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connect, serve } from '../../../../../infra/threads/calls.ts'
import type { FeedRun } from '../../../../../schemas/records/entities.ts'
import { defaultLimits } from '../../../../../services/domain/limits.ts'
import { Snapshot } from '../../../../../services/domain/snapshot.ts'
import { RUNS_KEPT_PER_FEED } from '../../../../../services/registry/feeds/runs/execute-run.ts'
import { createFeedRuns, type FeedRuns } from '../../../../../services/registry/feeds/runs/feed-runs.ts'
import type { FeedRunner } from '../../../../../services/registry/feeds/runs/job.ts'
import { runsOf } from '../../../../../services/registry/feeds/runs/run-state.ts'
import { createFeedRunner, feedRunnerClient } from '../../../../../services/registry/feeds/runs/runner.ts'
import { fetchOptions } from '../../../../../services/registry/feeds/source/fetch.ts'
import { openFeedFiles } from '../../../../../services/registry/feeds/source/files.ts'
import {
  changed,
  created,
  openRegistry,
  type Registry,
  removed,
} from '../../../../../services/registry/resources/store.ts'
import { waitFor } from '../../../../wait-for.ts'
import { item, rss } from '../documents.ts'
import { type Engines, openEngines } from '../engines.ts'

const HOUR_MS = 3_600_000

let engines: Engines
let server: Server
let url: string
/** Null: the server knows of none. */
let content: { xml: string; etag: string | null; status: number }
let requests: (string | undefined)[]
let registry: Registry
let runs: FeedRuns
let runner: FeedRunner
let now = Date.UTC(2026, 5, 15)
let feedId: string
let shopId: string

beforeAll(async () => {
  engines = await openEngines()
  server = createServer((request, response) => {
    requests.push(request.headers['if-none-match'])
    const { xml, etag, status } = content
    if (etag !== null && request.headers['if-none-match'] === etag) response.writeHead(304).end()
    else response.writeHead(status, etag === null ? {} : { etag }).end(xml)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.xml`
})
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
  await engines.close()
})

beforeEach(async () => {
  requests = []
  cleared = []
  feedId = randomUUID()
  shopId = randomUUID()
  content = { xml: products('a', 'b', 'c'), etag: '"1"', status: 200 }
  runner = createFeedRunner({
    log: engines.log,
    index: engines.index,
    caughtUp: engines.catchUp,
    fetch: fetchOptions(defaultLimits, true),
    now: () => now,
  })
  await open()
})
afterEach(async () => {
  // Remove the feed, which the next test's process would fetch too.
  const feed = registry.snapshot.get('Feed', feedId)
  if (feed) await registry.write([removed(feed)], { by: 'test' })
  await close()
})

/** The id of the run for each removal of a run's files. */
let cleared: string[]

async function open(changes: { runner?: FeedRunner } = {}) {
  registry = await openRegistry({ log: engines.log, snapshot: new Snapshot(), now: () => now })
  const files = await openFeedFiles(folder(), 100_000)
  const logger = { error: () => {} }
  const deps = {
    registry,
    runner,
    files: { ...files, remove: (runId: string) => files.remove(runId).finally(() => cleared.push(runId)) },
    intervalMs: HOUR_MS,
    limits: defaultLimits,
    now: () => now,
    uuid: randomUUID,
    logger,
    ...changes,
  }
  runs = createFeedRuns(deps)
  await runs.start()
}

async function close() {
  await runs.close()
  await registry.close()
}

const folder = () => join(engines.folder, shopId)
const products = (...ids: string[]) => rss(...ids.map((id) => item({ id })))
const body = (text: string) => Readable.from([Buffer.from(text)])

async function createFeed(feedUrl: string | null = url) {
  const feed = { shopId, name: 'F', url: feedUrl, currency: 'EUR', lang: null, ...unfetched }
  await registry.write([created('Feed', feedId, feed)], { by: 'test' })
}
const feedNow = () => registry.snapshot.get('Feed', feedId)!
const statuses = () => runsOf(registry.snapshot, feedId).map(({ body: run }) => run.status)
const latest = () => runsOf(registry.snapshot, feedId)[0]!

/** The latest run, once all runs have ended. */
async function ended(count = 1): Promise<FeedRun> {
  await waitFor(() => statuses().length >= count && !statuses().some((s) => s === 'QUEUED' || s === 'RUNNING'))
  now += 1
  return latest().body
}
const ids = async () => [...(await engines.offers(shopId)).keys()].sort()

const unfetched = {
  ...{ etag: null, lastModified: null, contentHash: null, username: null, password: null, keptUpload: null },
}

describe('a feed with a url', () => {
  it('is fetched when it is made, and every hour after, conditionally', async () => {
    await createFeed()
    expect(await ended()).toMatchObject({ status: 'DONE', trigger: 'SCHEDULE', total: 3, changed: 3, shopId })
    expect(feedNow().body).toMatchObject({ etag: '"1"' })
    await runs.tick()
    expect(statuses()).toEqual(['DONE'])

    now += HOUR_MS
    await runs.tick()
    expect(await ended(2)).toMatchObject({ status: 'DONE', total: 3, changed: 0, unchanged: 3 })
    expect(requests).toEqual([undefined, '"1"'])

    content = { ...content, xml: products('a', 'b', 'n'), etag: '"2"' }
    now += HOUR_MS
    await runs.tick()
    expect(await ended(3)).toMatchObject({ changed: 1, unchanged: 2, removed: 1 })
    expect(feedNow().body).toMatchObject({ etag: '"2"' })
    expect(await ids()).toEqual(['a', 'b', 'n'])
  })

  it.each([
    ['"1"', [undefined, '"1"', '"1"']],
    [null, [undefined, undefined, undefined]],
  ])(
    'is not read again while it is the same, with ETag %s, and shows the issues of the run that read it',
    async (etag, asked) => {
      content = {
        ...content,
        etag,
        xml: rss(item({ id: 'a' }), item({ id: 'b', price: '5 TRY' }), item({ id: 'c', gtin: '1' })),
      }
      await createFeed()
      const read = await ended()
      const { id } = latest()
      const numbers = { total: 3, rejected: 1, warnings: 1, rejectedCurrencies: { TRY: 1 } }
      expect(read).toMatchObject({ ...numbers, changed: 2, currency: 'EUR', issuesRunId: null })
      for (const count of [2, 3]) {
        now += HOUR_MS
        await runs.tick()
        expect(await ended(count)).toMatchObject({ ...numbers, changed: 0, unchanged: 2, issuesRunId: id })
      }
      expect(requests).toEqual(asked)
    },
  )

  it('is read again while the same content is held', async () => {
    content = { ...content, etag: null }
    await createFeed()
    await ended()
    content.xml = products('a')
    for (const count of [2, 3]) {
      now += HOUR_MS
      await runs.tick()
      expect(await ended(count)).toMatchObject({ status: 'HELD', issuesRunId: null })
    }
  })

  it('is fetched at once when its last run is of a clock that was ahead, and again an hour later', async () => {
    await createFeed()
    await ended()
    now -= 30 * 24 * HOUR_MS
    const fetchedAt = now
    await runs.tick()
    await ended(2)
    now = fetchedAt + HOUR_MS - 1
    await runs.tick()
    expect(statuses()).toHaveLength(2)
    now = fetchedAt + HOUR_MS
    await runs.tick()
    await ended(3)
  })

  it('is fetched unconditionally when asked to, when its settings change, and at first after a restart', async () => {
    await createFeed()
    await ended()
    await runs.request(feedId, 'me')
    await ended(2)
    await registry.write([changed(feedNow(), { ...feedNow().body, lang: 'pl' })], { by: 'test' })
    now += HOUR_MS
    await runs.tick()
    expect(await ended(3)).toMatchObject({ changed: 3 })
    await registry.write([changed(feedNow(), { ...feedNow().body, url: `${url}?2` })], { by: 'test' })
    await ended(4)
    await close()
    await open()
    now += HOUR_MS
    await runs.tick()
    await ended(5)
    expect(requests).toEqual([undefined, undefined, undefined, undefined, undefined])
    now += HOUR_MS
    await runs.tick()
    await ended(6)
    expect(requests.at(-1)).toBe('"1"')
  })

  it.each([
    ['"1"', [undefined, '"1"', undefined, '"1"']],
    [null, [undefined, undefined, undefined, undefined]],
  ])('is fetched and read unconditionally once a sale in it begins, with ETag %s', async (etag, asked) => {
    content.etag = etag
    const at = new Date(now + HOUR_MS * 1.5).toISOString().slice(0, 19)
    content.xml = rss(item({ id: 'a', sale_price: '1 EUR', sale_price_effective_date: `${at}Z/2099-01-01` }))
    await createFeed()
    await ended()
    for (const count of [2, 3, 4]) {
      now += HOUR_MS
      await runs.tick()
      await ended(count)
    }
    expect(requests).toEqual(asked)
    expect((await engines.offers(shopId)).get('a')!.salePriceMicros).toBe(1_000_000)
  })

  it('fails with the reason, and is tried again an hour later', async () => {
    content.status = 404
    await createFeed()
    expect(await ended()).toMatchObject({ status: 'FAILED', message: 'The address answered with status 404' })
    content.status = 200
    now += HOUR_MS
    await runs.tick()
    expect(await ended(2)).toMatchObject({ status: 'DONE', changed: 3 })
  })

  it('has no more than one run that waits', async () => {
    await createFeed()
    const asked = await Promise.allSettled([runs.request(feedId, 'me'), runs.request(feedId, 'me')])
    expect(asked.map(({ status }) => status)).toContain('rejected')
    await ended()
  })
})

describe('an upload', () => {
  it('is run over and kept, one file a feed', async () => {
    await createFeed(null)
    const run = await runs.upload(feedId, body(products('a', 'b')), 'me')
    expect(run).toMatchObject({ updatedBy: 'me', body: { status: 'QUEUED', trigger: 'UPLOAD', total: 0 } })
    expect(await ended()).toMatchObject({ status: 'DONE', total: 2 })
    await runs.upload(feedId, body(products('a', 'b', 'c')), 'me')
    await ended(2)
    const { id } = latest()
    await waitFor(async () => (await readdir(folder())).join() === `${id}.content`)
    expect(feedNow().body.keptUpload).toBe(id)
  })

  it('leaves the files of runs alone that ended long ago', async () => {
    await createFeed(null)
    const made: string[] = []
    const clearedOfThese = () => cleared.filter((id) => made.includes(id))
    for (let count = 1; count <= 4; count++) {
      made.push((await runs.upload(feedId, body(products('a', 'b')), 'me')).id)
      await ended(count)
      await waitFor(() => clearedOfThese().length >= count - 1)
    }
    // Each upload removes the file of the previous one, which was kept until then.
    expect(clearedOfThese()).toEqual(made.slice(0, 3))
  })

  it('makes the next fetch of the url unconditional', async () => {
    await createFeed()
    await ended()
    await runs.upload(feedId, body(products('a', 'b')), 'me')
    await ended(2)
    expect(feedNow().body.etag).toBeNull()
    now += HOUR_MS
    await runs.tick()
    expect(await ended(3)).toMatchObject({ total: 3, changed: 1 })
  })

  it('is refused when it is too large or the feed is unknown, and leaves nothing', async () => {
    await createFeed(null)
    await expect(runs.upload(feedId, body('x'.repeat(200_000)), 'me')).rejects.toMatchObject({ code: 'TOO_LARGE' })
    await expect(runs.upload(randomUUID(), body('x'), 'me')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(statuses()).toEqual([])
    expect(await readdir(folder())).toEqual([])
  })

  it('survives a restart before it was run', async () => {
    await createFeed(null)
    await close()
    await open({ runner: stuck })
    await runs.upload(feedId, body(products('first')), 'me')
    await waitFor(() => statuses()[0] === 'RUNNING')
    now += 1
    const waiting = await runs.upload(feedId, body(products('a', 'b')), 'me')
    expect(statuses()).toEqual(['QUEUED', 'RUNNING'])
    await close()
    await open()
    await ended(3)
    expect(registry.snapshot.body('FeedRun', waiting.id)).toMatchObject({ status: 'DONE', total: 2 })
  })
})

/** A runner whose runs with content do not end until they are cancelled. */
const stuck: FeedRunner = {
  run: (job) =>
    job.task.tag === 'READ'
      ? new Promise((_resolve, reject) => cancels.set(job.runId, () => reject(new Error('cancelled'))))
      : Promise.reject(new Error('away')),
  progress: async () => null,
  cancel: async (runId) => cancels.get(runId)?.(),
}
const cancels = new Map<string, () => void>()

describe('a restart', () => {
  it('does a run again that was under way, with the same upload, and leaves no run stuck', async () => {
    await createFeed(null)
    await close()
    await open({ runner: stuck })
    const run = await runs.upload(feedId, body(products('a', 'b')), 'me')
    await waitFor(() => statuses()[0] === 'RUNNING')
    await close()
    now += 1
    await open()
    expect(await ended(2)).toMatchObject({ status: 'DONE', trigger: 'UPLOAD', total: 2 })
    expect(registry.snapshot.body('FeedRun', run.id)).toMatchObject({ status: 'FAILED', endedAt: expect.any(Number) })
    expect(await ids()).toEqual(['a', 'b'])
  })

  it('fails a run whose upload is gone', async () => {
    await createFeed(null)
    await close()
    await open({ runner: stuck })
    await runs.upload(feedId, body(products('a')), 'me')
    await waitFor(() => statuses()[0] === 'RUNNING')
    await close()
    const files = await openFeedFiles(folder())
    await files.keepOnly(new Set())
    now += 1
    await open()
    expect(await ended(2)).toMatchObject({
      status: 'FAILED',
      message: 'The uploaded file is no longer kept: upload it again',
    })
  })

  it('removes the offers of a feed that was deleted just before', async () => {
    await createFeed()
    await ended()
    await close()
    await open({ runner: stuck })
    await registry.write([removed(feedNow())], { by: 'test' })
    await close()
    await open()
    await waitFor(async () => (await ids()).length === 0)
  })
})

describe('a held run', () => {
  beforeEach(async () => {
    await createFeed(null)
    await runs.upload(feedId, body(products('a', 'b', 'c')), 'me')
    await ended()
    await runs.upload(feedId, body(products('a', 'n')), 'me')
    expect(await ended(2)).toMatchObject({ status: 'HELD', changed: 1, removed: 0, endedAt: expect.any(Number) })
    expect(await ids()).toEqual(['a', 'b', 'c', 'n'])
  })

  it('removes when it is confirmed, once', async () => {
    const { id } = latest()
    expect(await runs.confirm(id, 'boss')).toMatchObject({ updatedBy: 'boss', body: { status: 'QUEUED' } })
    expect(await ended(2)).toMatchObject({
      status: 'DONE',
      total: 2,
      changed: 1,
      unchanged: 1,
      removed: 2,
      message: null,
    })
    expect(await ids()).toEqual(['a', 'n'])
    await expect(runs.confirm(id, 'boss')).rejects.toMatchObject({ code: 'CONFLICT' })
    await waitFor(async () => (await readdir(folder())).join() === `${id}.content`)
  })

  it('can be confirmed after a restart', async () => {
    const { id } = latest()
    await close()
    await open()
    await access(join(folder(), `${id}.held`))
    await runs.confirm(id, 'boss')
    expect(await ended(2)).toMatchObject({ status: 'DONE', removed: 2 })
  })

  it('gives way to a later run', async () => {
    const { id } = latest()
    await runs.upload(feedId, body(products('a', 'b', 'n')), 'me')
    expect(await ended(3)).toMatchObject({ status: 'DONE', removed: 1 })
    expect(registry.snapshot.body('FeedRun', id)).toMatchObject({
      status: 'FAILED',
      message: expect.stringMatching(/later/),
    })
    await expect(runs.confirm(id, 'boss')).rejects.toMatchObject({ code: 'CONFLICT' })
  })
})

describe('a feed whose currency is changed', () => {
  const inLira = rss(item({ id: 'a', price: '40 TRY' }), item({ id: 'b', price: '50 TRY' }))
  const setCurrency = (currency: string) =>
    registry.write([changed(feedNow(), { ...feedNow().body, currency })], { by: 'test' })
  const currencies = async () => [...(await engines.offers(shopId)).values()].map(({ currency }) => currency)

  it('is read anew from its url at once, whatever its server says of changes', async () => {
    content = { ...content, xml: inLira }
    await createFeed()
    expect(await ended()).toMatchObject({ rejected: 2, rejectedCurrencies: { TRY: 2 } })
    await setCurrency('TRY')
    expect(await ended(2)).toMatchObject({ trigger: 'MANUAL', currency: 'TRY', changed: 2, rejected: 0 })
    expect(await currencies()).toEqual(['TRY', 'TRY'])
    expect(requests).toEqual([undefined, undefined])
    await runs.tick()
    expect(statuses()).toHaveLength(2)
  })

  it('is read anew from the last upload, also after a restart', async () => {
    await createFeed(null)
    await runs.upload(feedId, body(inLira), 'me')
    expect(await ended()).toMatchObject({ rejected: 2 })
    await setCurrency('TRY')
    expect(await ended(2)).toMatchObject({ status: 'DONE', changed: 2 })
    await close()
    await open()
    await setCurrency('EUR')
    // No offer would be left, so the offers stay as they are until somebody confirms the run.
    expect(await ended(3)).toMatchObject({ status: 'HELD', rejected: 2 })
    expect(await currencies()).toEqual(['TRY', 'TRY'])
    await setCurrency('TRY')
    expect(await ended(4)).toMatchObject({ status: 'DONE', unchanged: 2 })
    // The run ends before its files are removed.
    await expect.poll(() => readdir(folder())).toEqual([`${feedNow().body.keptUpload}.content`])
  })

  it('is read again when a run in the old currency ends after the change', async () => {
    const gate = Promise.withResolvers<void>()
    let waiting = false
    const slow: FeedRunner = {
      ...runner,
      run: async (job) => {
        const outcome = await runner.run(job)
        // The runner also gets jobs that clear the feeds of earlier tests.
        if (job.feed.id !== feedId) return outcome
        waiting = true
        await gate.promise
        return outcome
      },
    }
    await close()
    await open({ runner: slow })
    content = { ...content, xml: inLira }
    await createFeed()
    await waitFor(() => waiting)
    await setCurrency('TRY')
    gate.resolve()
    await ended()
    now += 1
    await runs.tick()
    expect(await ended(2)).toMatchObject({ currency: 'TRY', changed: 2, rejected: 0 })
  })

  it('keeps its offers as they are while no file of it is there', async () => {
    await createFeed(null)
    await setCurrency('TRY')
    await runs.tick()
    expect(statuses()).toEqual([])
    await expect(runs.request(feedId, 'me')).rejects.toMatchObject({ code: 'CONFLICT' })
  })
})

it('removes the offers and runs of a feed that is deleted', async () => {
  await createFeed()
  await ended()
  await registry.write([removed(feedNow())], { by: 'test' })
  await waitFor(() => [...registry.snapshot.allEver('FeedRun')].every((run) => run.body.feedId !== feedId))
  expect(await ids()).toEqual([])
})

it('keeps the latest runs of a feed only', async () => {
  await createFeed(null)
  const old = (i: number): FeedRun => ({
    ...{ feedId, shopId, trigger: 'UPLOAD', status: 'DONE', total: 0, changed: 0, unchanged: 0, removed: 0 },
    ...{ rejected: 0, warnings: 0, issueCounts: {}, message: null, queuedAt: i, startedAt: i, endedAt: i },
    ...{ currency: 'EUR', rejectedCurrencies: {}, missingFields: {}, failure: null, issuesRunId: null },
  })
  const many = Array.from({ length: RUNS_KEPT_PER_FEED + 20 }, (_, i) => created('FeedRun', randomUUID(), old(i)))
  await registry.write(many, { by: 'test' })
  await runs.upload(feedId, body(products('a')), 'me')
  await ended()
  await waitFor(() => statuses().length === RUNS_KEPT_PER_FEED)
  expect(latest().body).toMatchObject({ total: 1 })
})

it('runs over a port to another thread, and tells its progress', async () => {
  const { port1, port2 } = new MessageChannel()
  serve(port1, runner as never)
  const client = feedRunnerClient(connect(port2, {}, () => new Error('The thread that reads feeds has ended')))
  expect(await client.progress('none')).toBeNull()
  await close()
  await open({ runner: client })
  await createFeed()
  expect(await ended()).toMatchObject({ status: 'DONE', total: 3 })
  port1.close()
  now += HOUR_MS
  await runs.tick()
  expect(await ended(2)).toMatchObject({ status: 'FAILED', message: 'The run failed because of an internal error' })
})

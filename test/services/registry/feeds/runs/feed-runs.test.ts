import { randomUUID } from 'node:crypto'
import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connect, serve } from '../../../../../infra/threads/calls.ts'
import type { FeedRun } from '../../../../../schemas/records/entities.ts'
import { RUNS_KEPT_PER_FEED } from '../../../../../services/registry/feeds/runs/execute-run.ts'
import { type FeedOutcome, noCounts } from '../../../../../services/registry/feeds/runs/job.ts'
import { feedRunnerClient } from '../../../../../services/registry/feeds/runs/runner.ts'
import { changed, created, removed } from '../../../../../services/registry/resources/store.ts'
import { waitFor } from '../../../../wait-for.ts'
import { item, rss } from '../documents.ts'
import { body, feedRunsWorld, HOUR_MS, products } from './feed-runs-world.ts'

const { world, open, close, createFeed, feedNow, statuses, latest, ids, ended } = feedRunsWorld()
afterEach(() => void vi.restoreAllMocks())

/** What the runner says of a job for which the index does not catch up. */
const FAILED: FeedOutcome = {
  ...{ status: 'FAILED', message: 'The product index is behind', failure: 'INTERNAL', isUnmodified: false },
  ...{ counts: noCounts(), content: null, staleAt: null },
}

describe('a feed with a url', () => {
  it('is fetched when it is made, and every hour after, conditionally', async () => {
    await createFeed()
    expect(await ended()).toMatchObject({
      status: 'DONE',
      trigger: 'SCHEDULE',
      total: 3,
      changed: 3,
      shopId: world.shopId,
    })
    expect(feedNow().body).toMatchObject({ etag: '"1"' })
    await world.runs.tick()
    expect(statuses()).toEqual(['DONE'])

    world.now += HOUR_MS
    await world.runs.tick()
    expect(await ended(2)).toMatchObject({ status: 'DONE', total: 3, changed: 0, unchanged: 3 })
    expect(world.requests).toEqual([undefined, '"1"'])

    world.content = { ...world.content, xml: products('a', 'b', 'n'), etag: '"2"' }
    world.now += HOUR_MS
    await world.runs.tick()
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
      world.content = {
        ...world.content,
        etag,
        xml: rss(item({ id: 'a' }), item({ id: 'b', price: '5 TRY' }), item({ id: 'c', gtin: '1' })),
      }
      await createFeed()
      const read = await ended()
      const { id } = latest()
      const numbers = { total: 3, rejected: 1, warnings: 1, rejectedCurrencies: { TRY: 1 } }
      expect(read).toMatchObject({ ...numbers, changed: 2, currency: 'EUR', issuesRunId: null })
      for (const count of [2, 3]) {
        world.now += HOUR_MS
        await world.runs.tick()
        expect(await ended(count)).toMatchObject({ ...numbers, changed: 0, unchanged: 2, issuesRunId: id })
      }
      expect(world.requests).toEqual(asked)
    },
  )

  it('is read again while the same content is held', async () => {
    world.content = { ...world.content, etag: null }
    await createFeed()
    await ended()
    world.content.xml = products('a')
    for (const count of [2, 3]) {
      world.now += HOUR_MS
      await world.runs.tick()
      expect(await ended(count)).toMatchObject({ status: 'HELD', issuesRunId: null })
    }
  })

  it('is fetched at once when its last run is of a clock that was ahead, and again an hour later', async () => {
    await createFeed()
    await ended()
    world.now -= 30 * 24 * HOUR_MS
    const fetchedAt = world.now
    await world.runs.tick()
    await ended(2)
    world.now = fetchedAt + HOUR_MS - 1
    await world.runs.tick()
    expect(statuses()).toHaveLength(2)
    world.now = fetchedAt + HOUR_MS
    await world.runs.tick()
    await ended(3)
  })

  it('is fetched unconditionally when asked to, when its settings change, and at first after a restart', async () => {
    await createFeed()
    await ended()
    await world.runs.request(world.feedId, 'me')
    await ended(2)
    await world.registry.write([changed(feedNow(), { ...feedNow().body, lang: 'pl' })], { by: 'test' })
    world.now += HOUR_MS
    await world.runs.tick()
    expect(await ended(3)).toMatchObject({ changed: 3 })
    await world.registry.write([changed(feedNow(), { ...feedNow().body, url: `${world.url}?2` })], { by: 'test' })
    await ended(4)
    await close()
    await open()
    world.now += HOUR_MS
    await world.runs.tick()
    await ended(5)
    expect(world.requests).toEqual([undefined, undefined, undefined, undefined, undefined])
    world.now += HOUR_MS
    await world.runs.tick()
    await ended(6)
    expect(world.requests.at(-1)).toBe('"1"')
  })

  it.each([
    ['"1"', [undefined, '"1"', undefined, '"1"']],
    [null, [undefined, undefined, undefined, undefined]],
  ])('is fetched and read unconditionally once a sale in it begins, with ETag %s', async (etag, asked) => {
    world.content.etag = etag
    const at = new Date(world.now + HOUR_MS * 1.5).toISOString().slice(0, 19)
    world.content.xml = rss(item({ id: 'a', sale_price: '1 EUR', sale_price_effective_date: `${at}Z/2099-01-01` }))
    await createFeed()
    await ended()
    for (const count of [2, 3, 4]) {
      world.now += HOUR_MS
      await world.runs.tick()
      await ended(count)
    }
    expect(world.requests).toEqual(asked)
    expect((await world.engines.offers(world.shopId)).get('a')!.salePriceMicros).toBe(1_000_000)
  })

  it('fails with the reason, and is tried again an hour later', async () => {
    world.content.status = 404
    await createFeed()
    expect(await ended()).toMatchObject({ status: 'FAILED', message: 'The address answered with status 404' })
    world.content.status = 200
    world.now += HOUR_MS
    await world.runs.tick()
    expect(await ended(2)).toMatchObject({ status: 'DONE', changed: 3 })
  })

  it.each(['"1"', null])('is fetched and read unconditionally after a run that failed, with ETag %s', async (etag) => {
    Object.assign(world.content, { etag, xml: rss(item({ id: 'a' }), item({ id: 'b', price: '5 TRY' })) })
    await createFeed()
    expect(await ended()).toMatchObject({ total: 2, rejected: 1 })
    world.now += HOUR_MS
    Object.assign(world.content, { etag: null, status: 404 })
    await world.runs.tick()
    expect(await ended(2)).toMatchObject({ status: 'FAILED' })
    world.now += HOUR_MS
    Object.assign(world.content, { etag, status: 200 })
    await world.runs.tick()
    expect(await ended(3)).toMatchObject({ status: 'DONE', total: 2, rejected: 1, issuesRunId: null })
    expect(world.requests).toEqual([undefined, etag ?? undefined, undefined])
  })

  it('has no more than one run that waits', async () => {
    await createFeed()
    const asked = await Promise.allSettled([
      world.runs.request(world.feedId, 'me'),
      world.runs.request(world.feedId, 'me'),
    ])
    expect(asked.map(({ status }) => status)).toContain('rejected')
    await ended()
  })
})

it('removes the offers and runs of a feed that is deleted', async () => {
  await createFeed()
  await ended()
  await world.registry.write([removed(feedNow())], { by: 'test' })
  await waitFor(() => [...world.registry.snapshot.allEver('FeedRun')].every((run) => run.body.feedId !== world.feedId))
  expect(await ids()).toEqual([])
})

it.each([
  ['could not be reached', () => Promise.reject(new Error('away'))],
  ['was behind', async () => FAILED],
])('removes the offers of a deleted feed, though the index %s at first', async (_, fail) => {
  await createFeed()
  await ended()
  const { run } = world.runner
  let failed = false
  vi.spyOn(world.runner, 'run').mockImplementation(async (job) => {
    // The runner also gets jobs that clear the feeds of earlier tests.
    if (failed || job.feed.id !== world.feedId) return run(job)
    failed = true
    return fail()
  })
  await world.registry.write([removed(feedNow())], { by: 'test' })
  await waitFor(() => failed)
  await waitFor(async () => {
    await world.runs.tick()
    return (await ids()).length === 0
  })
  await waitFor(() => statuses().length === 0)
})

it('keeps the latest runs of a feed only', async () => {
  await createFeed(null)
  const old = (i: number): FeedRun => ({
    ...{
      feedId: world.feedId,
      shopId: world.shopId,
      trigger: 'UPLOAD',
      status: 'DONE',
      total: 0,
      changed: 0,
      unchanged: 0,
      removed: 0,
    },
    ...{ rejected: 0, warnings: 0, issueCounts: {}, message: null, queuedAt: i, startedAt: i, endedAt: i },
    ...{ currency: 'EUR', rejectedCurrencies: {}, missingFields: {}, failure: null, issuesRunId: null },
  })
  const many = Array.from({ length: RUNS_KEPT_PER_FEED + 20 }, (_, i) => created('FeedRun', randomUUID(), old(i)))
  await world.registry.write(many, { by: 'test' })
  await world.runs.upload(world.feedId, body(products('a')), 'me')
  await ended()
  await waitFor(() => statuses().length === RUNS_KEPT_PER_FEED)
  expect(latest().body).toMatchObject({ total: 1 })
})

it('runs over a port to another thread, and tells its progress', async () => {
  const { port1, port2 } = new MessageChannel()
  serve(port1, world.runner as never)
  const client = feedRunnerClient(connect(port2, {}, () => new Error('The thread that reads feeds has ended')))
  expect(await client.progress('none')).toBeNull()
  await close()
  await open({ runner: client })
  await createFeed()
  expect(await ended()).toMatchObject({ status: 'DONE', total: 3 })
  port1.close()
  world.now += HOUR_MS
  await world.runs.tick()
  expect(await ended(2)).toMatchObject({ status: 'FAILED', message: 'The run failed because of an internal error' })
})

import { writeFile } from 'node:fs/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Problem } from '../../../../../services/domain/errors.ts'
import type { FeedRunner } from '../../../../../services/registry/feeds/runs/job.ts'
import { openFeedFiles } from '../../../../../services/registry/feeds/source/files.ts'
import { removed } from '../../../../../services/registry/resources/store.ts'
import { waitFor } from '../../../../wait-for.ts'
import { body, feedRunsWorld, products } from './feed-runs-world.ts'

const { world, open, close, createFeed, folder, feedNow, statuses, latest, ids, ended } = feedRunsWorld()
afterEach(() => void vi.restoreAllMocks())

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
    const run = await world.runs.upload(world.feedId, body(products('a', 'b')), 'me')
    await waitFor(() => statuses()[0] === 'RUNNING')
    await close()
    world.now += 1
    await open()
    expect(await ended(2)).toMatchObject({ status: 'DONE', trigger: 'UPLOAD', total: 2 })
    expect(world.registry.snapshot.body('FeedRun', run.id)).toMatchObject({
      status: 'FAILED',
      endedAt: expect.any(Number),
    })
    expect(await ids()).toEqual(['a', 'b'])
  })

  it('fetches a feed again whose download was cut off', async () => {
    const cutOff: FeedRunner = {
      ...stuck,
      async run({ runId, feed, contentPath }) {
        // The runner also gets jobs that clear the feeds of earlier tests.
        if (feed.id !== world.feedId) throw new Error('away')
        await writeFile(contentPath, products('a', 'b').slice(0, 300))
        return new Promise((_resolve, reject) => cancels.set(runId, () => reject(new Error('cancelled'))))
      },
    }
    await close()
    await open({ runner: cutOff })
    await createFeed()
    await waitFor(() => statuses().length > 0 && cancels.has(latest().id))
    await close()
    world.now += 1
    await open()
    expect(await ended(2)).toMatchObject({ status: 'DONE', trigger: 'SCHEDULE', total: 3 })
    expect(await ids()).toEqual(['a', 'b', 'c'])
  })

  it('does a run again that was to be held when the process stopped, with the same upload', async () => {
    await createFeed(null)
    await world.runs.upload(world.feedId, body(products('a', 'b', 'c')), 'me')
    await ended()
    await close()
    let stopping: Promise<void> | null = null
    const stopped: FeedRunner = {
      ...world.runner,
      async run(job) {
        const outcome = await world.runner.run(job)
        if (outcome.status === 'HELD') stopping = world.runs.close()
        return outcome
      },
    }
    await open({ runner: stopped })
    world.now += 1
    await world.runs.upload(world.feedId, body(products('a')), 'me')
    await waitFor(() => stopping !== null)
    await stopping
    await close()
    world.now += 1
    await open()
    expect(await ended(3)).toMatchObject({ status: 'HELD', trigger: 'UPLOAD', total: 1 })
  })

  it('begins no run that the registry could not note before the process stopped', async () => {
    const begun: string[] = []
    await close()
    await open({
      runner: { ...world.runner, run: (job) => world.runner.run(job).finally(() => begun.push(job.feed.id)) },
    })
    const { hasContent } = world.files
    const away = Promise.withResolvers<void>()
    vi.spyOn(world.files, 'hasContent').mockImplementationOnce((runId) => {
      vi.spyOn(world.registry, 'write').mockImplementation(async () => {
        away.resolve()
        throw new Problem('UNAVAILABLE', 'The registry cannot be changed at the moment')
      })
      return hasContent(runId)
    })
    await createFeed()
    await away.promise
    await world.runs.close()
    expect(begun).not.toContain(world.feedId)
    expect(statuses()).toEqual(['QUEUED'])
    vi.restoreAllMocks()
    await close()
    await open()
    expect(await ended()).toMatchObject({ status: 'DONE', total: 3 })
  })

  it('fails a run whose upload is gone', async () => {
    await createFeed(null)
    await close()
    await open({ runner: stuck })
    await world.runs.upload(world.feedId, body(products('a')), 'me')
    await waitFor(() => statuses()[0] === 'RUNNING')
    await close()
    const files = await openFeedFiles(folder())
    await files.keepOnly(new Set())
    world.now += 1
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
    await world.registry.write([removed(feedNow())], { by: 'test' })
    await close()
    await open()
    await waitFor(async () => (await ids()).length === 0)
  })

  it('does an upload that waited after the one that was under way', async () => {
    await createFeed(null)
    await close()
    await open({ runner: stuck })
    await world.runs.upload(world.feedId, body(products('first')), 'me')
    await waitFor(() => statuses()[0] === 'RUNNING')
    world.now += 1
    const waiting = await world.runs.upload(world.feedId, body(products('first', 'a', 'b')), 'me')
    expect(statuses()).toEqual(['QUEUED', 'RUNNING'])
    await close()
    world.now += 1
    await open()
    await ended(3)
    expect(world.registry.snapshot.body('FeedRun', waiting.id)).toMatchObject({ status: 'DONE', total: 3 })
    expect(feedNow().body.keptUpload).toBe(waiting.id)
    expect(await ids()).toEqual(['a', 'b', 'first'])
  })
})

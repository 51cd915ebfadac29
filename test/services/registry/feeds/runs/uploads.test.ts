import { randomUUID } from 'node:crypto'
import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type FeedRunner, noCounts } from '../../../../../services/registry/feeds/runs/job.ts'
import { removed } from '../../../../../services/registry/resources/store.ts'
import { waitFor } from '../../../../wait-for.ts'
import { body, feedRunsWorld, HOUR_MS, products, UPLOAD_BYTES_MAX } from './feed-runs-world.ts'

const { world, open, close, createFeed, folder, feedNow, statuses, latest, ids, ended } = feedRunsWorld()
afterEach(() => void vi.restoreAllMocks())

describe('an upload', () => {
  it('is run over and kept, one file a feed', async () => {
    await createFeed(null)
    const run = await world.runs.upload(world.feedId, body(products('a', 'b')), 'me')
    expect(run).toMatchObject({ updatedBy: 'me', body: { status: 'QUEUED', trigger: 'UPLOAD', total: 0 } })
    expect(await ended()).toMatchObject({ status: 'DONE', total: 2 })
    await world.runs.upload(world.feedId, body(products('a', 'b', 'c')), 'me')
    await ended(2)
    const { id } = latest()
    await waitFor(async () => (await readdir(folder())).join() === `${id}.content`)
    expect(feedNow().body.keptUpload).toBe(id)
  })

  it('leaves the files of runs alone that ended long ago', async () => {
    await createFeed(null)
    const made: string[] = []
    const clearedOfThese = () => world.cleared.filter((id) => made.includes(id))
    for (let count = 1; count <= 4; count++) {
      made.push((await world.runs.upload(world.feedId, body(products('a', 'b')), 'me')).id)
      await ended(count)
      await waitFor(() => clearedOfThese().length >= count - 1)
    }
    // Each upload removes the file of the previous one, which was kept until then.
    expect(clearedOfThese()).toEqual(made.slice(0, 3))
  })

  it('can be read again after a reading of it has failed', async () => {
    await createFeed(null)
    const { id } = await world.runs.upload(world.feedId, body(products('a', 'b')), 'me')
    await ended()
    const away = vi.spyOn(world.runner, 'run').mockRejectedValueOnce(new Error('the log is away'))
    await world.runs.request(world.feedId, 'me')
    expect(await ended(2)).toMatchObject({ status: 'FAILED', failure: 'INTERNAL' })
    expect(away).toHaveBeenCalledOnce()
    expect(feedNow().body.keptUpload).toBe(id)
    await waitFor(async () => (await readdir(folder())).join() === `${id}.content`)
    await world.runs.request(world.feedId, 'me')
    expect(await ended(3)).toMatchObject({ status: 'DONE', total: 2 })
  })

  it('can be read later when it could not be read at first for no fault of its own', async () => {
    await createFeed(null)
    await world.runs.upload(world.feedId, body(products('a')), 'me')
    await ended()
    vi.spyOn(world.runner, 'run').mockResolvedValueOnce({
      ...{ status: 'FAILED', message: 'The product index is behind', failure: 'INTERNAL', isUnmodified: false },
      ...{ counts: noCounts(), content: null, staleAt: null },
    })
    await world.runs.upload(world.feedId, body(products('a', 'b')), 'me')
    expect(await ended(2)).toMatchObject({ status: 'FAILED' })
    await world.runs.request(world.feedId, 'me')
    expect(await ended(3)).toMatchObject({ status: 'DONE', total: 2 })
    await waitFor(async () => (await readdir(folder())).join() === `${latest().id}.content`)
  })

  it('fails a run for which the disk has no room, and lets the next one begin', async () => {
    await createFeed(null)
    await world.runs.upload(world.feedId, body(products('a', 'b')), 'me')
    await ended()
    vi.spyOn(world.files, 'share').mockRejectedValueOnce(new Error('ENOSPC'))
    await world.runs.request(world.feedId, 'me')
    expect(await ended(2)).toMatchObject({ status: 'FAILED', failure: 'INTERNAL' })
    await world.runs.request(world.feedId, 'me')
    expect(await ended(3)).toMatchObject({ status: 'DONE', total: 2 })
  })

  it('makes the next fetch of the url unconditional', async () => {
    await createFeed()
    await ended()
    await world.runs.upload(world.feedId, body(products('a', 'b')), 'me')
    await ended(2)
    expect(feedNow().body.etag).toBeNull()
    world.now += HOUR_MS
    await world.runs.tick()
    expect(await ended(3)).toMatchObject({ total: 3, changed: 1 })
  })

  it('is read after a run that was queued while it was received', async () => {
    const gate = Promise.withResolvers<void>()
    const { runner } = world
    await close()
    await open({ runner: { ...runner, run: (job) => gate.promise.then(() => runner.run(job)) } })
    await createFeed()
    await waitFor(() => statuses()[0] === 'RUNNING')
    const content = new PassThrough()
    const upload = world.runs.upload(world.feedId, content, 'me')
    await world.runs.request(world.feedId, 'me')
    world.now += 1
    content.end(products('n'))
    expect(await upload).toMatchObject({ body: { status: 'QUEUED', trigger: 'UPLOAD' } })
    await expect(world.runs.upload(world.feedId, body(products('z')), 'me')).rejects.toMatchObject({ code: 'CONFLICT' })
    gate.resolve()
    expect(await ended(3)).toMatchObject({ trigger: 'UPLOAD', total: 1, changed: 1 })
  })

  it('is refused when it is too large or the feed is unknown, and leaves nothing', async () => {
    await createFeed(null)
    await expect(world.runs.upload(world.feedId, body('x'.repeat(UPLOAD_BYTES_MAX + 1)), 'me')).rejects.toMatchObject({
      code: 'TOO_LARGE',
    })
    await expect(world.runs.upload(randomUUID(), body('x'), 'me')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(statuses()).toEqual([])
    expect(await readdir(folder())).toEqual([])
  })
})

describe('a held run', () => {
  beforeEach(async () => {
    await createFeed(null)
    await world.runs.upload(world.feedId, body(products('a', 'b', 'c')), 'me')
    await ended()
    await world.runs.upload(world.feedId, body(products('a', 'n')), 'me')
    expect(await ended(2)).toMatchObject({ status: 'HELD', changed: 1, removed: 0, endedAt: expect.any(Number) })
    expect(await ids()).toEqual(['a', 'b', 'c', 'n'])
  })

  it('removes when it is confirmed, once', async () => {
    const { id } = latest()
    expect(await world.runs.confirm(id, 'boss')).toMatchObject({ updatedBy: 'boss', body: { status: 'QUEUED' } })
    expect(await ended(2)).toMatchObject({
      status: 'DONE',
      total: 2,
      changed: 1,
      unchanged: 1,
      removed: 2,
      message: null,
    })
    expect(await ids()).toEqual(['a', 'n'])
    await expect(world.runs.confirm(id, 'boss')).rejects.toMatchObject({ code: 'CONFLICT' })
    await waitFor(async () => (await readdir(folder())).join() === `${id}.content`)
  })

  it('can be confirmed after a restart', async () => {
    const { id } = latest()
    await close()
    await open()
    await access(join(folder(), `${id}.held`))
    await world.runs.confirm(id, 'boss')
    expect(await ended(2)).toMatchObject({ status: 'DONE', removed: 2 })
  })

  it('gives way to a later run', async () => {
    const { id } = latest()
    await world.runs.upload(world.feedId, body(products('a', 'b', 'n')), 'me')
    expect(await ended(3)).toMatchObject({ status: 'DONE', removed: 1 })
    expect(world.registry.snapshot.body('FeedRun', id)).toMatchObject({
      status: 'FAILED',
      message: expect.stringMatching(/later/),
    })
    await expect(world.runs.confirm(id, 'boss')).rejects.toMatchObject({ code: 'CONFLICT' })
  })
})

describe('a feed that is deleted', () => {
  const isEmpty = async () => (await readdir(folder())).length === 0

  it('leaves no upload that has not had its turn', async () => {
    let cancel = () => {}
    const stuck: FeedRunner = {
      async run({ task }) {
        if (task.tag !== 'READ') throw new Error('away')
        return new Promise((_resolve, reject) => {
          cancel = () => reject(new Error('cancelled'))
        })
      },
      progress: async () => null,
      cancel: async () => cancel(),
    }
    await createFeed(null)
    await close()
    await open({ runner: stuck })
    await world.runs.upload(world.feedId, body(products('a')), 'me')
    await waitFor(() => statuses()[0] === 'RUNNING')
    await world.runs.upload(world.feedId, body(products('a', 'b')), 'me')
    expect(await readdir(folder())).toHaveLength(2)
    await world.registry.write([removed(feedNow())], { by: 'test' })
    await waitFor(isEmpty)
  })

  it('leaves no list of the removals of a held run', async () => {
    await createFeed()
    await ended()
    Object.assign(world.content, { xml: products('a'), etag: '"2"' })
    world.now += HOUR_MS
    await world.runs.tick()
    expect(await ended(2)).toMatchObject({ status: 'HELD' })
    await access(join(folder(), `${latest().id}.held`))
    await world.registry.write([removed(feedNow())], { by: 'test' })
    await waitFor(isEmpty)
  })
})

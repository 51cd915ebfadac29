import { randomUUID } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultLimits } from '../../../../../services/domain/limits.ts'
import type { FeedRunner } from '../../../../../services/registry/feeds/runs/job.ts'
import { created, removed } from '../../../../../services/registry/resources/store.ts'
import { waitFor } from '../../../../wait-for.ts'
import { body, feedRunsWorld, products } from '../runs/feed-runs-world.ts'

const { world, open, close, createFeed, folder, feedNow, statuses, ended } = feedRunsWorld()

const MIB = 1024 ** 2
const limits = { ...defaultLimits, shopFeedUploadsMib: 2, feedUploadsMib: 3 }

/** A runner whose runs end when the process does. */
function stuck(): FeedRunner {
  const cancels: (() => void)[] = []
  return {
    run: () => new Promise((_resolve, reject) => cancels.push(() => reject(new Error('cancelled')))),
    progress: async () => null,
    async cancel() {
      for (const cancel of cancels) cancel()
    },
  }
}

/** A feed file of so many bytes. */
const file = (bytes: number) => body(products('a').padEnd(bytes))
const upload = (bytes: number, feedId = world.feedId) => world.runs.upload(feedId, file(bytes), 'me')
const filesNow = async () => (await readdir(folder())).length
const shopsIsFull = { code: 'RATE_LIMITED', message: expect.stringContaining('LIMIT_SHOP_FEED_UPLOADS_MIB') }
const allIsFull = { code: 'UNAVAILABLE', message: expect.stringContaining('LIMIT_FEED_UPLOADS_MIB') }

describe('the room of uploads', () => {
  it('is limited for each shop and in all, and stays taken over a restart until they are read', async () => {
    await createFeed(null)
    await close()
    await open({ runner: stuck(), limits })
    const other = { ...feedNow().body, shopId: randomUUID() }
    const otherId = randomUUID()
    await world.registry.write([created('Feed', otherId, other)], { by: 'test' })
    await upload(1.5 * MIB)
    await waitFor(() => statuses()[0] === 'RUNNING')
    await expect(upload(MIB)).rejects.toMatchObject(shopsIsFull)
    await expect(upload(2 * MIB, otherId)).rejects.toMatchObject(allIsFull)
    expect(await filesNow()).toBe(1)
    await upload(MIB, otherId)
    await upload(0.4 * MIB)
    expect(await filesNow()).toBe(3)

    await close()
    world.now += 1
    await open({ runner: stuck(), limits })
    await waitFor(() => statuses()[0] === 'RUNNING' || statuses()[1] === 'RUNNING')
    await world.registry.write([removed(world.registry.snapshot.get('Feed', otherId)!)], { by: 'test' })
    const third = randomUUID()
    await world.registry.write([created('Feed', third, feedNow().body)], { by: 'test' })
    await expect(upload(0.2 * MIB, third)).rejects.toMatchObject(shopsIsFull)
    await world.registry.write([removed(world.registry.snapshot.get('Feed', third)!)], { by: 'test' })

    await close()
    world.now += 1
    await open({ limits })
    await ended(2)
    await expect.poll(() => upload(2 * MIB)).toMatchObject({ body: { status: 'QUEUED' } })
    await ended(2)
  })

  it('is freed of a deleted feed by the next process, when this one stops before its offers are removed', async () => {
    await createFeed(null)
    await close()
    await open({ runner: stuck(), limits })
    await upload(MIB)
    await waitFor(() => statuses()[0] === 'RUNNING')
    const { remove } = world.files
    const removing = Promise.withResolvers<void>()
    const stopping = Promise.withResolvers<void>()
    let removals = 0
    // The run removes its files when it ends; then those of the feed are removed, before its offers.
    world.files.remove = async (runId) => {
      await remove(runId)
      if (++removals === 1) return
      removing.resolve()
      await stopping.promise
    }
    await world.registry.write([removed(feedNow())], { by: 'test' })
    await removing.promise
    const closed = close()
    stopping.resolve()
    await closed

    await open({ limits })
    await waitFor(async () => (await filesNow()) === 0)
  })

  it('is given back by an upload that fails, and not taken by the last one, which is kept', async () => {
    await createFeed(null)
    await close()
    await open({ limits })
    await expect(upload(2.1 * MIB)).rejects.toMatchObject({ code: 'TOO_LARGE' })
    for (let count = 1; count <= 3; count++) {
      await upload(1.5 * MIB)
      await ended(count)
    }
    await waitFor(async () => (await filesNow()) === 1)
  })

  it('is freed at a start of what a killed process was receiving', async () => {
    await createFeed(null)
    await close()
    await writeFile(join(folder(), `${randomUUID()}.content`), 'half a feed')
    await open({ limits })
    expect(await filesNow()).toBe(0)
  })
})

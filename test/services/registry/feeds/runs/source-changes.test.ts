import { describe, expect, it } from 'vitest'
import type { FeedRunner } from '../../../../../services/registry/feeds/runs/job.ts'
import { changed } from '../../../../../services/registry/resources/store.ts'
import { waitFor } from '../../../../wait-for.ts'
import { feedRunsWorld, HOUR_MS, products } from './feed-runs-world.ts'

const { world, open, close, createFeed, feedNow, ids, ended } = feedRunsWorld()

describe('a feed whose settings change while a run of it is under way', () => {
  const set = (change: { url?: string; lang?: string }) =>
    world.registry.write([changed(feedNow(), { ...feedNow().body, ...change })], { by: 'test' })

  /** Begins the first run of the feed. @returns how to let it end. */
  async function beginRun(): Promise<() => void> {
    const gate = Promise.withResolvers<void>()
    const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>()
    const runner: FeedRunner = {
      ...world.runner,
      run: async (job) => {
        const outcome = await world.runner.run(job)
        // The runner also gets jobs that clear the feeds of earlier tests.
        if (job.feed.id !== world.feedId) return outcome
        hasBegun()
        await gate.promise
        return outcome
      },
    }
    await close()
    await open({ runner })
    await createFeed()
    await begun
    return gate.resolve
  }

  it('is read in its new language by the next run, whatever its server says of changes', async () => {
    const end = await beginRun()
    await set({ lang: 'pl' })
    end()
    await ended()
    world.now += HOUR_MS
    await world.runs.tick()
    expect(await ended(2)).toMatchObject({ status: 'DONE', changed: 3 })
    expect(world.requests).toEqual([undefined, undefined])
  })

  it('is fetched from its new address without the version of the old one', async () => {
    const end = await beginRun()
    await set({ url: `${world.url}?new` })
    await waitFor(() => world.registry.snapshot.all('FeedRun').some(({ body: { status } }) => status === 'QUEUED'))
    world.content.xml = products('a', 'b', 'n')
    end()
    await ended(2)
    expect(world.requests).toEqual([undefined, undefined])
    expect(await ids()).toEqual(['a', 'b', 'n'])
    expect(feedNow().body).toMatchObject({ etag: '"1"' })
  })
})

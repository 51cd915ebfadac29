import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { FeedRunner } from '../../../../../services/registry/feeds/runs/job.ts'
import { changed } from '../../../../../services/registry/resources/store.ts'
import { waitFor } from '../../../../wait-for.ts'
import { item, rss } from '../documents.ts'
import { body, feedRunsWorld } from './feed-runs-world.ts'

const { world, open, close, createFeed, folder, feedNow, statuses, ended } = feedRunsWorld()

describe('a feed whose currency is changed', () => {
  const inLira = rss(item({ id: 'a', price: '40 TRY' }), item({ id: 'b', price: '50 TRY' }))
  const setCurrency = (currency: string) =>
    world.registry.write([changed(feedNow(), { ...feedNow().body, currency })], { by: 'test' })
  const currencies = async () =>
    [...(await world.engines.offers(world.shopId)).values()].map(({ currency }) => currency)

  it('is read anew from its url at once, whatever its server says of changes', async () => {
    world.content = { ...world.content, xml: inLira }
    await createFeed()
    expect(await ended()).toMatchObject({ rejected: 2, rejectedCurrencies: { TRY: 2 } })
    await setCurrency('TRY')
    expect(await ended(2)).toMatchObject({ trigger: 'MANUAL', currency: 'TRY', changed: 2, rejected: 0 })
    expect(await currencies()).toEqual(['TRY', 'TRY'])
    expect(world.requests).toEqual([undefined, undefined])
    await world.runs.tick()
    expect(statuses()).toHaveLength(2)
  })

  it('is read anew from the last upload, also after a restart', async () => {
    await createFeed(null)
    await world.runs.upload(world.feedId, body(inLira), 'me')
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
      ...world.runner,
      run: async (job) => {
        const outcome = await world.runner.run(job)
        // The runner also gets jobs that clear the feeds of earlier tests.
        if (job.feed.id !== world.feedId) return outcome
        waiting = true
        await gate.promise
        return outcome
      },
    }
    await close()
    await open({ runner: slow })
    world.content = { ...world.content, xml: inLira }
    await createFeed()
    await waitFor(() => waiting)
    await setCurrency('TRY')
    gate.resolve()
    await ended()
    world.now += 1
    await world.runs.tick()
    expect(await ended(2)).toMatchObject({ currency: 'TRY', changed: 2, rejected: 0 })
  })

  it('keeps its offers as they are while no file of it is there', async () => {
    await createFeed(null)
    await setCurrency('TRY')
    await world.runs.tick()
    expect(statuses()).toEqual([])
    await expect(world.runs.request(world.feedId, 'me')).rejects.toMatchObject({ code: 'CONFLICT' })
  })
})

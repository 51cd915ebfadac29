import { readdir } from 'node:fs/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LogUnavailable, type NewRecord } from '../../../../../infra/event-log/port.ts'
import { waitFor } from '../../../../wait-for.ts'
import { body, feedRunsWorld, HOUR_MS, products } from './feed-runs-world.ts'

/** The log stores what the registry appends, and its answer is lost, so that the write fails for its caller. */

const { world, open, close, createFeed, folder, ids, ended } = feedRunsWorld()
let losesAnswer = false
afterEach(() => {
  losesAnswer = false
  vi.restoreAllMocks()
})

async function openOnSuchLog(): Promise<void> {
  await close()
  const { log } = world.engines
  const { exclusiveWriter } = log
  vi.spyOn(log, 'exclusiveWriter').mockImplementation(async (name) => {
    const writer = await exclusiveWriter(name)
    const append = async (records: readonly NewRecord[]) => {
      const positions = await writer.append(records)
      if (!losesAnswer) return positions
      losesAnswer = false
      throw new LogUnavailable('no answer')
    }
    return { ...writer, append }
  })
  await open()
}

describe('a run that was queued by a write whose answer was lost', () => {
  it('is executed when it was due', async () => {
    await openOnSuchLog()
    await createFeed()
    await ended()
    world.now += HOUR_MS
    losesAnswer = true
    await expect(world.runs.tick()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await world.runs.tick()
    expect(await ended(2)).toMatchObject({ status: 'DONE', total: 3 })
  })

  it('is executed when somebody requested it, and so is the next upload', async () => {
    await openOnSuchLog()
    await createFeed()
    await ended()
    losesAnswer = true
    await expect(world.runs.request(world.feedId, 'me')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await world.runs.tick()
    expect(await ended(2)).toMatchObject({ status: 'DONE' })
    await world.runs.upload(world.feedId, body(products('a', 'b')), 'me')
    expect(await ended(3)).toMatchObject({ status: 'DONE', total: 2 })
  })

  it('makes its removals when they were confirmed, and counts them once', async () => {
    await openOnSuchLog()
    await createFeed(null)
    await world.runs.upload(world.feedId, body(products('a', 'b', 'c')), 'me')
    await ended()
    const { id } = await world.runs.upload(world.feedId, body(products('a')), 'me')
    expect(await ended(2)).toMatchObject({ status: 'HELD' })
    const { run } = world.runner
    vi.spyOn(world.runner, 'run').mockImplementationOnce(async (job) => {
      const outcome = await run(job)
      // The answer about the end of the run is lost, too.
      losesAnswer = true
      return outcome
    })
    losesAnswer = true
    await expect(world.runs.confirm(id, 'boss')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await world.runs.tick()
    // The list of removals goes once the end of the run is known to be stored.
    await waitFor(async () => (await readdir(folder())).join() === `${id}.content`)
    expect(await ended(2)).toMatchObject({ status: 'DONE', removed: 2 })
    expect(await ids()).toEqual(['a'])
  })
})

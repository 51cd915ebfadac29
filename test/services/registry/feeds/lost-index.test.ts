import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { IndexUnavailable, type ProductIndex } from '../../../../infra/product-index/port.ts'
import { defaultLimits } from '../../../../services/domain/limits.ts'
import { type FeedJob, noCounts } from '../../../../services/registry/feeds/runs/job.ts'
import { runFeed } from '../../../../services/registry/feeds/runs/run.ts'
import { fetchOptions } from '../../../../services/registry/feeds/source/fetch.ts'
import { item, rss } from './documents.ts'
import { type Engines, openEngines } from './engines.ts'

/** The index is lost after it has caught up, and before a run has read what it holds. */

const feed = { id: 'F', shopId: 'S', currency: 'EUR', lang: 'en' }
let engines: Engines
let losses = 0
let runs = 0
beforeAll(async () => {
  engines = await openEngines()
})
afterAll(() => engines.close())

function lostNow(): void {
  if (losses === 0) return
  losses--
  throw new IndexUnavailable('no such index')
}

async function run(task: FeedJob['task'], ids: readonly string[] = [], heldOf?: FeedJob) {
  const { index, log, catchUp, folder } = engines
  const lossy: ProductIndex = {
    ...index,
    count: async (...of) => {
      lostNow()
      return index.count(...of)
    },
    digests: async (...of) => {
      lostNow()
      return index.digests(...of)
    },
  }
  const path = join(folder, `run-${runs++}`)
  const job = { runId: path, feed, task, contentPath: `${path}.content`, heldPath: heldOf?.heldPath ?? `${path}.held` }
  await writeFile(job.contentPath, rss(...ids.map((id) => item({ id }))))
  const deps = { log, index: lossy, caughtUp: catchUp, readInTurn: <T>(read: () => Promise<T>) => read() }
  const fetch = fetchOptions(defaultLimits, true)
  const control = { signal: new AbortController().signal, counts: noCounts() }
  return { job, outcome: await runFeed({ ...deps, fetch, now: Date.now }, job, control) }
}

const offers = async () => [...(await engines.offers(feed.shopId)).keys()].sort()

it('a run that finds the index lost waits for it again, whatever the run is to do', async () => {
  losses = 2
  expect((await run({ tag: 'READ' }, ['a', 'b', 'c'])).outcome).toMatchObject({
    status: 'DONE',
    counts: { changed: 3 },
  })
  losses = 2
  const held = await run({ tag: 'READ' }, ['c'])
  expect(held.outcome).toMatchObject({ status: 'HELD', counts: { unchanged: 1 } })
  losses = 2
  const confirmed = await run({ tag: 'REMOVE_HELD' }, [], held.job)
  expect(confirmed.outcome).toMatchObject({ status: 'DONE', counts: { removed: 2 } })
  expect(await offers()).toEqual(['c'])
  losses = 2
  expect((await run({ tag: 'REMOVE_ALL' })).outcome).toMatchObject({ status: 'DONE', counts: { removed: 1 } })
  expect(await offers()).toEqual([])
  expect(losses).toBe(0)
})

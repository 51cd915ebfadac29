import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectRedis } from '../../../infra/counters/redis/counters.ts'
import { waitFor } from '../../wait-for.ts'
import { answered, SHARDS, startJudging } from './judged-campaigns.ts'
import { type OwnSentinels, startSentinels } from './servers/redis-sentinels.ts'

let sentinels: OwnSentinels
const folder = mkdtempSync(join(tmpdir(), 'judged-'))
beforeAll(async () => {
  sentinels = await startSentinels()
})
afterAll(async () => {
  await sentinels.stop()
  rmSync(folder, { recursive: true })
})

test('a judge bills nothing twice, and exceeds no cap, while Sentinels replace a primary that dies, and one that hangs', async () => {
  const campaigns = await startJudging(sentinels.url, folder)
  for (let i = 0; i < 5; i++) await campaigns.send()
  const failsOver = async (away: 'kill' | 'pause') => {
    const primary = await sentinels.primary()
    await primary[away]()
    await waitFor(async () => (await sentinels.primary()) !== primary)
    // Nobody may wait for the primary that hangs: the counters answer while it still hangs.
    await answered(() => campaigns.counters.complete())
    if (away === 'kill') await primary.start()
    else primary.resume()
    await sentinels.rejoin(primary)
  }
  await campaigns.sendDuring(failsOver('kill'))
  await campaigns.sendDuring(failsOver('pause'))
  await campaigns.judged()
  await campaigns.check()
  await campaigns.stop()
})

test('the primary is found through the Sentinels that are there', async () => {
  await sentinels.loseOne()
  const counters = connectRedis({ url: sentinels.url, namespace: 'other', shards: SHARDS })
  await counters.markComplete(0)
  expect(await counters.complete()).toEqual([true, ...Array(SHARDS - 1).fill(false)])
  await counters.clear()
  await counters.close()
})

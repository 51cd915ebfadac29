import { expect, test } from 'vitest'
import { spendKey } from '../../../services/domain/money/counter-keys.ts'
import { createJudgeStep } from '../../../streams/judge/judge.ts'
import { createSpendCheckpoints } from '../../../streams/spend-checkpoints/spend-checkpoints.ts'
import { campaignBody, eventOf, NOON, recordsOf, snapshotOf } from '../judge/fixtures.ts'
import { lossyCounters } from '../judge/lossy-counters.ts'
import { memoryLog } from './memory-log.ts'

test('a turn reads the campaigns of a shard in which something was counted, and new ones, and no others', async () => {
  const snapshot = snapshotOf({ a: {}, b: {} })
  const log = memoryLog()
  log.commit({ topic: 'ad-events', partition: 0, offset: 7 })
  let position = 5
  let spendOfA = 0
  let read = new Set<string>()
  const counters = {
    shards: 1,
    complete: async () => [true],
    positions: async () => [position, -1],
    async read(keys: readonly { id: string }[]) {
      for (const { id } of keys) read.add(id)
      return keys.map(({ id }) => (id === spendKey(0, 'a').id ? spendOfA : 0))
    },
  }
  const writeCheckpoints = createSpendCheckpoints({ log, counters, snapshot, now: () => NOON })
  const turn = async () => {
    read = new Set()
    const before = log.end('spend-checkpoints')
    await writeCheckpoints()
    return { campaignsRead: read.size, written: log.end('spend-checkpoints') - before }
  }
  const entry = { kind: 'Campaign', version: 1, updatedAt: 0, updatedBy: '', deletedAt: null } as const
  const perCampaign = await turn().then(({ campaignsRead }) => campaignsRead / 2)
  expect(log.end('spend-checkpoints')).toBe(2)
  expect(await turn()).toEqual({ campaignsRead: 0, written: 0 })
  snapshot.apply({ ...entry, id: 'c', body: campaignBody() })
  expect(await turn()).toEqual({ campaignsRead: perCampaign, written: 1 })
  expect(await turn()).toEqual({ campaignsRead: 0, written: 0 })
  position = 6
  spendOfA = 7
  expect(await turn()).toEqual({ campaignsRead: 3 * perCampaign, written: 1 })
})

test('a click that was counted and not committed is billed once when the counters are lost after a checkpoint', async () => {
  const PRICE = 9
  const log = memoryLog()
  const counters = lossyCounters()
  const deps = { log, counters, snapshot: snapshotOf({ c: {} }), now: () => NOON }
  const judge = createJudgeStep(deps)
  const writeCheckpoints = createSpendCheckpoints(deps)
  const clicks = recordsOf([1, 2].map(() => eventOf({}, { campaignId: 'c', priceMicros: PRICE })))
  const judgeClick = (at: number) => {
    return judge({
      topic: 'ad-events',
      partition: 0,
      records: [clicks[at]!],
      turn: async () => at || null,
      lastOffset: at,
    })
  }
  await counters.markComplete(0)
  for (const at of clicks.keys()) {
    await judgeClick(at)
    await writeCheckpoints()
    // The judge is ended before it commits, and the counters are lost.
    counters.loseTo(0)
    const { outputs } = await judgeClick(at)
    await log.append(outputs!)
    log.commit({ topic: 'ad-events', partition: 0, offset: at + 1 })
    expect(await counters.read([spendKey(0, 'c')])).toEqual([PRICE * (at + 1)])
  }
  await writeCheckpoints()
  expect(log.end('spend-checkpoints')).toBeGreaterThan(0)
})

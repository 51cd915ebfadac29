import { expect, test } from 'vitest'
import { type Counters, CountersBehind } from '../../../../infra/counters/port.ts'
import { shardOf } from '../../../../infra/counters/shards.ts'
import type { JudgedEvent } from '../../../../schemas/records/events.ts'
import { encode } from '../../../../schemas/wire/codec.ts'
import { spendKey } from '../../../../services/domain/money/counter-keys.ts'
import { createCountersRepair } from '../../../../streams/judge/counters-repair.ts'
import type { RecountDeps } from '../../../../streams/judge/recount.ts'
import { createSpendCheckpoints } from '../../../../streams/spend-checkpoints/spend-checkpoints.ts'
import { memoryLog } from '../../spend-checkpoints/memory-log.ts'
import { eventOf, NOON, snapshotOf } from '../fixtures.ts'
import { lossyCounters } from '../lossy-counters.ts'
import { untilDone } from '../until-done.ts'

const PRICE = 5
const CLICKS = 3
const now = () => NOON

/** One campaign in each partition, whose clicks were judged and whose spend has a checkpoint. Then the counters are lost. */
async function lostCounters(partitions: number) {
  const campaignIds = Array.from({ length: partitions }, (_, shard) => campaignIn(shard, partitions))
  const snapshot = snapshotOf(Object.fromEntries(campaignIds.map((id) => [id, { budgetMicros: 1_000 }])))
  const memory = memoryLog(partitions)
  for (const [partition, campaignId] of campaignIds.entries()) {
    for (let sourceOffset = 0; sourceOffset < CLICKS; sourceOffset++) {
      memory.appendTo(partition, judgedClick(campaignId, { sourcePartition: partition, sourceOffset }))
    }
    memory.commit({ topic: 'ad-events', partition, offset: CLICKS })
  }
  const counters = lossyCounters(partitions)
  memory.grow('ad-events', partitions)
  let questions = 0
  const log: RecountDeps['log'] = {
    committed: memory.committed,
    settled: memory.settled,
    bounds(topic) {
      questions += 1
      return memory.bounds(topic)
    },
    read(...place) {
      questions += 1
      return memory.read(...place)
    },
  }
  const repairOf = (of: Counters) => createCountersRepair({ log, counters: of, snapshot, now })
  await repairOf(counters)()
  await createSpendCheckpoints({ log: memory, counters, snapshot, now })()
  counters.loseTo(0)
  questions = 0
  return {
    counters,
    forgetJudged() {
      for (const partition of campaignIds.keys()) memory.forget('judged-events', CLICKS, partition)
    },
    repair: repairOf(counters),
    repairOf,
    spends: () => counters.read(campaignIds.map((id, shard) => spendKey(shard, id))),
    questions: () => questions,
  }
}

function campaignIn(shard: number, shards: number): string {
  for (let n = 0; ; n++) if (shardOf(`campaign-${n}`, shards) === shard) return `campaign-${n}`
}

function judgedClick(campaignId: string, place: Pick<JudgedEvent, 'sourcePartition' | 'sourceOffset'>) {
  const event = eventOf({ type: 'CLICK' }, { campaignId, kind: 'SPONSORED', priceMicros: PRICE })
  const judged: JudgedEvent = {
    ...event,
    verdict: 'VALID',
    billedMicros: PRICE,
    invalidReason: null,
    marks: [],
    ...place,
  }
  return { topic: 'judged-events', key: campaignId, value: encode('JudgedEvent', judged) } as const
}

test('lost counters are counted again with as many questions to the log as it has partitions, some of each', async () => {
  const [few, many] = [await lostCounters(4), await lostCounters(32)]
  for (const each of [few, many]) {
    await each.repair()
    expect(await each.spends()).toEqual((await each.spends()).map(() => CLICKS * PRICE))
  }
  expect(few.questions()).toBeGreaterThan(4)
  expect(many.questions()).toBeLessThanOrEqual(8 * few.questions())
})

test('counters that are lost again after any step of it end with the spend of the checkpoints', async () => {
  for (let lostAfter = 1; ; lostAfter++) {
    const { counters, forgetJudged, repairOf, spends } = await lostCounters(3)
    // The clicks themselves are no longer in the log.
    forgetJudged()
    let steps = 0
    const lose = () => {
      steps += 1
      if (steps === lostAfter) counters.loseTo(0)
    }
    const losing: Counters = {
      ...counters,
      async store(change) {
        await counters.store(change)
        lose()
      },
      async positions(sources) {
        const positions = await counters.positions(sources)
        lose()
        return positions
      },
    }
    const repair = repairOf(losing)
    await untilDone(async () => {
      const isQuiet = (await repair()) !== false
      // A loss at the very end is noticed in the next turn.
      if (!isQuiet || !(await counters.complete()).every(Boolean)) throw new CountersBehind('not sure yet')
    })
    expect(await spends(), `lost after ${lostAfter} steps`).toEqual([0, 1, 2].map(() => CLICKS * PRICE))
    if (steps < lostAfter) return
  }
})

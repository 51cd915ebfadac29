import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { shardOf } from '../../../infra/counters/shards.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import { logEpochRecord } from '../../../infra/event-log/log-epoch.ts'
import { type EventLog, Revoked } from '../../../infra/event-log/port.ts'
import type { AdEvent, JudgedEvent } from '../../../schemas/records/events.ts'
import { decode, encode } from '../../../schemas/wire/codec.ts'
import { spendKey } from '../../../services/domain/money/counter-keys.ts'
import { createCountersRepair } from '../../../streams/judge/counters-repair.ts'
import { createJudge, createJudgeStep } from '../../../streams/judge/judge.ts'
import { JUDGE_GROUP, restoreJudgeCommits } from '../../../streams/judge/recount/judged-up-to.ts'
import { eventOf, NOON, snapshotOf } from './fixtures.ts'
import { emptyLogAndCounters } from './log-and-counters.ts'

/** What Kafka does with the commits of a group that had no member for `offsets.retention.minutes`. An operator may delete some of them. */
async function forgetCommits(of = (_partition: number) => true): Promise<void> {
  const kept = (await its.log.committed(JUDGE_GROUP)).filter(({ partition }) => !of(partition))
  await its.log.reset(JUDGE_GROUP, null)
  await its.log.reset(JUDGE_GROUP, kept)
}
const isOdd = (partition: number) => partition % 2 === 1

const PRICE = 7
const BUDGET = 40 * PRICE
const campaignIds = ['c', 'd', 'e', 'f', 'g', 'h']
const snapshot = snapshotOf(Object.fromEntries(campaignIds.map((id) => [id, { budgetMicros: BUDGET }])))
const its = emptyLogAndCounters(snapshot)
const silent = { info() {}, warn() {}, error() {} }
let log: EventLog
beforeEach(() => {
  log = its.log
})

const send = (perCampaign: number) =>
  log.append(
    campaignIds.flatMap((campaignId) =>
      Array.from({ length: perCampaign }, () => adEvent(eventOf({}, { campaignId, priceMicros: PRICE }))),
    ),
  )
const adEvent = (event: AdEvent) => {
  return { topic: 'ad-events' as const, key: event.claims.campaignId, value: encode('AdEvent', event) }
}

async function verdicts(): Promise<JudgedEvent[]> {
  const bounds = await log.bounds('judged-events')
  const records = await Promise.all(bounds.map(({ partition }) => log.read('judged-events', partition, 0, 10_000)))
  return records.flat().map(({ value }) => decode('JudgedEvent', value!))
}

for (const [forgotten, of, counters] of [
  ['commits', undefined, 'kept'],
  ['commits', undefined, 'lost'],
  ['commits of some partitions', isOdd, 'kept'],
  ['commits of some partitions', isOdd, 'lost'],
] as const) {
  test(`a judge whose ${forgotten} are forgotten judges no event again, with its counters ${counters}`, async () => {
    await send(30)
    await its.judge()
    await forgetCommits(of)
    if (counters === 'lost') its.counters.loseTo(0)
    await send(30)
    const judge = createJudge({ log, counters: its.counters, snapshot, now: () => NOON, logger: silent })
    const ended = judge.run()
    await expect.poll(async () => (await judge.lag()).reduce((sum, { records }) => sum + records, 0)).toBe(0)
    await judge.stop()
    await ended
    const judged = await verdicts()
    expect(new Set(judged.map(({ eventId }) => eventId)).size).toBe(60 * campaignIds.length)
    expect(judged).toHaveLength(60 * campaignIds.length)
    const billed = judged.reduce((sum, { billedMicros }) => sum + billedMicros, 0)
    expect(billed).toBe(BUDGET * campaignIds.length)
    await createCountersRepair({ log, counters: its.counters, snapshot, now: () => NOON })()
    const spends = campaignIds.map((id) => spendKey(shardOf(id, its.counters.shards), id))
    expect(await its.counters.read(spends)).toEqual(campaignIds.map(() => BUDGET))
  })
}

test.each([
  ['the commits', undefined],
  ['some commits', isOdd],
])('lost counters are recounted although %s are forgotten, before a judge has joined', async (_name, of) => {
  await send(30)
  await its.judge()
  await forgetCommits(of)
  its.counters.loseTo(0)
  await createCountersRepair({ log, counters: its.counters, snapshot, now: () => NOON })()
  const spends = campaignIds.map((id) => spendKey(shardOf(id, its.counters.shards), id))
  expect(await its.counters.read(spends)).toEqual(campaignIds.map(() => 30 * PRICE))
})

test('in a log that was restored from a copy, the judge goes on where the restore found it', async () => {
  const events = Array.from({ length: 10 }, () => eventOf({}, { campaignId: 'c', priceMicros: PRICE }))
  const places = await log.append(events.map(adEvent))
  const { partition } = places[0]!
  // The first 8 were judged in the original, where they had other offsets.
  const place = { sourcePartition: partition, sourceOffset: 3 }
  const judged = { verdict: 'VALID', billedMicros: PRICE, invalidReason: null, marks: [], ...place } as const
  await log.append([
    {
      topic: 'judged-events',
      key: 'c',
      value: encode('JudgedEvent', { ...events[7]!, ...judged }),
    },
    logEpochRecord({
      ...{ epoch: 1, restoring: false, restoredAt: NOON, clusterId: null },
      judgedTo: [{ partition, offset: places[8]!.offset }],
    }),
  ])
  await restoreJudgeCommits(log, silent)
  const commits = await log.committed(JUDGE_GROUP)
  expect(commits).toMatchObject([{ topic: 'ad-events', partition, offset: places[8]!.offset }])
})

test('verdicts on events that the log does not have are no reason to leave events out', async () => {
  const [place] = await log.append([adEvent(eventOf({}, { campaignId: 'c' }))])
  await its.judge()
  const [verdict] = await verdicts()
  await log.append([
    {
      topic: 'judged-events',
      key: 'c',
      value: encode('JudgedEvent', { ...verdict!, sourceOffset: place!.offset + 1 }),
    },
  ])
  await forgetCommits()
  await expect(restoreJudgeCommits(log, silent)).rejects.toThrow('make restore-log')
  expect(await log.committed(JUDGE_GROUP)).toEqual([])
})

test('counters of another log are refused, with what to do', async () => {
  await send(30)
  await its.judge()
  const folder = mkdtempSync(join(tmpdir(), 'another-'))
  const emptied = await openEmbeddedEventLog({ folder })
  onTestFinished(async () => {
    await emptied.close()
    rmSync(folder, { recursive: true })
  })
  await emptied.append([adEvent(eventOf({}, { campaignId: 'c' }))])
  const judge = createJudge({ log: emptied, counters: its.counters, snapshot, now: () => NOON, logger: silent })
  const ended = judge.run()
  await expect.poll(() => judge.state().lastError?.message).toContain('they belong to another log')
  its.counters.loseTo(0)
  await expect.poll(async () => (await judge.lag()).reduce((sum, { records }) => sum + records, 0)).toBe(0)
  await judge.stop()
  await ended
  const bounds = await emptied.bounds('judged-events')
  expect(bounds.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(1)
})

test('a batch that another member has judged and gone on from is given up, and the counters are not blamed', async () => {
  const [first] = await send(30)
  const { partition } = first!
  const records = (await log.read('ad-events', partition, 0, 1_000)).map((record) => ({
    ...record,
    ...{ at: record.appendedAt, bytes: record.value },
    value: decode('AdEvent', record.value!),
  }))
  await its.judge()
  await send(30)
  await its.judge()
  const step = createJudgeStep({ log, counters: its.counters, snapshot, now: () => NOON })
  const batch = {
    topic: 'ad-events' as const,
    partition,
    records,
    turn: async () => null,
    lastOffset: records.at(-1)!.offset,
  }
  await expect(step(batch)).rejects.toBeInstanceOf(Revoked)
})

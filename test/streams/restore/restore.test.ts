import { beforeEach, expect, test } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { shardOf } from '../../../infra/counters/shards.ts'
import { epochOf, firstOffsetOf } from '../../../infra/event-log/epochs.ts'
import { withEpoch } from '../../../infra/event-log/kafka/epoch/with-epoch.ts'
import type { EventLog, NewRecord } from '../../../infra/event-log/port.ts'
import type { AdEvent, EventCorrection, JudgedEvent } from '../../../schemas/records/events.ts'
import type { SpendCheckpoint } from '../../../schemas/records/records.ts'
import { topics } from '../../../schemas/topics.ts'
import { decode, encode } from '../../../schemas/wire/codec.ts'
import { spendKey } from '../../../services/domain/money/counter-keys.ts'
import { createCountersRepair } from '../../../streams/judge/counters-repair.ts'
import { createJudge } from '../../../streams/judge/judge.ts'
import { carryOver } from '../../../streams/restore/carry-over.ts'
import { ProjectionNotEmpty, type RestoreDeps, restoreLog } from '../../../streams/restore/restore.ts'
import { correctionsByOrder } from '../../../streams/restore/spend-checkpoints.ts'
import { deadLettersWaiting, listDeadLetters, replayDeadLetters } from '../../../streams/runtime/dead-letters.ts'
import { runToEnd } from '../../../streams/runtime/run-to-end.ts'
import { eventOf, NOON, SHOP_ID, snapshotOf } from '../judge/fixtures.ts'
import { emptyLogAndCounters } from '../judge/log-and-counters.ts'
import { lossyCounters } from '../judge/lossy-counters.ts'

const PRICE = 7
const BUDGET = 10 * PRICE
const DAY_MS = 86_400_000
const SHARDS = topics['ad-events'].partitions
const ID = 'campaign'
const partition = shardOf(ID, SHARDS)
const snapshot = snapshotOf({ [ID]: { budgetMicros: BUDGET } })
const silent = { info() {}, warn() {}, error() {} }

/** The log that was lost, and the copy that is restored. */
const original = emptyLogAndCounters(snapshot)
const copy = emptyLogAndCounters(snapshot)
let finished: number[]
let log: EventLog

beforeEach(() => {
  finished = []
})

const click = (change: Partial<AdEvent> = {}) => eventOf(change, { campaignId: ID, priceMicros: PRICE })
const recordsOf = (events: readonly AdEvent[]): NewRecord[] =>
  events.map((event) => ({ topic: 'ad-events', key: ID, value: encode('AdEvent', event) }))

async function readAll(log: EventLog, topic: NewRecord['topic']) {
  const bounds = (await log.bounds(topic)).filter((each) => each.end > each.start)
  const pages = await Promise.all(bounds.map(({ partition, start, end }) => log.read(topic, partition, start, end)))
  return pages.flat()
}
const judgedIn = async (log: EventLog): Promise<JudgedEvent[]> =>
  (await readAll(log, 'judged-events')).map(({ value }) => decode('JudgedEvent', value!))

/** Copies this many of the first records of each topic. Offsets are those of the copy. */
async function copied(counts: { events: number; verdicts: number }): Promise<void> {
  const events = (await readAll(original.log, 'ad-events')).slice(0, counts.events)
  const verdicts = (await readAll(original.log, 'judged-events')).slice(0, counts.verdicts)
  const records = [...events, ...verdicts].map(({ topic, key, value }) => ({ topic, key, value }))
  if (records.length > 0) await copy.log.append(records)
}

/** A restore that works like Kafka's, without Kafka. @param fails how often `finish` is interrupted. */
function restoreOf(plain: EventLog, { fails = 0 } = {}): RestoreDeps['restore'] {
  let begun: number | null = null
  let left = fails
  return {
    copy: plain,
    async begin(seen) {
      begun ??= seen + 1
      const epoch = begun
      log = withEpoch(plain, { get: async () => epoch, confirm: async () => {} })
      return { epoch, log }
    },
    async finish(judgedTo) {
      if (left-- > 0) throw new Error('interrupted')
      finished = judgedTo.map(({ offset }) => offset)
    },
  }
}

/** A store with these tables, all of which have rows. */
/** A store in which each of these tables has a row. */
const analyticsWith = (tables: string[]) =>
  ({
    query: async (sql: string) => (sql.includes('system.tables') ? tables.map((name) => ({ name })) : [{ rows: 1 }]),
  }) as unknown as Analytics
const depsOf = (restore: RestoreDeps['restore']): RestoreDeps => {
  return { restore, counters: copy.counters, analytics: analyticsWith([]), now: () => NOON }
}

async function judgeCopy(): Promise<number> {
  const deps = { log, counters: copy.counters, snapshot, now: () => NOON }
  await createCountersRepair(deps)()
  await runToEnd(createJudge({ ...deps, logger: silent }))
  const load = {
    shard: partition,
    source: 'ad-events',
    after: -1,
    keys: [spendKey(partition, ID)],
    tallies: [],
    seen: [],
  }
  return (await copy.counters.load([load]))[0]!.values[0]!
}

test('the judge goes on behind the last verdict, also after an interruption, and bills nothing twice', async () => {
  const events = Array.from({ length: 8 }, () => click())
  for (const event of events) {
    await original.log.append(recordsOf([event]))
    await original.judge()
  }
  await copied({ events: 7, verdicts: 5 })
  const restore = restoreOf(copy.log, { fails: 1 })
  await expect(restoreLog(depsOf(restore))).rejects.toThrow('interrupted')
  const { epoch, judged } = await restoreLog(depsOf(restore))
  expect(epoch).toBe(1)
  expect(judged[partition]).toEqual({ partition, offset: firstOffsetOf(1) + 5, left: 2 })
  expect(finished).toEqual(judged.map(({ offset }) => offset))

  expect(await judgeCopy()).toBe(7 * PRICE)
  await log.append(recordsOf([events[0]!, events[6]!, ...Array.from({ length: 5 }, () => click())]))
  expect(await judgeCopy()).toBe(BUDGET)
  const verdicts = (await judgedIn(log)).map(({ verdict }) => verdict)
  const valid = Array<string>(7).fill('VALID')
  expect(verdicts).toEqual([
    ...valid,
    'DUPLICATE',
    'DUPLICATE',
    'VALID',
    'VALID',
    'VALID',
    'OVER_BUDGET',
    'OVER_BUDGET',
  ])
  expect((await judgedIn(log)).map(({ sourceOffset }) => epochOf(sourceOffset))).toEqual([
    ...Array(5).fill(0),
    ...Array(9).fill(1),
  ])
})

test('a copy of a copy comes after both, and a verdict without its event stays', async () => {
  await original.log.append(recordsOf([click(), click(), click()]))
  await original.judge()
  await copied({ events: 2, verdicts: 3 })
  const first = await restoreLog(depsOf(restoreOf(copy.log)))
  expect(first.judged[partition]).toMatchObject({ offset: firstOffsetOf(1) + 2, left: 0 })
  expect(await judgeCopy()).toBe(3 * PRICE)
  await log.append(recordsOf([click()]))
  expect(await judgeCopy()).toBe(4 * PRICE)

  copy.counters = lossyCounters(SHARDS)
  expect(await restoreLog(depsOf(restoreOf(copy.log)))).toMatchObject({ epoch: 2 })
  expect(await judgeCopy()).toBe(4 * PRICE)
  expect(await judgedIn(log)).toHaveLength(4)
})

test('events without any verdict are judged, unless their verdicts may have expired', async () => {
  const old = NOON - topics['judged-events'].retentionMinMs - DAY_MS
  await original.log.append(recordsOf([click({ occurredAt: old, receivedAt: old }), click()]))
  await copied({ events: 2, verdicts: 0 })
  const { judged } = await restoreLog(depsOf(restoreOf(copy.log)))
  expect(judged[partition]).toMatchObject({ offset: firstOffsetOf(1) + 1, left: 1 })
  expect(await judgeCopy()).toBe(PRICE)
})

test('topics of which nothing belongs together are refused', async () => {
  await original.log.append(recordsOf([click(), click()]))
  await original.judge()
  const [, second] = await readAll(original.log, 'judged-events')
  const [first] = await readAll(original.log, 'ad-events')
  await copy.log.append([first!, second!].map(({ topic, key, value }) => ({ topic, key, value })))
  await expect(restoreLog(depsOf(restoreOf(copy.log)))).rejects.toThrow(/have no event in common/)
})

test('a projection that holds something is refused, and nothing has begun', async () => {
  await original.log.append(recordsOf([click()]))
  await original.judge()
  const deps = depsOf({ ...restoreOf(copy.log), begin: () => Promise.reject(new Error('begun')) })
  await expect(restoreLog({ ...deps, counters: original.counters })).rejects.toThrow(ProjectionNotEmpty)
  await expect(restoreLog({ ...deps, analytics: analyticsWith(['emissions']) })).rejects.toThrow(/rows in emissions/)
})

const correction = (eventId: string, correctedAt: number): NewRecord => {
  const { type, cid } = click()
  const made = {
    correctionId: 'c',
    eventId,
    type,
    shopId: SHOP_ID,
    campaignId: ID,
    accountId: 'a',
    cid,
    occurredAt: NOON,
  }
  const value: EventCorrection = {
    ...made,
    creditedMicros: PRICE,
    currency: 'PLN',
    reason: '',
    correctedBy: 'a',
    correctedAt,
  }
  return { topic: 'corrections', key: ID, value: encode('EventCorrection', value) }
}

test('a checkpoint of the spend is placed behind the corrections that it may count, once', async () => {
  const checkpoint = { campaignId: ID, spendMicros: 21, thousandths: 0, sourceOffset: 90, correctionsOffset: 70 }
  await copy.log.append([correction('one', 1), correction('two', 2), correction('three', Date.now() + DAY_MS)])
  const value = encode('SpendCheckpoint', checkpoint)
  await copy.log.append([{ topic: 'spend-checkpoints', key: ID, value }])

  const restore = restoreOf(copy.log, { fails: 1 })
  await expect(restoreLog(depsOf(restore))).rejects.toThrow('interrupted')
  expect(await restoreLog(depsOf(restore))).toMatchObject({ spendCheckpoints: 0 })
  const placed = await readAll(log, 'spend-checkpoints')
  expect(placed.map((record): SpendCheckpoint => decode('SpendCheckpoint', record.value!))).toEqual([
    checkpoint,
    { ...checkpoint, correctionsOffset: firstOffsetOf(1) + 1 },
  ])
})

test('a log that is carried over loses no refund from after the last checkpoint', async () => {
  const events = [click(), click(), click()]
  await original.log.append(recordsOf(events))
  await original.judge()
  const sourceOffset = (await judgedIn(original.log)).at(-1)!.sourceOffset
  const [counted] = await original.log.append([correction(events[0]!.eventId, 1)])
  const checkpoint = { campaignId: ID, spendMicros: 2 * PRICE, thousandths: 0, sourceOffset }
  const value = encode('SpendCheckpoint', { ...checkpoint, correctionsOffset: counted!.offset })
  await original.log.append([{ topic: 'spend-checkpoints', key: ID, value }])
  await original.log.append([correction(events[1]!.eventId, 2)])

  const mark = { read: () => null, make: () => 'original' }
  await carryOver({ source: original.log, mark, target: copy.log, now: () => NOON })
  const countCorrections = await correctionsByOrder(original.log)
  await restoreLog({ ...depsOf(restoreOf(copy.log)), countCorrections })
  expect(await judgeCopy()).toBe(PRICE)
})

test('failed events that were replayed stay replayed, and those that wait still wait', async () => {
  const letter = { stream: 'sink', topic: 'page-views', partition: 0, key: 'k', value: Buffer.from('x') }
  const letterAt = (offset: number): NewRecord => {
    const value = encode('DeadLetter', { ...letter, offset, code: 'BAD', message: 'bad', failedAt: NOON })
    return { topic: 'dead-letters', key: 'k', value }
  }
  await original.log.append([letterAt(6), letterAt(7), letterAt(8)])
  await replayDeadLetters(original.log, { fromOffset: 1, limit: 1 }, () => NOON)
  // The first dead letter had expired when the mirror started.
  const [, ...mirrored] = await readAll(original.log, 'dead-letters')
  await copy.log.append(mirrored.map(({ topic, key, value }) => ({ topic, key, value })))

  const restore = restoreOf(copy.log, { fails: 1 })
  await expect(restoreLog(depsOf(restore))).rejects.toThrow('interrupted')
  await restoreLog(depsOf(restore))
  const { letters } = await listDeadLetters(log, { limit: 10 })
  expect(letters.map(({ letter, replayed }) => [letter.offset, replayed])).toEqual([
    [7, true],
    [8, false],
  ])
  expect(await deadLettersWaiting(log)()).toBe(1)
  expect(await replayDeadLetters(log, { limit: 10 }, () => NOON)).toEqual({ replayed: 1, skipped: 1, gone: 0 })
})

test('a checkpoint that counts verdicts which were not copied gives way to the one before it', async () => {
  await original.log.append(recordsOf([click(), click(), click(), click()]))
  await original.judge()
  await copied({ events: 4, verdicts: 3 })
  const sources = (await judgedIn(original.log)).map(({ sourceOffset }) => sourceOffset)
  const checkpointAt = (judged: number): NewRecord => {
    const place = { sourceOffset: sources[judged - 1]!, correctionsOffset: -1 }
    const value = encode('SpendCheckpoint', { campaignId: ID, spendMicros: judged * PRICE, thousandths: 0, ...place })
    return { topic: 'spend-checkpoints', key: ID, value }
  }
  await copy.log.append([checkpointAt(2)])
  await copy.log.append([checkpointAt(4)])
  expect(await restoreLog(depsOf(restoreOf(copy.log)))).toMatchObject({ spendCheckpoints: 1 })
  expect(await judgeCopy()).toBe(4 * PRICE)
})

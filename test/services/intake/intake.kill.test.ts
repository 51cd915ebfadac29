import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { openEmbeddedCounters } from '../../../infra/counters/embedded/counters.ts'
import { shardOf } from '../../../infra/counters/shards.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import type { RecordTypes } from '../../../schemas/records/records.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { topics } from '../../../schemas/topics.ts'
import { decode } from '../../../schemas/wire/codec.ts'
import { parseServerKeys } from '../../../services/domain/identity/server-keys.ts'
import { spendKey } from '../../../services/domain/money/counter-keys.ts'
import { createShowIds } from '../../../services/domain/show-id/show-id.ts'
import { createJudge } from '../../../streams/judge/judge.ts'
import { tries } from '../../effort.ts'
import { claimsOf, snapshotOf } from '../../streams/judge/fixtures.ts'

const ROUNDS = tries(6, 20)
const CLIENTS = 8
const PRICE_MICROS = 7
/** Reached in the last rounds, so that the test includes the edge of the budget. */
const BUDGET_MICROS = ROUNDS * 100 * PRICE_MICROS
const campaignIds = Array.from({ length: 6 }, () => randomUUID())
const campaigns = Object.fromEntries(campaignIds.map((id) => [id, { budgetMicros: BUDGET_MICROS }]))
const keys = `1:${randomBytes(32).toString('base64')}`
const showIds = createShowIds({ keys: parseServerKeys(keys) })

const folder = mkdtempSync(join(tmpdir(), 'intake-kill-'))
mkdirSync(join(folder, 'log'))
afterAll(() => rmSync(folder, { recursive: true }))

test('what was answered 202 is in the log, each event is judged once, and spend is what was billed, after every kill', async () => {
  const sent = new Set<string>()
  const acknowledged = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    const child = fork(new URL('./intake.kill.child.ts', import.meta.url), [folder, keys, JSON.stringify(campaigns)])
    const [port] = (await once(child, 'message')) as [number]
    const { promise: hasAcknowledged, resolve: acknowledge } = Promise.withResolvers<void>()
    const url = `http://127.0.0.1:${port}`
    const clients = Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(url, i % 2 === 0, acknowledge)))
    // In every second round it has begun to acknowledge events, however slow the machine is.
    if (round % 2 === 0) await Promise.race([hasAcknowledged, clients])
    await killed(child, randomInt(50, 400))
    await clients
  }
  expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS / 2)

  const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  const counters = await openEmbeddedCounters({
    folder: join(folder, 'counters'),
    shards: topics['ad-events'].partitions,
  })
  await judgeAll(log, counters)

  const events = await readAll(log, 'ad-events', 'AdEvent')
  const stored = events.map(({ value }) => value.claims.requestId)
  const storedOnce = new Set(stored)
  expect([...acknowledged].filter((id) => !storedOnce.has(id))).toEqual([])
  expect(stored.filter((id) => !sent.has(id))).toEqual([])

  const judged = (await readAll(log, 'judged-events', 'JudgedEvent')).map(({ value }) => value)
  const positions = judged.map(({ sourcePartition, sourceOffset }) => `${sourcePartition}/${sourceOffset}`)
  expect(new Set(positions).size).toBe(positions.length)
  expect(new Set(positions)).toEqual(new Set(events.map(({ partition, offset }) => `${partition}/${offset}`)))
  const valid = judged.filter(({ verdict }) => verdict === 'VALID')
  expect(new Set(valid.map(({ claims }) => claims.requestId)).size).toBe(valid.length)
  for (let shard = 0; shard < counters.shards; shard++) await counters.markComplete(shard)
  for (const id of campaignIds) {
    const billed = valid.reduce((sum, event) => sum + (event.claims.campaignId === id ? event.billedMicros : 0), 0)
    expect(billed).toBeLessThanOrEqual(BUDGET_MICROS)
    expect(await counters.read([spendKey(shardOf(id, counters.shards), id)])).toEqual([billed])
  }
  await counters.close()
  await log.close()

  /** Sends clicks, one by one or in batches, until the server is gone. */
  async function client(base: string, inBatches: boolean, acknowledge: () => void): Promise<void> {
    for (;;) {
      const clicks = Array.from({ length: inBatches ? 50 : 1 }, () => {
        const requestId = randomUUID()
        const ids = { requestId, slotHash: randomUUID(), adUnitId: randomUUID(), accountId: randomUUID() }
        const campaignId = campaignIds[randomInt(campaignIds.length)]!
        const claims = claimsOf({ ...ids, campaignId, priceMicros: PRICE_MICROS, emittedAt: Date.now() })
        return { requestId, showId: showIds.seal(claims) }
      })
      for (const { requestId } of clicks) sent.add(requestId)
      const body = inBatches
        ? { events: clicks.map(({ showId }) => ({ type: 'CLICK', showId })) }
        : { showId: clicks[0]!.showId }
      const response = await fetch(`${base}${inBatches ? '/v1/ev/batch' : '/v1/dsa/click-event'}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).catch(() => null)
      // The status is the acknowledgement, even if the kill cuts off the body.
      if (response === null) return
      expect(response.status).toBe(202)
      for (const { requestId } of clicks) acknowledged.add(requestId)
      acknowledge()
      await response.arrayBuffer().catch(() => null)
    }
  }
})

async function killed(child: ChildProcess, afterMs: number): Promise<void> {
  await delay(afterMs)
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function judgeAll(log: EventLog, counters: Awaited<ReturnType<typeof openEmbeddedCounters>>): Promise<void> {
  const logger = pino({ level: 'silent' })
  const judge = createJudge({ log, counters, snapshot: snapshotOf(campaigns), now: Date.now, logger })
  judge.run()
  while ((await judge.lag()).some(({ records }) => records > 0)) await delay(20)
  await judge.stop()
  expect(judge.state().dead).toBe(0)
}

async function readAll<K extends 'AdEvent' | 'JudgedEvent'>(log: EventLog, topic: TopicName, record: K) {
  const found: { partition: number; offset: number; value: RecordTypes[K] }[] = []
  for (const { partition, start, end } of await log.bounds(topic)) {
    for (let from = start; from < end; ) {
      const records = await log.read(topic, partition, from, 1_000)
      if (records.length === 0) break
      found.push(...records.map(({ offset, value }) => ({ partition, offset, value: decode(record, value!) })))
      from = records.at(-1)!.offset + 1
    }
  }
  return found
}

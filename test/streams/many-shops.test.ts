import { beforeEach, expect, test } from 'vitest'
import type { Analytics } from '../../infra/analytics/port.ts'
import type { EventLog, NewRecord } from '../../infra/event-log/port.ts'
import { Snapshot } from '../../services/domain/snapshot.ts'
import { createPhraseLifts } from '../../streams/phrase-lifts/phrase-lifts.ts'
import { createReportCounts } from '../../streams/report-counts/report-counts.ts'
import { createShopSignals } from '../../streams/signals/shop-signals.ts'
import { createSignals } from '../../streams/signals/signals.ts'
import { createTraffic } from '../../streams/signals/traffic.ts'
import { apply } from '../services/registry/reports/world.ts'
import { emission, purchase, touch } from './attribution/events.ts'
import type { Happening } from './attribution/happenings.ts'
import { openWorlds } from './attribution/world.ts'
import { logRecord } from './runtime/fake-log.ts'

const DAY_MS = 86_400_000
/** Shortly after an hour and a day have ended. */
const NOW = Date.parse('2026-03-10T00:10:00Z')
const SHOPS = 40
const shopOf = (n: number) => `shop-${n}`

const opened = openWorlds()
let world: Awaited<ReturnType<typeof opened>>
beforeEach(async () => {
  world = await opened()
  for (const table of ['report_counts', 'report_cells']) await world.analytics.command(`TRUNCATE TABLE ${table}`)
})

let nextId = 0
/** What shoppers do in a shop before a moment. */
function shopping(shopId: string, before: number): Happening[] {
  const at = before - 3_600_000
  const id = `${nextId++}`
  const person = { cid: `c${id}`, uid: null, shopId }
  const products = ['tea', ['cup', 'pot', 'jar'][nextId % 3]!]
  return [
    { topic: 'emissions', value: { ...emission({ id: `r${id}`, at, ...person }), phrases: [1] } },
    { topic: 'judged-events', value: touch({ eventId: `v${id}`, type: 'VIEW', at, adId: products[0]!, ...person }) },
    { topic: 'judged-events', value: touch({ eventId: `k${id}`, type: 'CLICK', at, adId: products[1]!, ...person }) },
    { topic: 'transactions', value: purchase({ eventId: `o${id}`, at, products, ...person }) },
  ]
}

/** A leading process, with the records that it appends and the number of its statements. */
function lead() {
  const appended: NewRecord[] = []
  let statements = 0
  const counting = { ...world.analytics } as Analytics
  for (const call of ['query', 'command', 'insert'] as const) {
    counting[call] = (async (...given: Parameters<Analytics[typeof call]>) => {
      statements += 1
      return (world.analytics[call] as (...given: unknown[]) => unknown)(...given)
    }) as never
  }
  const log = {
    ...world.log,
    async append(records: readonly NewRecord[]) {
      appended.push(...records)
      return []
    },
    bounds: async (topic) => [{ partition: 0, start: 0, end: appended.filter((each) => each.topic === topic).length }],
    async tail(topic, onBatch, from = []) {
      const ofTopic = appended.filter((each) => each.topic === topic).map((record, at) => logRecord(record, 0, at))
      await onBatch(ofTopic.slice(from[0]?.offset ?? 0))
      return { close: async () => {} }
    },
  } as EventLog
  const snapshot = new Snapshot()
  for (let n = 0; n < SHOPS; n++) apply(snapshot, 'Shop', shopOf(n), { timeZone: 'UTC', currency: 'EUR' })
  const time = { now: NOW }
  const deps = { log, analytics: counting, snapshot, now: () => time.now }
  const signals = createSignals({ ...deps, shopSignals: createShopSignals(deps), intervalMs: 0 })
  const counts = createReportCounts(deps)
  const turns: Record<string, () => Promise<unknown>> = {
    signals: signals.runOnce,
    traffic: createTraffic(deps),
    lifts: createPhraseLifts(deps),
    counts: async () => {
      while (await counts()) {
        // Each turn handles only part of the rows.
      }
    },
  }
  return {
    appended,
    time,
    /** @returns the number of statements of each kind of turn. */
    async turn() {
      const taken: Record<string, number> = {}
      for (const [name, turn] of Object.entries(turns)) {
        statements = 0
        await turn()
        taken[name] = statements
      }
      return taken
    },
  }
}

const store = (shops: number, before: number) =>
  world.store(Array.from({ length: shops }, (_, n) => shopping(shopOf(n), before)).flat())

test('a turn takes as many statements when many shops have something new as when two have', async () => {
  await store(SHOPS, NOW - DAY_MS)
  const leader = lead()
  await leader.turn()
  leader.time.now += DAY_MS
  await store(2, leader.time.now)
  const few = await leader.turn()
  leader.time.now += DAY_MS
  await store(SHOPS, leader.time.now)
  const many = await leader.turn()
  expect(Math.min(...Object.values(few))).toBeGreaterThan(2)
  expect(many).toEqual(few)
})

test('the signals of a shop are the same beside others as they are alone', async () => {
  const [first, later] = [NOW - 2 * DAY_MS, NOW].map((before) =>
    Array.from({ length: SHOPS * 3 }, (_, n) => shopping(shopOf(n % SHOPS), before)).flat(),
  ) as [Happening[], Happening[]]
  const signalsOf = async (happenings: readonly (readonly Happening[])[]) => {
    const leader = lead()
    for (const each of happenings) {
      await world.store(each)
      await leader.turn()
    }
    const own = leader.appended.filter(({ key }) => key?.startsWith(`${shopOf(7)}/`) || key === shopOf(7))
    return own.map(({ topic, key, value }) => [topic, key, value && Buffer.from(value).toString('hex')])
  }
  const beside = await signalsOf([first, later])
  world = await opened()
  const isOwn = ({ value }: Happening) =>
    'shopId' in value ? value.shopId === shopOf(7) : 'claims' in value && value.claims.shopId === shopOf(7)
  const alone = await signalsOf([first.filter(isOwn), later.filter(isOwn)])
  expect(beside.length).toBeGreaterThan(3)
  expect(beside.toSorted()).toEqual(alone.toSorted())
})

test('a shop that fails does not keep the others from being computed', async () => {
  await store(SHOPS, NOW)
  const computed: string[] = []
  const failing = {
    update: async (shopIds: readonly string[]) => {
      if (shopIds.includes(shopOf(0))) throw new Error('too large')
      computed.push(...shopIds)
      return 0
    },
  }
  await world.store(Array.from({ length: 100 }, (_, n) => shopping(`other-${n}`, NOW)).flat())
  const deps = { log: world.log, analytics: world.analytics, now: () => NOW }
  await expect(createSignals({ ...deps, shopSignals: failing, intervalMs: 0 }).runOnce()).rejects.toThrow('too large')
  expect(computed.length).toBeGreaterThanOrEqual(SHOPS + 100 - 50)
})

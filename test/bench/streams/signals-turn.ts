/**
 * A turn of signals after 1,000 new orders, in two shops of 1 million stored events and 50,000 orders each, or other numbers by
 * argument. Then turns after 10,000 new events on a day that has a million. Prints what a turn reads, its CPU, the CPU of its
 * thread alone, the longest time that it blocks the thread, and the memory of the process. In the program, the thread serves only
 * signals.
 *
 *     node test/bench/streams/signals-turn.ts [events of a shop] [shops]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { openEmbeddedAnalytics } from '../../../infra/analytics/embedded/analytics.ts'
import { createShopSignals } from '../../../streams/signals/shop-signals.ts'
import { createSignals } from '../../../streams/signals/signals.ts'
import { SINK_GROUP } from '../../../streams/sink/offset-metadata.ts'
import { fakeLog } from '../../streams/runtime/fake-log.ts'
import { startStopwatch } from '../stopwatch.ts'
import { reportFigure } from '../summary/figure.ts'

const EVENTS = Number(process.argv[2] ?? 1_000_000)
const SHOPS = Number(process.argv[3] ?? 2)
const EVENTS_PER_ORDER = 20
const PRODUCTS = 5_000
const NEW_ORDERS = 1_000
/** Events of the last day, in all shops. */
const EVENTS_OF_DAY = 1_000_000
const NEW_EVENTS = 10_000
const TURNS = 3
const CHUNK_ROWS = 500_000
const SETTLE_MS = 3_000
const DAY_MS = 86_400_000
const DAYS = 30
const NOW = Date.UTC(2026, 2, 10, 12)

const product = (salt: number) =>
  `concat('sku-', toString(toUInt64(${PRODUCTS} * pow(cityHash64(number, ${salt}) / pow(2, 64), 2))))`
const at = '{startMs:Int64} + toInt64((number - {from:Int64}) * {stepMs:Float64})'
const shopOf = `concat('shop-', toString(number % ${SHOPS}))`
const eventsSql = `
  INSERT INTO judged_events (_topic, _partition, _offset, eventId, type, verdict, cid, occurredAt, receivedAt, kind, shopId,
    campaignId, accountId, adId)
  SELECT 'judged-events', 0, number, toString(generateUUIDv4()), if(number % 30 < 2, 'CLICK', 'VIEW'), 'VALID', 'cid',
    ${at} AS time, time, 'SPONSORED', ${shopOf}, 'campaign', 'account', ${product(1)}
  FROM numbers({from:UInt64}, {rows:UInt64})`
const ordersSql = `
  INSERT INTO transactions (_topic, _partition, _offset, eventId, kind, shopId, cid, currency, occurredAt, receivedAt, lines)
  SELECT 'transactions', 0, number, toString(generateUUIDv4()), 'PURCHASE', ${shopOf}, 'cid', 'EUR', ${at} AS time, time,
    arraySlice([(${product(2)}, 10000000, 1, NULL, NULL, NULL), (${product(3)}, 5000000, 1, NULL, NULL, NULL),
      (${product(4)}, 5000000, 1, NULL, NULL, NULL)], 1, 1 + number % 3)
  FROM numbers({from:UInt64}, {rows:UInt64})`

const folder = mkdtempSync(join(tmpdir(), 'bench-signals-'))
const analytics = await openEmbeddedAnalytics({ folder })
let appended = 0
const log = {
  ...fakeLog(),
  async append(records: readonly unknown[]) {
    appended += records.length
    return []
  },
  tail: async () => ({ close: async () => {} }),
}
const ends = { 'judged-events': 0, transactions: 0 }
async function add(topic: keyof typeof ends, rows: number, startMs: number, endMs: number): Promise<void> {
  const stepMs = (endMs - startMs) / rows
  for (let done = 0; done < rows; done += CHUNK_ROWS) {
    const chunk = Math.min(CHUNK_ROWS, rows - done)
    const sql = topic === 'transactions' ? ordersSql : eventsSql
    await analytics.command(sql, { from: ends[topic], rows: chunk, startMs: startMs + done * stepMs, stepMs })
    ends[topic] += chunk
  }
  const commits = Object.entries(ends).map(([name, offset]) => ({ topic: name as keyof typeof ends, offset }))
  await log.reset(
    SINK_GROUP,
    commits.map((each) => ({ ...each, partition: 0, metadata: '' })),
  )
}

await add('judged-events', EVENTS * SHOPS, NOW - DAYS * DAY_MS, NOW - 60_000)
await add('transactions', (EVENTS * SHOPS) / EVENTS_PER_ORDER, NOW - DAYS * DAY_MS, NOW - 60_000)
await delay(SETTLE_MS)
const deps = { log, analytics, now: () => NOW }
const signals = createSignals({ ...deps, shopSignals: createShopSignals(deps), intervalMs: 0 })
const figures: Record<string, string | number>[] = []
async function turn(name: string): Promise<void> {
  const lag = monitorEventLoopDelay({ resolution: 5 })
  const rowsBefore = await rowsRead()
  lag.enable()
  const spent = startStopwatch()
  appended = 0
  await signals.runOnce()
  const { ms, cpuMs, threadCpuMs } = spent()
  lag.disable()
  figures.push({
    turn: name,
    ms: Math.round(ms),
    'CPU ms': Math.round(cpuMs),
    'of its thread ms': Math.round(threadCpuMs),
    'memory MB': Math.round(process.memoryUsage.rss() / 1e6),
    'rows read': (await rowsRead()) - rowsBefore,
    'longest block ms': Math.round(lag.max / 1e6),
    'records appended': appended,
  })
}
async function rowsRead(): Promise<number> {
  const sql = `SELECT toInt64(sum(value)) AS rows FROM system.events WHERE event = 'SelectedRows'`
  return (await analytics.query<{ rows: number }>(sql))[0]!.rows
}

await turn('first')
await turn('nothing new')
for (let n = 0; n < TURNS; n++) {
  await add('transactions', NEW_ORDERS, NOW - 60_000 + n * 10_000, NOW - 50_000 + n * 10_000)
  await turn(`${NEW_ORDERS} new orders`)
}
const turns = figures.slice(-TURNS).map((figure) => figure['CPU ms'] as number)
await add('judged-events', EVENTS_OF_DAY, NOW - DAY_MS / 2, NOW - 60_000)
await turn(`${EVENTS_OF_DAY} events of a day`)
for (let n = 0; n < TURNS; n++) {
  await add('judged-events', NEW_EVENTS, NOW - 50_000 + n * 10_000, NOW - 40_000 + n * 10_000)
  await turn(`${NEW_EVENTS} more`)
}
const eventTurns = figures.slice(-TURNS).map((figure) => figure['CPU ms'] as number)
console.log(`${SHOPS} shops of ${EVENTS.toLocaleString('en')} events and ${EVENTS / EVENTS_PER_ORDER} orders each`)
console.table(figures)
reportFigure({
  measure: `A signals turn of ${NEW_ORDERS} orders, ${SHOPS} shops of ${EVENTS.toLocaleString('en')} events`,
  ...{ value: Math.max(...turns) / 1_000, unit: 's of CPU', goal: { atMost: 2 } },
})
reportFigure({
  measure: `A signals turn of ${NEW_EVENTS} events of a day of ${EVENTS_OF_DAY.toLocaleString('en')}`,
  ...{ value: Math.max(...eventTurns) / 1_000, unit: 's of CPU', goal: { atMost: 2 } },
})
rmSync(folder, { recursive: true })
process.exit(0)

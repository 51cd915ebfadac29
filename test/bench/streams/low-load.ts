/**
 * What analytics costs at low load, while somebody reads reports, with everything embedded: the sink, ClickHouse and attribution.
 * They are idle, or 100 visits a second arrive (100 emissions, 570 judged views and clicks, 8 purchases), or another number of visits.
 * Prints CPU by thread (Linux), what ClickHouse did, and what the process used while each kind of statement was running.
 *
 *     node test/bench/streams/low-load.ts [seconds] [visits per second]
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEmbeddedAnalytics } from '../../../infra/analytics/embedded/analytics.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { NewRecord } from '../../../infra/event-log/port.ts'
import { createAttribution } from '../../../streams/attribution/attribution.ts'
import { createPeriodic } from '../../../streams/runtime/periodic.ts'
import { createSink } from '../../../streams/sink/sink.ts'
import { emission, purchase, touch } from '../../streams/attribution/events.ts'
import { bytesOf, type Happening, keyOf } from '../../streams/attribution/happenings.ts'

const SECONDS = Number(process.argv[2] ?? 20)
const VISITS_PER_SECOND = Number(process.argv[3] ?? 100)
const VIEWS_PER_VISIT = 5.7
const PURCHASES_PER_VISIT = 0.08
const TICK_MS = 50
const SETTLE_MS = 10_000
const CAMPAIGNS = 40
const PRODUCTS = 19_406
/** The same pause as in streams/start.ts. */
const ATTRIBUTION_PAUSE_MS = 1_000
const TICKS_PER_SECOND = 100
const KIND_CHARS = 60
const silent = { info() {}, warn: console.warn, error: console.error }
const EVENTS = ['InsertQuery', 'SelectQuery', 'Query', 'MergedRows', 'Merge', 'FileOpen', 'FileSync', 'DirectorySync']

const folder = mkdtempSync(join(tmpdir(), 'bench-low-load-'))
const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
const analytics = await openEmbeddedAnalytics({ folder: join(folder, 'analytics') })
const statements = new Map<string, { count: number; cpuMs: number }>()
const counted: Analytics = {
  ...analytics,
  insert: (table, rows, by) => noted(`insert ${table}`, analytics.insert(table, rows, by)),
  query: (sql, params) => noted(kindOf(sql), analytics.query(sql, params)),
  command: (sql, params) => noted(kindOf(sql), analytics.command(sql, params)),
}
const turn = createAttribution({ log, analytics: counted, runId: randomUUID })
const attribution = createPeriodic({
  name: 'attribution',
  turn,
  pauseMs: ATTRIBUTION_PAUSE_MS,
  now: Date.now,
  logger: silent,
})
const sink = createSink({ log, analytics: counted, now: Date.now, logger: silent, onStored: attribution.wake })
const ended = [sink.run(), attribution.run()]

/** The beginning of a statement without the names of scratch tables: enough to tell kinds of statements apart. */
function kindOf(sql: string): string {
  const plain = sql.replaceAll(/attribution_scratch_[0-9a-f]+/g, '').replaceAll(/\s+/g, ' ')
  return plain.trim().slice(0, KIND_CHARS)
}

async function noted<T>(kind: string, call: Promise<T>): Promise<T> {
  const before = process.cpuUsage()
  const result = await call
  const { user, system } = process.cpuUsage(before)
  const { count, cpuMs } = statements.get(kind) ?? { count: 0, cpuMs: 0 }
  statements.set(kind, { count: count + 1, cpuMs: cpuMs + (user + system) / 1_000 })
  return result
}

let visits = 0
let due = 0
function visit(): Happening[] {
  const n = visits++
  const at = Date.now()
  const cid = `shopper-${n % 3_000}-${n >> 6}`
  const uid = n % 3 === 0 ? `user-${n % 500}` : null
  const views = Math.floor((n + 1) * VIEWS_PER_VISIT) - Math.floor(n * VIEWS_PER_VISIT)
  const adId = (i: number) => `sku-${(n * 7 + i) % PRODUCTS}`
  const seen = Array.from({ length: views }, (_, i): Happening => {
    const type = i === 0 && n % 5 === 0 ? 'CLICK' : 'VIEW'
    const campaignId = `campaign-${(n + i) % CAMPAIGNS}`
    const value = touch({ eventId: randomUUID(), type, cid, uid, at, adId: adId(i), campaignId })
    return { topic: 'judged-events', value }
  })
  const buys = Math.floor((n + 1) * PURCHASES_PER_VISIT) > Math.floor(n * PURCHASES_PER_VISIT)
  const value = purchase({ eventId: randomUUID(), cid, uid, at, products: [adId(0), adId(3)] })
  return [
    { topic: 'emissions', value: emission({ id: randomUUID(), cid, uid, at }) },
    ...seen,
    ...(buys ? [{ topic: 'transactions' as const, value }] : []),
  ]
}

async function shop(seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1_000
  for (let last = performance.now(); last < end; ) {
    await sleep(TICK_MS)
    const now = performance.now()
    due += ((now - last) * VISITS_PER_SECOND) / 1_000
    last = now
    const happenings = Array.from({ length: Math.floor(due) }, visit).flat()
    due -= Math.floor(due)
    if (happenings.length > 0) await log.append(happenings.map(recordOf))
  }
}

const recordOf = (each: Happening): NewRecord => ({ topic: each.topic, key: keyOf(each), value: bytesOf(each) })

/** Prints the percentage of a core by thread name, and ClickHouse's events per second. */
async function measured(phase: string, seconds: number, work: () => Promise<unknown>) {
  const before = { cpu: cpuOfThreads(), events: await eventsOf() }
  await work()
  const after = { cpu: cpuOfThreads(), events: await eventsOf() }
  const cpu: Record<string, number> = {}
  let total = 0
  for (const [thread, { name, ticks }] of after.cpu) {
    const spent = (ticks - (before.cpu.get(thread)?.ticks ?? 0)) / TICKS_PER_SECOND
    cpu[name] = (cpu[name] ?? 0) + (100 * spent) / seconds
    total += (100 * spent) / seconds
  }
  const shown = Object.entries(cpu).filter(([, percent]) => percent >= 0.05)
  const byThread = shown.sort((a, b) => b[1] - a[1]).map(([name, percent]) => `${name} ${percent.toFixed(1)}`)
  console.log(`${phase}: ${total.toFixed(1)} % of a core: ${byThread.join(', ')}`)
  const perSecond = EVENTS.map((name) => {
    const times = (after.events.get(name) ?? 0) - (before.events.get(name) ?? 0)
    return `${name} ${(times / seconds).toFixed(1)}`
  })
  console.log(`  ClickHouse, a second: ${perSecond.join(', ')}`)
}

async function eventsOf(): Promise<Map<string, number>> {
  const rows = await analytics.query<{ event: string; value: number }>('SELECT event, value FROM system.events')
  return new Map(rows.map(({ event, value }) => [event, value]))
}

function cpuOfThreads(): Map<string, { name: string; ticks: number }> {
  return new Map(
    readdirSync('/proc/self/task').map((thread) => {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
      return [thread, { name, ticks: Number(fields[11]) + Number(fields[12]) }]
    }),
  )
}

await shop(SETTLE_MS / 1_000)
statements.clear()
await measured(`${VISITS_PER_SECOND} visits/s`, SECONDS, () => shop(SECONDS))
console.table(
  [...statements]
    .sort(([, a], [, b]) => b.cpuMs - a.cpuMs)
    .map(([statement, { count, cpuMs }]) => ({
      statement,
      'a second': (count / SECONDS).toFixed(1),
      'CPU ms of each': (cpuMs / count).toFixed(1),
      '% of a core': (cpuMs / SECONDS / 10).toFixed(1),
    })),
)
await sleep(SETTLE_MS)
await measured('idle', SECONDS, () => sleep(SECONDS * 1_000))
const [parts] = await analytics.query<{ parts: number }>('SELECT count() AS parts FROM system.parts WHERE active')
console.log(`${parts!.parts} active parts`)
await Promise.all([sink.stop(), attribution.stop(), ...ended])
await analytics.close()
await log.close()
rmSync(folder, { recursive: true })
process.exit(0)

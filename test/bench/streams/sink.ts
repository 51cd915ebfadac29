/**
 * Sink throughput from log to tables, against inserting the same rows from memory as JSON through the bare client over the same
 * kind of connection. Each side runs in its own process, including the engine. Goals: 150,000 rows a second on an otherwise idle
 * machine with two cores, and half the CPU of the bare client.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '@clickhouse/client'
import { createChdbConnection } from 'chdb/connection'
import { openEmbeddedAnalytics } from '../../../infra/analytics/embedded/analytics.ts'
import { migrate } from '../../../infra/analytics/migrate.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { JudgedEvent } from '../../../schemas/records/events.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { UNKNOWN_CLIENT } from '../../../services/domain/identity/client-hashes.ts'
import { createSink } from '../../../streams/sink/sink.ts'
import { jsonRowOf } from '../../streams/sink/json-rows.ts'
import { startStopwatch } from '../stopwatch.ts'
import { reportFigure } from '../summary/figure.ts'

const RECORDS = 300_000
const BATCH = 20_000
const APPEND = 1_000
/** Both sides are timed up to this share. The rest includes a last batch, which the sink holds until it is old. */
const TIMED_SHARE = 0.8
const silent = { info() {}, warn() {}, error: console.error }

function event(n: number): JudgedEvent {
  const uuid = (seed: number) =>
    `6f1d${(seed % 65_536).toString(16).padStart(4, '0')}-5c1e-4f1b-9a3e-${String(seed).padStart(12, '0')}`
  const at = 1_760_000_000_000 + n * 37
  return {
    eventId: uuid(n),
    type: n % 20 === 0 ? 'CLICK' : 'VIEW',
    cid: uuid(n % 20_000),
    uid: n % 4 === 0 ? `user-${n % 5_000}` : null,
    occurredAt: at,
    receivedAt: at + 12,
    bot: false,
    proof: 'ANONYMOUS',
    ...UNKNOWN_CLIENT,
    verdict: 'VALID',
    invalidReason: null,
    marks: [],
    billedMicros: n % 20 === 0 ? 250_000 : 0,
    sourcePartition: n % 4,
    sourceOffset: n,
    claims: {
      kind: 'SPONSORED',
      requestId: uuid(n >> 2),
      shopId: uuid(1),
      slotHash: uuid(2),
      adUnitId: uuid(3),
      campaignId: uuid(n % 50),
      accountId: uuid(n % 10),
      adId: `sku-${n % 19_406}`,
      itemGroupId: n % 3 === 0 ? `group-${n % 4_000}` : null,
      cid: uuid(n % 20_000),
      uid: null,
      algorithm: 'CONTEXT_MATCH',
      position: 1 + (n % 4),
      priceMicros: 250_000,
      currency: 'EUR',
      autoPromo: false,
      country: 'DE',
      emittedAt: at - 900,
    },
  }
}

interface Measure {
  rowsPerSecond: number
  /** User and system time of the whole process. */
  cpuMicrosPerRow: number
}

function startMeasure(): (rows: number) => Measure {
  const spent = startStopwatch()
  return (rows) => {
    const { ms, cpuMs } = spent()
    return { rowsPerSecond: (1_000 * rows) / ms, cpuMicrosPerRow: (1_000 * cpuMs) / rows }
  }
}

async function sink(folder: string): Promise<Measure> {
  const log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  for (let n = 0; n < RECORDS; n += APPEND) {
    const events = Array.from({ length: APPEND }, (_, i) => event(n + i))
    await log.append(
      events.map((each) => ({
        topic: 'judged-events' as const,
        key: each.claims.campaignId,
        value: encode('JudgedEvent', each),
      })),
    )
  }
  const analytics = await openEmbeddedAnalytics({ folder: join(folder, 'analytics') })
  const stream = createSink({ log, analytics, now: Date.now, logger: silent })
  const measured = startMeasure()
  void stream.run()
  while (stream.state().records < RECORDS * TIMED_SHARE) await delay(2)
  const measure = measured(stream.state().records)
  while (stream.state().records < RECORDS) await delay(20)
  const [stored] = await analytics.query<{ rows: number }>(
    'SELECT count() AS rows FROM judged_events HAVING rows = uniqExact(_partition, _offset)',
  )
  if (stored?.rows !== RECORDS) throw new Error(`stored ${stored?.rows} of ${RECORDS}`)
  return measure
}

/** Casts the connection, because the two packages have separate types for it. */
function connectionTo(path: string) {
  return createChdbConnection({ path }) as unknown as NonNullable<Parameters<typeof createClient>[0]>['connection']
}

/** Runs `client.insert` with rows from memory. */
async function bare(folder: string): Promise<Measure> {
  const client = createClient({ connection: connectionTo(join(folder, 'bare')) })
  await migrate({
    command: async (query) => void (await client.command({ query })),
    query: async <Row extends object>(query: string) =>
      (await (await client.query({ query, format: 'JSONEachRow' })).json()) as Row[],
    insert: async () => {},
  })
  const rows = Array.from({ length: RECORDS }, (_, n) =>
    jsonRowOf({ _topic: 'judged-events', _partition: n % 4, _offset: n }, event(n)),
  )
  const timed = RECORDS * TIMED_SHARE
  const measured = startMeasure()
  for (let n = 0; n < timed; n += BATCH) {
    await client.insert({
      table: 'judged_events',
      values: rows.slice(n, n + BATCH),
      format: 'JSONEachRow',
      clickhouse_settings: { insert_deduplication_token: String(n) },
    })
  }
  return measured(timed)
}

async function main(): Promise<void> {
  const measures: Record<'bare' | 'sink', Measure[]> = { bare: [], sink: [] }
  // Alternate, so that a slower minute of the machine affects both.
  for (const side of ['bare', 'sink', 'bare', 'sink', 'bare', 'sink'] as const) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-sink-'))
    const child = fork(import.meta.filename, [side, folder])
    const [measure] = (await once(child, 'message')) as [Measure]
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(folder, { recursive: true })
    measures[side].push(measure)
  }
  const median = (side: 'bare' | 'sink', figure: keyof Measure) =>
    measures[side].map((each) => each[figure]).sort((a, b) => a - b)[measures[side].length >> 1]!
  reportFigure({
    measure: 'Sink, judged events, embedded',
    ...{ value: median('sink', 'rowsPerSecond'), unit: 'rows/s', goal: { atLeast: 150_000 } },
  })
  console.table(
    (['rowsPerSecond', 'cpuMicrosPerRow'] as const).map((figure) => ({
      measure: `judged events, ${RECORDS.toLocaleString('en')} rows: ${figure}`,
      bare: Number(median('bare', figure).toFixed(1)),
      sink: Number(median('sink', figure).toFixed(1)),
      ratio: Number((median('sink', figure) / median('bare', figure)).toFixed(2)),
    })),
  )
}

const [, , side, folder] = process.argv
if (side === undefined) await main()
else process.send!(await (side === 'sink' ? sink : bare)(folder!))

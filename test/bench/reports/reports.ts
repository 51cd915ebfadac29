/**
 * A report over 90 days of a shop by campaign, from counts and from the stored rows, by default with 10 million events. Measures
 * what each reads and its CPU, what counting costs per row, and what the projection by quarter adds to an insert. With few events it
 * shows what the statements themselves cost: how long those of common reports are, and the CPU to analyse and to answer them.
 *
 *     node test/bench/reports/reports.ts [events]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Analytics, QueryParams } from '../../../infra/analytics/port.ts'
import { reportQuery } from '../../../infra/analytics/queries/report.ts'
import type { ReportSpec } from '../../../infra/analytics/queries/report-spec.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { planReads } from '../../../services/registry/reports/read-plan.ts'
import { readReportRequest } from '../../../services/registry/reports/request.ts'
import { specOf } from '../../../services/registry/reports/spec.ts'
import { createReportCounts } from '../../../streams/report-counts/report-counts.ts'
import { apply } from '../../services/registry/reports/world.ts'
import { openEngines } from '../engines-of-environment.ts'
import { startStopwatch } from '../stopwatch.ts'
import { reportFigure } from '../summary/figure.ts'

const EVENTS = Number(process.argv[2] ?? 10_000_000)
const CHUNK_ROWS = 500_000
const DAY_MS = 86_400_000
const END = Date.UTC(2026, 5, 30)
const DAYS = 90
const CAMPAIGNS = 100
const UNITS = 20
const PRODUCTS = 2_000
const BLOCK_ROWS = 20_000
const BLOCKS = 10
const RUNS = 3
const COMMON_RUNS = 9

const eventsSql = `
INSERT INTO judged_events (_topic, _partition, _offset, eventId, type, verdict, billedMicros, cid, occurredAt, receivedAt, kind,
  shopId, adUnitId, campaignId, accountId, adId, algorithm, currency, country)
SELECT 'judged-events', number % 12, intDiv(number, 12), toString(generateUUIDv4(number)), if(number % 20 = 0, 'CLICK', 'VIEW'),
  if(cityHash64(number) % 10 = 0, 'BOT', 'VALID'), if(number % 20 = 0, 150000, 0), toString(cityHash64(number, 1) % 100000),
  {startMs:Int64} + toInt64((number - {from:Int64}) * {stepMs:Float64}) AS time, time, 'SPONSORED', 'shop',
  concat('unit-', toString(cityHash64(number, 2) % ${UNITS})),
  concat('campaign-', toString(cityHash64(number, 3) % ${PRODUCTS} % ${CAMPAIGNS})), 'account',
  concat('sku-', toString(cityHash64(number, 3) % ${PRODUCTS})), 'CONTEXT_MATCH', 'EUR',
  ['ES', 'PT', 'FR'][1 + cityHash64(number, 5) % 3]
FROM numbers({from:UInt64}, {rows:UInt64})`

const folder = mkdtempSync(join(tmpdir(), 'bench-reports-'))
const { analytics, close } = await openEngines(folder)
const snapshot = new Snapshot()
apply(snapshot, 'Shop', 'shop', { accountId: 'p', timeZone: 'Europe/Madrid', currency: 'EUR', name: 'Shop' })

let stored = 0
async function add(rows: number, startMs: number, endMs: number): Promise<void> {
  const stepMs = (endMs - startMs) / rows
  for (let done = 0; done < rows; done += CHUNK_ROWS) {
    const chunk = Math.min(CHUNK_ROWS, rows - done)
    await analytics.command(eventsSql, {
      from: stored,
      rows: chunk,
      startMs: startMs + Math.round(done * stepMs),
      stepMs,
    })
    stored += chunk
  }
}

const lastDays = (days: number) => ({
  from: new Date(END - days * DAY_MS).toISOString(),
  to: new Date(END).toISOString(),
})

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

async function measured<T>(work: () => Promise<T>): Promise<{ result: T; text: string; cpuMs: number; ms: number }> {
  const spent = startStopwatch()
  const result = await work()
  const { ms, cpuMs } = spent()
  return { result, ms, cpuMs, text: `${ms.toFixed(0)} ms, CPU of this process ${cpuMs.toFixed(0)} ms` }
}

await add(EVENTS, END - DAYS * DAY_MS, END)
console.log(`${stored} events of one shop in ${DAYS} days`)

const turn = createReportCounts({ log: { committed: async () => [] }, analytics, snapshot, now: () => END + DAY_MS })
const counting = await measured(async () => {
  while (await turn()) {
    // Each turn counts only part of the rows.
  }
})
console.log(`counting them: ${counting.text}; ${((counting.cpuMs * 1000) / EVENTS).toFixed(2)} µs of CPU a row`)
console.log(`a turn when nothing is new: ${(await measured(turn)).text}`)

const request = (groupBy: string) =>
  readReportRequest({
    ...lastDays(DAYS),
    ...{ groupBy, metrics: 'views,clicks,spend,ctr,invalid' },
  })
const scope = { shops: [...snapshot.all('Shop')], accountId: undefined }
const fromCounts = async (spec: ReportSpec, store: Pick<Analytics, 'query'> = analytics, now = END + DAY_MS) => {
  const plans = await planReads(store, spec, { closedUntil: Number.NEGATIVE_INFINITY, now })
  const { sql, params } = reportQuery({ ...spec, plans })
  return store.query(sql, params)
}
const fromRows = (spec: ReportSpec) => {
  const { sql, params } = reportQuery(spec)
  return analytics.query(sql, params)
}
for (const groupBy of ['campaign', 'day,campaign', 'product', 'hour']) {
  const spec = specOf(snapshot, request(groupBy), scope, 10_001)
  console.log(`by ${groupBy}`)
  const answers: string[] = []
  for (const [name, ask] of Object.entries({ counts: fromCounts, 'stored rows': fromRows })) {
    const runs = []
    for (let run = 0; run < RUNS; run++) runs.push(await measured(() => ask(spec)))
    answers.push(JSON.stringify(runs[0]!.result))
    console.log(`  from ${name}: ${runs.map(({ text }) => text).join('; ')}`)
  }
  console.log(`  the same answer: ${answers[0] === answers[1]}`)
}

const common: Record<string, Parameters<typeof readReportRequest>[0]> = {
  'totals of the last day': { ...lastDays(1), metrics: 'views,clicks,spend,revenue' },
  '30 days by day': { ...lastDays(30), groupBy: 'day', metrics: 'views,clicks,spend,revenue,roas' },
  '90 days by campaign, all metrics': { ...lastDays(DAYS), groupBy: 'campaign' },
  '90 days by product': { ...lastDays(DAYS), groupBy: 'product', metrics: 'views,clicks,spend,revenue' },
  '30 days by campaign in one country': {
    ...{ ...lastDays(30), groupBy: 'campaign', country: 'ES' },
    metrics: 'views,clicks,spend',
  },
}
for (const [name, query] of Object.entries(common)) {
  const spec = specOf(snapshot, readReportRequest(query), scope, 10_001)
  const asked: { sql: string; params: QueryParams }[] = []
  const noting: Pick<Analytics, 'query'> = {
    query: (sql, params = {}) => {
      asked.push({ sql, params })
      return analytics.query(sql, params)
    },
  }
  // The last hour is not over, so its rows are read.
  const ask = (store: Pick<Analytics, 'query'>) => fromCounts(spec, store, END - 1)
  await ask(noting)
  const chars = asked.map(({ sql, params }) => sql.length + JSON.stringify(params).length)
  const [analysing, answering] = [[], []] as [number[], number[]]
  for (let run = 0; run < COMMON_RUNS; run++) {
    const explained = await measured(async () => {
      for (const { sql, params } of asked) await analytics.query(`EXPLAIN PLAN ${sql}`, params)
    })
    analysing.push(explained.cpuMs)
    answering.push((await measured(() => ask(analytics))).cpuMs)
  }
  console.log(
    `${name}: statements of ${chars.join(' and ')} characters; CPU to plan them ${median(analysing).toFixed(1)} ms,`,
    `to answer ${median(answering).toFixed(1)} ms`,
  )
}

// Stores as many counts as 100 million events of 100 campaigns, 20 ad units and 3 countries have, in a shop with one row per
// quarter of an hour.
apply(snapshot, 'Shop', 'large', { accountId: 'p', timeZone: 'Europe/Madrid', currency: 'EUR', name: 'Large' })
await analytics.command(
  `INSERT INTO judged_events (_topic, _partition, _offset, eventId, type, verdict, occurredAt, shopId, campaignId, currency)
  SELECT 'judged-events', 0, number, toString(number), 'VIEW', 'VALID', {startMs:Int64} + number * 900000, 'large', 'campaign-0', 'EUR'
  FROM numbers({rows:UInt64})`,
  { startMs: END - DAYS * DAY_MS, rows: DAYS * 96 },
)
const lateTurn = createReportCounts({
  log: { committed: async () => [] },
  analytics,
  snapshot,
  now: () => END + DAY_MS,
})
while (await lateTurn()) {
  // Each turn counts only part of the rows.
}
await analytics.command(
  `INSERT INTO report_counts (fact, cut, shopId, startAt, endAt, version, campaignId, accountId, adUnitId, algorithm, country,
    currency, facts, grossViews, views, clicks, invalid, invalidBot, spend)
  SELECT 'event', 'day', 'large', startAt, endAt, storedRows, concat('campaign-', toString(n % ${CAMPAIGNS})), 'account',
    concat('unit-', toString(intDiv(n, ${CAMPAIGNS}) % ${UNITS})), 'CONTEXT_MATCH', ['ES', 'PT', 'FR'][1 + intDiv(n, ${CAMPAIGNS * UNITS})],
    'EUR', 185, 176, 160, 8, 17, 17, 1200000
  FROM (SELECT * FROM report_cells FINAL WHERE grain = 'day' AND shopId = 'large') AS cells
  CROSS JOIN (SELECT number AS n FROM numbers(${CAMPAIGNS * UNITS * 3})) AS groups`,
)
const large = { shops: [...snapshot.all('Shop')].filter(({ id }) => id === 'large'), accountId: undefined }
const largeSpec = specOf(snapshot, request('campaign'), large, 10_001)
const largeRuns = []
for (let run = 0; run < RUNS; run++) largeRuns.push(await measured(() => fromCounts(largeSpec)))
console.log(`by campaign, from the counts of 100 million events: ${largeRuns.map(({ text }) => text).join('; ')}`)
reportFigure({
  measure: 'report of 90 days by campaign, from the counts of 100 million events, CPU',
  value: Math.min(...largeRuns.map(({ cpuMs }) => cpuMs)),
  unit: 'ms',
  goal: { atMost: 300 },
})

const sizes = await analytics.query(`
SELECT table, toInt64(sum(rows)) AS rows, toInt64(sum(bytes_on_disk)) AS bytes FROM system.parts
WHERE database = currentDatabase() AND active AND table IN ('judged_events', 'report_counts', 'report_cells')
GROUP BY table ORDER BY table`)
console.table(sizes)

const inserting = async () => {
  let cpuMs = 0
  for (let block = 0; block < BLOCKS; block++) {
    cpuMs += (await measured(() => add(BLOCK_ROWS, END - 900_000 * (block + 1), END - 900_000 * block))).cpuMs
  }
  return ((cpuMs * 1000) / (BLOCKS * BLOCK_ROWS)).toFixed(2)
}
await inserting()
const projected = await inserting()
await analytics.command('ALTER TABLE judged_events DROP PROJECTION rows_by_quarter SETTINGS mutations_sync = 1')
console.log(
  `storing ${BLOCKS} blocks of ${BLOCK_ROWS}: ${projected} µs of CPU a row, without the projection ${await inserting()}`,
)

await close()
rmSync(folder, { recursive: true, force: true })

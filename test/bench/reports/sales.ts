/**
 * Reports with sales, sales by visit, a page of sales and their sums in a view, of a day, four weeks and a quarter, among the lines of
 * two years: the CPU of each, and what it would take to read the same credit from all lines of the shop.
 *
 *     node test/bench/reports/sales.ts [lines]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { QueryParams } from '../../../infra/analytics/port.ts'
import { CREDITED_COLUMNS } from '../../../infra/analytics/queries/attribution/stored-lines.ts'
import { reportQuery } from '../../../infra/analytics/queries/report.ts'
import { salesQuery, visitQuery } from '../../../infra/analytics/queries/visits.ts'
import { views } from '../../../infra/analytics/views.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { readReportRequest } from '../../../services/registry/reports/request.ts'
import { specOf } from '../../../services/registry/reports/spec.ts'
import { apply } from '../../services/registry/reports/world.ts'
import { openEngines } from '../engines-of-environment.ts'
import { startStopwatch } from '../stopwatch.ts'
import { reportFigure } from '../summary/figure.ts'

const LINES = Number(process.argv[2] ?? 4_000_000)
const CHUNK_LINES = 500_000
const LINES_AN_ORDER = 2
const DAY_MS = 86_400_000
const DAYS = 730
const END = Date.UTC(2026, 5, 30)
const RUNS = 5

/** Every eighth line is credited. */
const linesSql = `
INSERT INTO attributed_lines (shopId, kind, eventId, line, occurredAt, cid, shopProductId, quantity, priceMicros, currency, outcome,
  match, touchType, touchEventId, campaignId, accountId, adId, adUnitId, algorithm, country, version)
SELECT 'shop', 'PURCHASE', toString(generateUUIDv4(order)), number % ${LINES_AN_ORDER},
  {end:Int64} - toInt64(1 + cityHash64(order, 1) % ${DAYS * DAY_MS}), toString(cityHash64(order) % 100000),
  concat('sku-', toString(number % 2000)), 1, 25000000, 'EUR', if(cityHash64(number) % 8 = 0, 'CREDITED', 'NO_TOUCH') AS outcome,
  if(outcome = 'CREDITED', 'DIRECT', ''), if(outcome = 'CREDITED', 'CLICK', ''), toString(number),
  if(outcome = 'CREDITED', concat('campaign-', toString(number % 100)), ''), 'account', concat('sku-', toString(number % 2000)),
  concat('unit-', toString(number % 20)), 'CONTEXT_MATCH', ['ES', 'PT', 'FR'][1 + number % 3], 1
FROM (SELECT number, intDiv(number, ${LINES_AN_ORDER}) AS order FROM numbers({from:UInt64}, {rows:UInt64}))`

const folder = mkdtempSync(join(tmpdir(), 'bench-sales-'))
const { analytics, close } = await openEngines(folder)
for (let from = 0; from < LINES; from += CHUNK_LINES) {
  await analytics.command(linesSql, { from, rows: Math.min(CHUNK_LINES, LINES - from), end: END })
}
await analytics.command(
  `INSERT INTO credited_lines (${CREDITED_COLUMNS}, deleted) SELECT ${CREDITED_COLUMNS}, outcome != 'CREDITED' FROM attributed_lines`,
)

const snapshot = new Snapshot()
apply(snapshot, 'Shop', 'shop', { accountId: 'p', timeZone: 'Europe/Madrid', currency: 'EUR', name: 'Shop' })
const scope = { shops: [...snapshot.all('Shop')], accountId: undefined }

async function measured(sql: string, params: QueryParams) {
  const runs = []
  let answer = ''
  for (let run = 0; run < RUNS; run++) {
    const spent = startStopwatch()
    answer = JSON.stringify(await analytics.query(sql, params))
    runs.push(spent().cpuMs)
  }
  return { answer, cpuMs: runs.toSorted((a, b) => a - b)[RUNS >> 1]! }
}

/** What is asked of a span of time, by the name of its figure. */
function questions(days: number): Record<string, { sql: string; params: QueryParams }> {
  const range = { shopId: 'shop', from: END - days * DAY_MS, to: END }
  const span = { from: new Date(range.from).toISOString(), to: new Date(END).toISOString() }
  const request = readReportRequest({ ...span, groupBy: 'campaign', metrics: 'purchases,revenue,netRevenue' })
  const spans = [{ start: range.from, offsetMs: 0 }]
  return {
    [`Report of ${days} days with sales`]: reportQuery(specOf(snapshot, request, scope, 10_001)),
    [`Sales by visit of ${days} days`]: visitQuery({
      ...{ ...range, dimensions: ['day', 'utmSource'], currency: 'EUR', spans, limit: 10_001 },
    }),
    [`A page of the sales of ${days} days`]: salesQuery(range, { after: null, limit: 1_001 }),
    [`Sales by campaign of ${days} days in a view`]: {
      sql: `SELECT campaignId, sum(netRevenueMicros) AS revenue FROM (${views.v_attributed_sales})
        WHERE shopId = {shopId:String} AND occurredAt >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
          AND occurredAt < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
        GROUP BY campaignId ORDER BY campaignId`,
      params: range,
    },
  }
}

for (const days of [1, 28, 90]) {
  for (const [measure, { sql, params }] of Object.entries(questions(days))) {
    const ofAllLines = sql.replaceAll(
      'credited_lines FINAL WHERE',
      "attributed_lines FINAL WHERE outcome = 'CREDITED' AND",
    )
    const found = await measured(sql, params)
    const baseline = await measured(ofAllLines, params)
    if (found.answer !== baseline.answer) throw new Error(`The answers differ: ${measure}`)
    reportFigure({
      measure: `${measure}, among ${LINES.toLocaleString('en')} lines, CPU`,
      ...{ value: found.cpuMs, unit: 'ms', goal: { atMost: 300 } },
    })
    console.log(`  from all lines of the shop: ${baseline.cpuMs.toFixed(0)} ms`)
  }
}
await close()
rmSync(folder, { recursive: true, force: true })

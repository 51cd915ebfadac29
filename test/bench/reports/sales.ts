/**
 * Reports with sales, sales by visit, pages of sales and transactions, and sums over the views of sales and orders, of a day, four weeks
 * and a quarter, among the lines of two years: the CPU of each, and what it would take to read the same from all that the shop ever sold.
 *
 *     node test/bench/reports/sales.ts [lines]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { QueryParams } from '../../../infra/analytics/port.ts'
import { CREDITED_COLUMNS } from '../../../infra/analytics/queries/attribution/stored-lines.ts'
import { TRANSACTION_ORDER } from '../../../infra/analytics/queries/attribution/transaction-versions.ts'
import {
  type TransactionListSpec,
  transactionListQuery,
} from '../../../infra/analytics/queries/explain/transactions.ts'
import { reportQuery } from '../../../infra/analytics/queries/report.ts'
import { salesQuery, visitQuery } from '../../../infra/analytics/queries/visits.ts'
import { views } from '../../../infra/analytics/views.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { readTransactions } from '../../../services/registry/explain/transactions.ts'
import { readReportRequest } from '../../../services/registry/reports/request.ts'
import { specOf } from '../../../services/registry/reports/spec.ts'
import { apply } from '../../services/registry/reports/world.ts'
import { openEngines } from '../engines-of-environment.ts'
import { startStopwatch } from '../stopwatch.ts'
import { reportFigure } from '../summary/figure.ts'

const LINES = Number(process.argv[2] ?? 4_000_000)
const LINES_AN_ORDER = 2
const ORDERS = LINES / LINES_AN_ORDER
const CHUNK_ORDERS = 250_000
const PAGE_LIMIT = 51
const DAY_MS = 86_400_000
const DAYS = 730
const END = Date.UTC(2026, 5, 30)
const RUNS = 5

/** Every fiftieth order is sent again a minute later. */
const ordersSql = `
INSERT INTO transactions (_offset, eventId, kind, shopId, cid, currency, occurredAt, receivedAt, lines)
SELECT number AS order, toString(reinterpretAsUUID(sipHash128(order))), 'PURCHASE', 'shop', toString(cityHash64(order) % 100000), 'EUR',
  {end:Int64} - toInt64(1 + cityHash64(order, 1) % ${DAYS * DAY_MS}) AS orderedAt,
  orderedAt + 60000 * arrayJoin(if(order % 50 = 0, [0, 1], [0])),
  arrayMap(line -> CAST(
    (concat('sku-', toString(line % 2000)), 25000000, 1, concat('Title of product ', toString(line % 2000)), NULL, NULL),
    'Tuple(shopProductId String, priceMicros Int64, quantity Int64, productTitle Nullable(String), brand Nullable(String),
      sellerId Nullable(String))'), range(order * ${LINES_AN_ORDER}, (order + 1) * ${LINES_AN_ORDER}))
FROM numbers({from:UInt64}, {orders:UInt64})`

/** Every eighth line is credited. */
const linesSql = `
INSERT INTO attributed_lines (shopId, kind, eventId, line, occurredAt, cid, shopProductId, quantity, priceMicros, currency, outcome,
  match, touchType, touchEventId, campaignId, accountId, adId, adUnitId, algorithm, country, version)
SELECT shopId, kind, eventId, place - 1, occurredAt, cid, item.shopProductId, item.quantity, item.priceMicros, currency,
  if(cityHash64(_offset, place) % 8 = 0, 'CREDITED', 'NO_TOUCH') AS outcome, if(outcome = 'CREDITED', 'DIRECT', ''),
  if(outcome = 'CREDITED', 'CLICK', ''), toString(_offset), if(outcome = 'CREDITED', concat('campaign-', toString(_offset % 100)), ''),
  if(outcome = 'CREDITED', concat('account-', toString(_offset % 10)), ''), item.shopProductId, concat('unit-', toString(_offset % 20)),
  'CONTEXT_MATCH', ['ES', 'PT', 'FR'][1 + _offset % 3], 1
FROM transactions ARRAY JOIN lines AS item, arrayEnumerate(lines) AS place
WHERE _offset >= {from:UInt64} AND _offset < {from:UInt64} + {orders:UInt64}`

const folder = mkdtempSync(join(tmpdir(), 'bench-sales-'))
const { analytics, close } = await openEngines(folder)
for (let from = 0; from < ORDERS; from += CHUNK_ORDERS) {
  const orders = Math.min(CHUNK_ORDERS, ORDERS - from)
  await analytics.command(ordersSql, { from, orders, end: END })
  await analytics.command(linesSql, { from, orders })
}
await analytics.command(
  `INSERT INTO credited_lines (${CREDITED_COLUMNS}, deleted) SELECT ${CREDITED_COLUMNS}, outcome != 'CREDITED' FROM attributed_lines`,
)

const snapshot = new Snapshot()
apply(snapshot, 'Shop', 'shop', { accountId: 'p', timeZone: 'Europe/Madrid', currency: 'EUR', name: 'Shop' })
const scope = { shops: [...snapshot.all('Shop')], accountId: undefined }

interface Statement {
  sql: string
  params: QueryParams
}

async function measured(ask: () => Promise<object[]>, times: number) {
  const runs = []
  let answer = ''
  for (let run = 0; run < times; run++) {
    const spent = startStopwatch()
    answer = JSON.stringify(await ask())
    runs.push(spent().cpuMs)
  }
  return { answer, cpuMs: runs.toSorted((a, b) => a - b)[times >> 1]! }
}

const asked =
  ({ sql, params }: Statement) =>
  () =>
    analytics.query(sql, params)

/** The same credit, read from all lines of the shop. */
const fromAllLines = ({ sql, params }: Statement): Statement => ({
  params,
  sql: sql.replaceAll('credited_lines FINAL WHERE', "attributed_lines FINAL WHERE outcome = 'CREDITED' AND"),
})
const ofCredit = (statement: Statement) => ({ ask: asked(statement), ofAll: asked(fromAllLines(statement)) })

function ofTransactions(range: { from: number; to: number }, only: Partial<TransactionListSpec> = {}) {
  const any = {
    kind: undefined,
    accountId: undefined,
    campaignId: undefined,
    credited: undefined,
    purchasedProductId: undefined,
  }
  const spec = { ...any, ...range, ...only, shopIds: ['shop'], after: null, limit: PAGE_LIMIT }
  return { ask: () => readTransactions(analytics, spec), ofAll: asked(transactionListQuery(spec, 'ALL')) }
}

const IN_RANGE = `shopId = {shopId:String} AND occurredAt >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
  AND occurredAt < fromUnixTimestamp64Milli({to:Int64}, 'UTC')`

/** The orders of the view, and from the versions of all orders of the shop. */
const ofOrders = (params: QueryParams) => ({
  ask: asked({
    sql: `SELECT count() AS orders, sum(revenueMicros) AS revenue FROM v_orders WHERE ${IN_RANGE}`,
    params,
  }),
  ofAll: asked({
    sql: `SELECT count() AS orders, sum(first.2) AS revenue FROM (
        SELECT argMin((occurredAt, arraySum(lines.priceMicros)), tuple(${TRANSACTION_ORDER})) AS first
        FROM transactions WHERE shopId = {shopId:String} AND kind = 'PURCHASE' GROUP BY eventId)
      WHERE first.1 >= {from:Int64} AND first.1 < {to:Int64}`,
    params,
  }),
})

/** What is asked of a span of time, by the name of its figure. */
function questions(days: number) {
  const range = { shopId: 'shop', from: END - days * DAY_MS, to: END }
  const span = { from: new Date(range.from).toISOString(), to: new Date(END).toISOString() }
  const request = readReportRequest({ ...span, groupBy: 'campaign', metrics: 'purchases,revenue,netRevenue' })
  const spans = [{ start: range.from, offsetMs: 0 }]
  return {
    [`Report of ${days} days with sales`]: ofCredit(reportQuery(specOf(snapshot, request, scope, 10_001))),
    [`Sales by visit of ${days} days`]: ofCredit(
      visitQuery({ ...{ ...range, dimensions: ['day', 'utmSource'], currency: 'EUR', spans, limit: 10_001 } }),
    ),
    [`A page of the sales of ${days} days`]: ofCredit(salesQuery(range, { after: null, limit: 1_001 })),
    [`Sales by campaign of ${days} days in a view`]: ofCredit({
      sql: `SELECT campaignId, sum(netRevenueMicros) AS revenue FROM (${views.v_attributed_sales})
        WHERE ${IN_RANGE} GROUP BY campaignId ORDER BY campaignId`,
      params: range,
    }),
    [`Orders of ${days} days in a view`]: ofOrders(range),
    [`A page of the transactions of ${days} days`]: ofTransactions(range),
    [`A page of the transactions of ${days} days without credit`]: ofTransactions(range, { credited: false }),
    [`A page of the transactions of ${days} days of a campaign`]: ofTransactions(range, { campaignId: 'campaign-7' }),
    [`A page of the transactions of ${days} days of an advertiser`]: ofTransactions(range, { accountId: 'account-7' }),
  }
}

for (const days of [1, 28, 90]) {
  for (const [measure, { ask, ofAll }] of Object.entries(questions(days))) {
    const found = await measured(ask, RUNS)
    const baseline = await measured(ofAll, 1)
    if (found.answer !== baseline.answer) throw new Error(`The answers differ: ${measure}`)
    reportFigure({
      measure: `${measure}, among ${LINES.toLocaleString('en')} lines, CPU`,
      ...{ value: found.cpuMs, unit: 'ms', goal: { atMost: 300 } },
    })
    console.log(`  from all that the shop sold: ${baseline.cpuMs.toFixed(0)} ms`)
  }
}
await close()
rmSync(folder, { recursive: true, force: true })

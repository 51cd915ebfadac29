/**
 * Attribution from the beginning: 100,000 purchase lines (or another number, by argument) with ten touches each, and a tenth of
 * that. Goals: the CPU per line is the same within 20 %, and memory is at most 1.5 GB. Each size runs in its own process.
 *
 *     node test/bench/streams/attribution.ts [lines] [rounds]
 */

import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openEmbeddedAnalytics } from '../../../infra/analytics/embedded/analytics.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import {
  attributionQuery,
  type ShopHas,
  shopHasSql,
} from '../../../infra/analytics/queries/attribution/attribution-query.ts'
import { attribute } from '../../../streams/attribution/attribution.ts'
import { SINK_GROUP } from '../../../streams/sink/offset-metadata.ts'
import { fakeLog } from '../../streams/runtime/fake-log.ts'
import { startStopwatch } from '../stopwatch.ts'
import { reportFigure } from '../summary/figure.ts'

const LINES = 100_000
/** The number of lines, the last ones, that are also credited under another model. */
const WHAT_IF_LINES = 100_000
const ROUNDS = 3
const LINES_PER_PURCHASE = 2
const TOUCHES_PER_LINE = 10
/** The mean. A fifth of the cids have a uid, and some share one. */
const TOUCHES_PER_CID = 10
const DAYS = 30
const DAY_MS = 86_400_000
const T0 = 1_760_000_000_000
const SETTLE_MS = 6_000

interface Result {
  ms: number
  cpuMs: number
  whatIfMs: number
  credited: number
  peakMb: number
}

async function run(folder: string, lines: number): Promise<Result> {
  const analytics = await openEmbeddedAnalytics({ folder })
  await fill(analytics, lines)
  await merged(analytics)
  const log = fakeLog()
  await log.reset(SINK_GROUP, [
    { topic: 'judged-events', partition: 0, offset: lines * TOUCHES_PER_LINE, metadata: '' },
    { topic: 'transactions', partition: 0, offset: lines / LINES_PER_PURCHASE, metadata: '' },
  ])
  // Then wait until the engine has released the memory it used; and reset the peak, so that it is attribution's (Linux).
  await delay(SETTLE_MS)
  writeFileSync('/proc/self/clear_refs', '5')
  const spent = startStopwatch()
  await attribute({ log, analytics, runId: randomUUID })
  const { ms, cpuMs } = spent()
  const peakMb = Number(readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\s+(\d+)/)?.[1]) / 1024
  // Purchases are in the second half of the days.
  const whatIfFrom = T0 + Math.round(DAYS * DAY_MS * (1 - Math.min(1, WHAT_IF_LINES / lines) / 2))
  const [stored] = await analytics.query<{ lines: number; credited: number; creditedLate: number }>(
    `SELECT count() AS lines, countIf(outcome = 'CREDITED') AS credited,
       countIf(outcome = 'CREDITED' AND occurredAt >= {whatIfFrom:Int64}) AS creditedLate
     FROM attributed_lines FINAL`,
    { whatIfFrom },
  )
  if (stored!.lines !== lines) throw new Error(`${stored!.lines} of ${lines} lines`)

  const asked = performance.now()
  const [has] = await analytics.query<ShopHas>(shopHasSql, { shopId: 'shop' })
  const { sql, params } = attributionQuery(
    { model: 'TIME_DECAY', clickWindowHours: null, viewWindowHours: null },
    { shopId: 'shop', from: whatIfFrom, to: Number.MAX_SAFE_INTEGER },
    has!,
  )
  const [answer] = await analytics.query<{ credited: number }>(`SELECT sum(weight) AS credited FROM (${sql})`, params)
  if (Math.abs(answer!.credited - stored!.creditedLate) > 0.01) throw new Error(`what-if credits ${answer!.credited}`)
  const whatIfMs = performance.now() - asked
  return { ms, cpuMs, whatIfMs, credited: stored!.credited, peakMb }
}

/**
 * Merges the sink's tables. Those of a real past were merged while they were stored, at the cost of the sink. Merges of attribution's own
 * tables count.
 */
async function merged(analytics: Analytics): Promise<void> {
  for (const table of ['judged_events', 'transactions']) await analytics.command(`OPTIMIZE TABLE ${table} FINAL`)
}

/** Touches of 30 days and purchases of the second half of them, both in the order of the log. Products are chosen with a skew. */
async function fill(analytics: Analytics, lines: number): Promise<void> {
  const touches = lines * TOUCHES_PER_LINE
  const params = { touches, purchases: lines / LINES_PER_PURCHASE, cids: touches / TOUCHES_PER_CID, days: DAYS, t0: T0 }
  const person = (n: string) => `concat('cid-', toString(cityHash64(${n}) % {cids:UInt64}))`
  const uid = (cid: string) =>
    `if(cityHash64(${cid}) % 10 < 2, concat('user-', toString(cityHash64(${cid}) % {cids:UInt64})), NULL)`
  const product = (n: string) => `concat('sku-', toString(toUInt64(200 * pow(rand(${n}) / 4294967296, 3))))`
  await analytics.command(
    `INSERT INTO judged_events (_topic, _partition, _offset, eventId, type, verdict, cid, uid, occurredAt, kind, shopId,
       campaignId, accountId, adId, slotHash, adUnitId, algorithm)
     SELECT 'judged-events', 0, number, toString(generateUUIDv4()), if(number % 3 = 0, 'CLICK', 'VIEW'), 'VALID',
       ${person('number')} AS who, ${uid('who')}, {t0:Int64} + toInt64(number * ({days:UInt64} * 86400000 / {touches:UInt64})), 'SPONSORED', 'shop',
       concat('campaign-', toString(number % 50)), 'account', ${product('number')}, 'slot', 'unit', 'BESTSELLERS'
     FROM numbers({touches:UInt64})`,
    params,
  )
  await analytics.command(
    `INSERT INTO transactions (_topic, _partition, _offset, eventId, kind, shopId, cid, uid, currency, occurredAt, lines)
     SELECT 'transactions', 0, number, toString(generateUUIDv4()), 'PURCHASE', 'shop',
       ${person('number + 1000000007')} AS who, ${uid('who')}, 'EUR',
       {t0:Int64} + toInt64({days:UInt64} * 43200000 * (1 + number / {purchases:UInt64})),
       [(${product('number + 1')}, 10000000, 1, NULL, NULL, NULL), (${product('number + 2')}, 5000000, 1, NULL, NULL, NULL)]
     FROM numbers({purchases:UInt64})`,
    params,
  )
  await analytics.command(
    `INSERT INTO campaign_versions (_topic, _partition, _offset, campaignId, version, shopId, updatedAt, attributionProductIds)
     SELECT 'registry', 0, number, concat('campaign-', toString(number)), 1, 'shop', {t0:Int64},
       arrayMap(n -> concat('sku-', toString((number * 4 + n) % 200)), range(20))
     FROM numbers(50)`,
    params,
  )
}

async function main(most: number, rounds: number): Promise<void> {
  const results: Record<number, Result[]> = { [most / 10]: [], [most]: [] }
  // Alternate, so that a slower minute of the machine affects both.
  for (const lines of Array.from({ length: rounds }, () => [most / 10, most]).flat()) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-attribution-'))
    const child = fork(import.meta.filename, [folder, String(lines)])
    const [result] = (await once(child, 'message')) as [Result]
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(folder, { recursive: true })
    results[lines]!.push(result)
  }
  const medians = Object.entries(results).map(([lines, each]) => {
    const median = each.sort((a, b) => a.cpuMs - b.cpuMs)[rounds >> 1]!
    return { lines: Number(lines), ...median, cpuMicrosPerLine: (median.cpuMs * 1000) / Number(lines) }
  })
  console.table(
    medians.map(({ lines, ms, cpuMicrosPerLine, whatIfMs, credited, peakMb }) => ({
      lines,
      touches: lines * TOUCHES_PER_LINE,
      seconds: Number((ms / 1000).toFixed(2)),
      'CPU us per line': Number(cpuMicrosPerLine.toFixed(1)),
      credited,
      'what-if, s': Number((whatIfMs / 1000).toFixed(2)),
      'peak MB': Math.round(peakMb),
    })),
  )
  const [fewer, all] = medians as [(typeof medians)[number], (typeof medians)[number]]
  const past = `Attribution of a past of ${most.toLocaleString('en')} lines and ${(most * TOUCHES_PER_LINE).toLocaleString('en')} touches`
  reportFigure({
    measure: `${past}: CPU a line`,
    value: all.cpuMicrosPerLine / fewer.cpuMicrosPerLine,
    ...{ unit: 'times that of a tenth', goal: { atMost: 1.2 } },
  })
  reportFigure({
    measure: `${past}: memory of the process`,
    ...{ value: all.peakMb, unit: 'MB', goal: { atMost: 1_500 } },
  })
}

if (process.send === undefined) {
  const [lines = LINES, rounds = ROUNDS] = process.argv.slice(2).map(Number)
  await main(lines, rounds)
} else {
  const [, , folder, lines] = process.argv
  process.send(await run(folder!, Number(lines)))
}

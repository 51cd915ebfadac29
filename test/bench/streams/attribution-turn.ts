/**
 * A turn of attribution after 1,000 new rows, over 1, 10 and 50 million stored touches (or other numbers, by argument) with 5
 * million links. Goal: the rows read, the time and the memory do not grow with what is stored. Each size is measured in its own
 * process, after another process has filled the tables. 50 million touches take 12 to 14 minutes of CPU and 7 GB of disk.
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
import { copyStatements } from '../../../infra/analytics/queries/attribution/lookups.ts'
import { NEVER } from '../../../infra/analytics/queries/attribution/person-links.ts'
import { ATTRIBUTION_GROUP, createAttribution } from '../../../streams/attribution/attribution.ts'
import { commitsOf } from '../../../streams/attribution/progress.ts'
import { SINK_GROUP } from '../../../streams/sink/offset-metadata.ts'
import { fakeLog } from '../../streams/runtime/fake-log.ts'
import { startStopwatch } from '../stopwatch.ts'
import { reportFigure } from '../summary/figure.ts'

const SIZES = [1_000_000, 10_000_000, 50_000_000]
const LINKS = 5_000_000
const CIDS_PER_UID = 2
const TOUCHES_PER_PURCHASE = 20
const TOUCHES_PER_CID = 10
const NEW_TOUCHES = 900
const NEW_PURCHASES = 90
const NEW_LINKS = 10
const TURNS = 5
const DAYS = 30
const DAY_MS = 86_400_000
const HOURS_PER_DAY = 24
const T0 = 1_760_000_000_000
const CHUNK_ROWS = 1_000_000
const LOOK_EVERY_MS = 1_000
const RESTING_LOOKS = 5

interface Turn {
  ms: number
  cpuMs: number
  rowsRead: number
  peakMb: number
}

/** A random person, chosen independently for each `salt`. All people have links. */
const person = (salt: number) => `concat('cid-', toString(cityHash64(number, ${salt}) % {people:UInt64}))`
const product = (salt: number) =>
  `concat('sku-', toString(toUInt64(200 * pow(cityHash64(number, ${salt}) / pow(2, 64), 3))))`
const at = '{startMs:Int64} + toInt64((number - {from:Int64}) * {stepMs:Float64})'

const touchesSql = `
  INSERT INTO judged_events (_topic, _partition, _offset, eventId, type, verdict, cid, occurredAt, receivedAt, kind, shopId,
    campaignId, accountId, adId, slotHash, adUnitId, algorithm)
  SELECT 'judged-events', 0, number, toString(generateUUIDv4()), if(number % 3 = 0, 'CLICK', 'VIEW'), 'VALID', ${person(1)},
    ${at} AS time, time, 'SPONSORED', 'shop', concat('campaign-', toString(number % 50)), 'account', ${product(2)}, 'slot',
    'unit', 'BESTSELLERS'
  FROM numbers({from:UInt64}, {rows:UInt64})`
const purchasesSql = `
  INSERT INTO transactions (_topic, _partition, _offset, eventId, kind, shopId, cid, currency, occurredAt, receivedAt, lines)
  SELECT 'transactions', 0, number, toString(generateUUIDv4()), 'PURCHASE', 'shop', ${person(3)}, 'EUR', ${at} AS time, time,
    [(${product(4)}, 10000000, 1, NULL, NULL, NULL), (${product(5)}, 5000000, 1, NULL, NULL, NULL)]
  FROM numbers({from:UInt64}, {rows:UInt64})`
const linksSql = `
  INSERT INTO page_views (_topic, _partition, _offset, id, shopId, cid, uid, occurredAt, receivedAt)
  SELECT 'page-views', 0, number, toString(number), 'shop', concat('cid-', toString(number)),
    concat('user-', toString(intDiv(number, ${CIDS_PER_UID}))), ${at} AS time, time
  FROM numbers({from:UInt64}, {rows:UInt64})`

const linkSql = (table: string) => `
  INSERT INTO ${table} (shopId, cid, uid, seenAt, provenAt, version)
  SETTINGS min_insert_block_size_rows = ${CHUNK_ROWS}
  SELECT shopId, cid, assumeNotNull(uid), receivedAt, ${NEVER}, 1 FROM page_views`

const topics = { 'judged-events': touchesSql, transactions: purchasesSql, 'page-views': linksSql } as const
type Topic = keyof typeof topics
type Ends = Record<Topic, number>

/**
 * Stores a month, as the sink and attribution would have. Parts of touches that are older than a day are merged by the store; these are
 * minutes old, so they are merged by a statement, and the last day is stored afterwards. All links are new, so they are inserted without
 * a search for known ones.
 */
async function fill(analytics: Analytics, ends: Ends, people: number): Promise<void> {
  const all = Object.keys(topics) as Topic[]
  const lastDayOf = (topic: Topic) => Math.floor((ends[topic] * (DAYS - 1)) / DAYS)
  const storeRows = async (topic: Topic, from: number, to: number) => {
    const stepMs = (DAYS * DAY_MS) / ends[topic]
    const params = { from, rows: to - from, startMs: T0 + Math.round(from * stepMs), stepMs, people }
    await analytics.command(topics[topic], params)
    const rows = (of: string) => (of === topic ? `_partition = 0 AND _offset >= ${from} AND _offset < ${to}` : null)
    for (const statement of copyStatements(rows)) await analytics.command(statement)
  }
  for (const topic of all) {
    const lastDay = lastDayOf(topic)
    for (let from = 0; from < lastDay; from += CHUNK_ROWS) {
      await storeRows(topic, from, Math.min(from + CHUNK_ROWS, lastDay))
    }
  }
  await analytics.command('OPTIMIZE TABLE touches FINAL')
  for (const topic of all) {
    const lastDay = lastDayOf(topic)
    const hourRows = Math.ceil((ends[topic] - lastDay) / HOURS_PER_DAY)
    for (let from = lastDay; from < ends[topic]; from += hourRows) {
      await storeRows(topic, from, Math.min(from + hourRows, ends[topic]))
    }
  }
  for (const table of ['links_by_uid', 'links_by_cid']) await analytics.command(linkSql(table))
}

const endsOf = (touches: number): Ends => ({
  'judged-events': touches,
  transactions: touches / TOUCHES_PER_PURCHASE,
  'page-views': LINKS,
})

async function prepare(folder: string, touches: number): Promise<null> {
  const analytics = await openEmbeddedAnalytics({ folder })
  await fill(analytics, endsOf(touches), touches / TOUCHES_PER_CID)
  await settle(analytics)
  await analytics.close()
  return null
}

/** Waits until merges have ended. The store looks for new ones from time to time, so several readings must find none. */
async function settle(analytics: Analytics): Promise<void> {
  for (let looks = 0; looks < RESTING_LOOKS; looks++) {
    await delay(LOOK_EVERY_MS)
    const [merges] = await analytics.query<{ running: number }>('SELECT toInt64(count()) AS running FROM system.merges')
    if (merges!.running > 0) looks = 0
  }
}

async function run(folder: string, touches: number): Promise<Turn[]> {
  const analytics = await openEmbeddedAnalytics({ folder })
  const log = fakeLog()
  const people = touches / TOUCHES_PER_CID
  const ends = endsOf(touches)
  const commits = () =>
    Object.entries(ends).map(([topic, offset]) => ({ topic: topic as Topic, partition: 0, offset, metadata: '' }))
  await log.reset(ATTRIBUTION_GROUP, commitsOf({ phase: 'FOLLOWING', done: commits() }))
  await settle(analytics)
  // Merges are the upkeep of stored rows, and would count towards whichever turn they fall in.
  await analytics.command('SYSTEM STOP MERGES')
  // Reset the peak of the memory, so that it is that of the turns (Linux).
  writeFileSync('/proc/self/clear_refs', '5')
  const atRestMb = megabytes('VmRSS')

  // One attribution for all turns, as in a process, which keeps its scratch tables from turn to turn.
  const attributes = createAttribution({ log, analytics, runId: randomUUID })
  const turns: Turn[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    const added = { 'judged-events': NEW_TOUCHES, transactions: NEW_PURCHASES, 'page-views': NEW_LINKS }
    for (const topic of Object.keys(topics) as Topic[]) {
      const from = ends[topic]
      ends[topic] += added[topic]
      await analytics.command(topics[topic], {
        from,
        rows: added[topic],
        startMs: T0 + DAYS * DAY_MS + turn * 10_000,
        stepMs: 10,
        people,
      })
    }
    await log.reset(SINK_GROUP, commits())
    turns.push(await measure(analytics, atRestMb, attributes))
  }
  return turns
}

async function measure(analytics: Analytics, atRestMb: number, work: () => Promise<boolean>): Promise<Turn> {
  const rowsBefore = await rowsRead(analytics)
  const spent = startStopwatch()
  await work()
  const { ms, cpuMs } = spent()
  const peakMb = megabytes('VmHWM') - atRestMb
  return { ms, cpuMs, rowsRead: (await rowsRead(analytics)) - rowsBefore, peakMb }
}

async function rowsRead(analytics: Analytics): Promise<number> {
  const [answer] = await analytics.query<{ rows: number }>(
    `SELECT toInt64(sum(value)) AS rows FROM system.events WHERE event = 'SelectedRows'`,
  )
  return answer!.rows
}

function megabytes(field: 'VmRSS' | 'VmHWM'): number {
  return Number(readFileSync('/proc/self/status', 'utf8').match(new RegExp(`${field}:\\s+(\\d+)`))?.[1]) / 1024
}

async function inProcess<Result>(role: keyof typeof roles, folder: string, touches: number): Promise<Result> {
  const child = fork(import.meta.filename, [role, folder, String(touches)])
  const [result] = (await once(child, 'message')) as [Result]
  child.kill('SIGKILL')
  await once(child, 'exit')
  return result
}

async function main(sizes: readonly number[]): Promise<void> {
  const rows: Record<string, number>[] = []
  for (const touches of sizes) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-attribution-'))
    await inProcess<null>('prepare', folder, touches)
    const turns = await inProcess<Turn[]>('run', folder, touches)
    rmSync(folder, { recursive: true })
    const median = (field: keyof Turn) => turns.map((turn) => turn[field]).sort((a, b) => a - b)[Math.floor(TURNS / 2)]!
    rows.push({
      'stored touches': touches,
      'stored links': LINKS,
      'rows read': median('rowsRead'),
      ms: Math.round(median('ms')),
      'CPU ms': Math.round(median('cpuMs')),
      'peak MB over rest': Math.round(turns.at(-1)!.peakMb),
    })
    const among = `An attribution turn of ${NEW_TOUCHES + NEW_PURCHASES + NEW_LINKS} rows among ${touches.toLocaleString('en')} touches`
    reportFigure({
      measure: `${among}: rows read`,
      value: median('rowsRead') / rows[0]!['rows read']!,
      ...{ unit: 'times those of the fewest', goal: { atMost: 1.5 } },
    })
    reportFigure({ measure: `${among}: CPU`, value: median('cpuMs'), unit: 'ms', goal: { atMost: 300 } })
    reportFigure({
      measure: `${among}: CPU beside fewer touches`,
      value: median('cpuMs') / rows[0]!['CPU ms']!,
      ...{ unit: 'times that of the fewest', goal: { atMost: 1.5 } },
    })
    reportFigure({
      measure: `${among}: memory beyond that at rest`,
      ...{ value: turns.at(-1)!.peakMb, unit: 'MB', goal: { atMost: 200 } },
    })
  }
  console.table(rows)
}

const roles = { prepare, run }
if (process.send === undefined) {
  const asked = process.argv.slice(2).map(Number)
  await main(asked.length === 0 ? SIZES : asked)
} else {
  const [, , role, folder, touches] = process.argv
  process.send(await roles[role as keyof typeof roles](folder!, Number(touches)))
}

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { audit } from '../../../infra/analytics/audit/audit.ts'
import { deepCheck } from '../../../infra/analytics/audit/deep-check.ts'
import { migrate } from '../../../infra/analytics/migrate.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { readClosedUntil } from '../../../infra/analytics/retention/closed-months.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { rebuildAnalytics } from '../../../streams/rebuild/rebuild.ts'
import { rebuildTableBeside } from '../../../streams/rebuild/table-beside.ts'
import { createEmissionRetention } from '../../../streams/report-counts/emission-retention.ts'
import { createReportCounts } from '../../../streams/report-counts/report-counts.ts'
import { runToEnd } from '../../../streams/runtime/run-to-end.ts'
import { storeMissing } from '../../../streams/sink/batch.ts'
import { createSink } from '../../../streams/sink/sink.ts'
import { openNewAnalytics } from '../../new-analytics.ts'
import { apply } from '../../services/registry/reports/world.ts'
import { emission } from '../attribution/events.ts'
import { bytesOf, type Happening, keyOf } from '../attribution/happenings.ts'

const HOUR_MS = 3_600_000
const MAY = Date.parse('2026-05-01T00:00:00Z')
const silent = { info() {}, warn() {}, error() {} }
let folder: string
let analytics: Analytics
let log: EventLog
let now = Date.parse('2026-05-01T00:00:00Z')
/** For this shop, 1 May begins on 30 April in UTC. */
const snapshot = new Snapshot()
apply(snapshot, 'Shop', 'shop', { timeZone: 'Europe/Warsaw', currency: 'PLN' })
let logged = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emission-retention-'))
  analytics = await openNewAnalytics({ folder: join(folder, 'analytics') })
  log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
})
afterAll(async () => {
  await log.close()
  await analytics.close()
  await rm(folder, { recursive: true })
})

/** Stores ad requests every 20 hours around the turn of the months, and one in the last hour of April. */
async function append(from: number, count: number): Promise<void> {
  const times = Array.from({ length: count }, (_, i) => from + i * 20 * HOUR_MS)
  const happenings = times.map((at): Happening => {
    return { topic: 'emissions', value: emission({ id: `r${logged++}`, cid: `c${logged % 5}`, uid: null, at }) }
  })
  await log.append(happenings.map((each) => ({ topic: each.topic, key: keyOf(each), value: bytesOf(each) })))
}

const sink = () => runToEnd(createSink({ log, analytics, now: () => Date.now() * 10, logger: silent }))

async function count(): Promise<void> {
  const turn = createReportCounts({ log, analytics, snapshot, now: () => now })
  while (await turn()) {
    // Each turn handles only part of the rows.
  }
}

/** Takes the turns of a process that has just started. @returns the time up to which months are closed. */
async function forget(): Promise<number> {
  const { turn } = createEmissionRetention({ log, analytics, snapshot, days: 60, now: () => now })
  while (await turn()) {
    // Each turn closes one month.
  }
  return readClosedUntil(analytics)
}

async function audited() {
  const { topics } = await audit({ log, analytics, now: () => now })
  const { logged, stored, duplicates, deadLetters } = topics.find(({ topic }) => topic === 'emissions')!
  return { logged, stored, duplicates, deadLetters }
}
const stored = async (where = '1') =>
  (await analytics.query<{ n: number }>(`SELECT count() AS n FROM emissions WHERE ${where}`))[0]!.n
/** The counted requests of each day. */
const counted = () =>
  analytics.query<{ startAt: number; facts: number }>(
    `SELECT startAt, toInt64(sum(facts)) AS facts FROM report_counts FINAL WHERE fact = 'request' AND cut = 'day' GROUP BY startAt ORDER BY startAt`,
  )
const cells = () =>
  analytics.query(`SELECT * EXCEPT countedAt FROM report_cells FINAL WHERE source = 'EMISSIONS' ORDER BY ALL`)

it('is kept while the sink has requests of the month still to store', async () => {
  await append(MAY - 240 * HOUR_MS + 1, 20)
  await sink()
  await append(MAY - 30 * 60_000, 1)
  const retention = createEmissionRetention({ log, analytics, snapshot, days: 60, now: () => now })
  now = MAY + 50 * 24 * HOUR_MS
  await retention.turn()
  expect(retention.overdueMs()).toBe(0)
  now = MAY + 70 * 24 * HOUR_MS
  await count()
  expect(await forget()).toBe(Number.NEGATIVE_INFINITY)
  expect([await retention.turn(), retention.overdueMs()]).toEqual([false, 10 * 24 * HOUR_MS])
  await sink()
  await count()
  now += 7 * HOUR_MS
  await count()
  expect([await retention.turn(), retention.overdueMs()]).toEqual([true, 0])
  expect(await forget()).toBe(MAY)
  expect([await stored(`occurredAt < ${MAY}`), await stored()]).toEqual([0, logged - 13])
})

it('stays forgotten where a batch is stored again, and is neither missing nor doubled', async () => {
  const before = await stored()
  for (const { partition, start, end } of await log.bounds('emissions')) {
    if (start === end) continue
    const records = await log.read('emissions', partition, start, 1_000)
    const batch = { topic: 'emissions' as const, partition, first: start, last: end - 1, records, epoch: 9 }
    expect(await storeMissing(analytics, batch)).toEqual({ rows: records.length, dead: [] })
  }
  expect(await stored()).toBe(before)
  expect(await audited()).toEqual({ logged, stored: logged, duplicates: 0, deadLetters: 0 })
  const everything = { partition: undefined, from: undefined, to: undefined, since: undefined, until: undefined }
  const found = await deepCheck({ log, analytics, now: () => now }, { topic: 'emissions', ...everything })
  expect(found).toMatchObject({ logged, stored: before, expired: 13, missing: 0, duplicates: 0 })
})

it('is compared with what the sink has counted, as are the rows of the months since', async () => {
  const figures = { logged, stored: logged, duplicates: 0, deadLetters: 0 }
  const [row] = await analytics.query<{ requestId: string }>('SELECT * FROM emissions ORDER BY occurredAt DESC LIMIT 1')
  const remove = () =>
    analytics.command('ALTER TABLE emissions DELETE WHERE requestId = {requestId:String} SETTINGS mutations_sync = 1', {
      requestId: row!.requestId,
    })
  await remove()
  expect(await audited()).toEqual({ ...figures, stored: logged - 1 })
  await analytics.insert('emissions', [row!, row!], { token: 'twice' })
  expect(await audited()).toEqual({ ...figures, duplicates: 1 })
  await remove()
  await analytics.insert('emissions', [row!], { token: 'once' })
  const [quarter] = await analytics.query<{ storedRows: number }>('SELECT * FROM report_closed_quarters FINAL LIMIT 1')
  const note = (storedRows: number) =>
    analytics.insert('report_closed_quarters', [{ ...quarter, storedRows }], { token: `noted ${storedRows}` })
  await note(quarter!.storedRows + 2)
  expect(await audited()).toEqual({ ...figures, duplicates: 2 })
  await analytics.command('ALTER TABLE report_closed_quarters DELETE WHERE storedRows > 2 SETTINGS mutations_sync = 1')
  await note(quarter!.storedRows)
  expect(await audited()).toEqual(figures)
})

it('is dropped again where it comes back all the same', async () => {
  await analytics.insert('emissions', [{ ...emission({ id: 'r0', cid: 'c', uid: null, at: MAY - 1 }) }], { token: 'x' })
  expect(await stored(`occurredAt < ${MAY}`)).toBe(1)
  expect(await forget()).toBe(MAY)
  expect(await stored(`occurredAt < ${MAY}`)).toBe(0)
})

it('stays counted where the table is rebuilt beside, without the rows that are forgotten', async () => {
  const before = { stored: await stored(), counted: await counted(), cells: await cells() }
  const deps = { log, analytics, replaces: false, say() {}, now: Date.now }
  expect(await rebuildTableBeside('emissions', deps)).toMatchObject({ equal: true, rowsAfter: before.stored })
  now += 8 * HOUR_MS
  await count()
  expect({ stored: await stored(), counted: await counted(), cells: await cells() }).toEqual(before)
  expect(before.counted.reduce((sum, { facts }) => sum + facts, 0)).toBe(logged)
})

it('stays counted where a damaged table is replaced, whose other months are counted again', async () => {
  const before = { stored: await stored(), counted: await counted(), cells: await cells() }
  await analytics.command(
    "INSERT INTO emissions SELECT * REPLACE ('another' AS requestId) FROM emissions ORDER BY occurredAt DESC LIMIT 1",
  )
  now += 8 * HOUR_MS
  await count()
  expect(await counted()).not.toEqual(before.counted)
  const deps = { log, analytics, replaces: true, say() {}, now: Date.now }
  expect(await rebuildTableBeside('emissions', deps)).toMatchObject({ equal: false, rowsAfter: before.stored })
  await count()
  expect({ stored: await stored(), counted: await counted(), cells: await cells() }).toEqual(before)
})

it('comes back by a rebuild of everything, which compares what was there and says so', async () => {
  const before = { stored: await stored(), counted: await counted() }
  const deps = { log, analytics, migrate, now: () => Date.now() * 10, runId: randomUUID, logger: silent }
  const proofs = await rebuildAnalytics(deps)
  const comparedFrom = new Date(MAY).toISOString()
  expect(proofs.find(({ table }) => table === 'emissions')).toMatchObject({
    ...{ equal: true, comparedFrom, rowsBefore: before.stored, rowsAfter: before.stored },
  })
  expect(proofs.filter(({ equal }) => !equal)).toEqual([])
  expect([await stored(), await readClosedUntil(analytics)]).toEqual([logged, Number.NEGATIVE_INFINITY])
  await count()
  expect(await forget()).toBe(MAY)
  expect({ stored: await stored(), counted: await counted() }).toEqual(before)
})

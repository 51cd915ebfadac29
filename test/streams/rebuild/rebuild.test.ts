import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { audit } from '../../../infra/analytics/audit/audit.ts'
import { deepCheck } from '../../../infra/analytics/audit/deep-check.ts'
import { migrate } from '../../../infra/analytics/migrate.ts'
import { type Analytics, AnalyticsUnavailable } from '../../../infra/analytics/port.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { DAY_MS } from '../../../schemas/durations.ts'
import type { Shop } from '../../../schemas/records/entities.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { createPhraseLifts } from '../../../streams/phrase-lifts/phrase-lifts.ts'
import { rebuildAnalytics } from '../../../streams/rebuild/rebuild.ts'
import { createSink } from '../../../streams/sink/sink.ts'
import { openNewAnalytics } from '../../new-analytics.ts'
import { bodies } from '../../schemas/entity-samples.ts'
import { waitFor } from '../../wait-for.ts'
import { campaign, HOUR, pageView, purchase, T0, touch } from '../attribution/events.ts'
import { bytesOf, type Happening, keyOf } from '../attribution/happenings.ts'

const silent = { info() {}, warn() {}, error() {} }
let folder: string
let analytics: Analytics
let log: EventLog
/** The clock runs ten times as fast, so that batches close early. */
const now = () => Date.now() * 10
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rebuild-'))
  analytics = await openNewAnalytics({ folder: join(folder, 'analytics') })
  log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
})
afterAll(async () => {
  await log.close()
  await analytics.close()
  await rm(folder, { recursive: true })
})

const clicks = 20
const happenings: Happening[] = [
  ...Array.from({ length: clicks }, (_, i): Happening => {
    const click = touch({ eventId: `e${i}`, cid: `c${i % 7}`, at: T0 + i, adId: `p${i % 3}` })
    return { topic: 'judged-events', value: { ...click, sourcePartition: i % 2, sourceOffset: 1_000 + i } }
  }),
  ...Array.from({ length: 8 }, (_, i): Happening => {
    const sale = purchase({ eventId: `o${i % 6}`, cid: `c${i}`, at: T0 + HOUR, products: ['p1', 'p9'] })
    return { topic: 'transactions', value: sale }
  }),
  { topic: 'page-views', value: pageView({ id: 'v', cid: 'c7', uid: 'u', at: T0 }) },
  { topic: 'registry', value: campaign({ version: 1, at: T0, list: ['p9'] }) },
]

const feedRun = {
  ...campaign({ version: 1, at: T0, list: [] }),
  kind: 'FeedRun' as const,
  id: 'run',
  body: bodies.FeedRun,
}

/** The events and one record that is not an event. Entries of the registry that the tables do not use do not count. */
const LOGGED = happenings.length + 1

describe('rebuild and audit', () => {
  it('finds everything missing before anything is stored', async () => {
    await log.append(happenings.map((each) => ({ topic: each.topic, key: keyOf(each), value: bytesOf(each) })))
    await log.append([{ topic: 'page-views', key: 'c', value: Buffer.from('no record') }])
    await log.append([{ topic: 'registry', key: 'FeedRun/run', value: encode('RegistryEntry', feedRun) }])
    const { topics, ...total } = await audit({ log, analytics, now: () => Date.now() + 60_000 })
    expect(total).toMatchObject({ logged: LOGGED, stored: 0, duplicates: 0, deadLetters: 0 })
    expect(total.lagMs).toBeGreaterThanOrEqual(60_000)
    expect(topics.map(({ topic }) => topic)).toEqual([
      'emissions',
      'ad-events',
      'judged-events',
      'corrections',
      'transactions',
      'transaction-returns',
      'page-views',
      'feed-issues',
      'registry',
    ])
  })

  it('drops every table and makes the same of the log again', async () => {
    for (let round = 0; round < 2; round++) {
      const proofs = await rebuildAnalytics({ log, analytics, migrate, now, runId: randomUUID, logger: silent })
      const rows = Object.fromEntries(proofs.map(({ table, rowsAfter }) => [table, rowsAfter]))
      expect(proofs.filter(({ equal }) => !equal)).toEqual([])
      expect(rows).toMatchObject({ judged_events: clicks, transactions: 8, page_views: 1, attributed_lines: 12 })
    }
    expect(
      await analytics.query('SELECT DISTINCT outcome FROM attributed_lines FINAL WHERE match = {match:String}', {
        match: 'HALO',
      }),
    ).toEqual([{ outcome: 'CREDITED' }])
  })

  it('is completed by another run after it was ended while it dropped tables', async () => {
    const deps = { log, migrate, now, runId: randomUUID, logger: silent }
    const tables = () =>
      analytics.query(`SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name`)
    const before = await tables()
    let drops = 0
    const dying: Analytics = {
      ...analytics,
      async command(sql, params) {
        if (/^DROP TABLE (?!IF EXISTS)/.test(sql) && ++drops > 2) throw new AnalyticsUnavailable('ended')
        await analytics.command(sql, params)
      },
    }
    await expect(rebuildAnalytics({ ...deps, analytics: dying })).rejects.toThrow('ended')
    // As each start does.
    await migrate(analytics)
    expect(await tables()).toEqual(before)
    const rows = () =>
      analytics.query('SELECT (SELECT count() FROM transactions) AS sales, (SELECT count() FROM page_views) AS views')
    const left = await rows()
    const sink = createSink({ log, analytics, now, logger: silent })
    void sink.run()
    await waitFor(() => sink.state().status === 'RETRYING')
    await sink.stop()
    expect(sink.state().lastError?.message).toMatch('run it again')
    expect(await rows()).toEqual(left)
    await rebuildAnalytics({ ...deps, analytics })
    const proofs = await rebuildAnalytics({ ...deps, analytics })
    expect(proofs.filter(({ equal }) => !equal)).toEqual([])
    expect(proofs).toContainEqual(expect.objectContaining({ table: 'judged_events', rowsAfter: clicks }))
  })

  it('leaves out what has been learnt from the rows of past days', async () => {
    const snapshot = new Snapshot()
    const body = { timeZone: 'UTC' } as Shop
    snapshot.apply({ kind: 'Shop', id: 'shop', version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body })
    await createPhraseLifts({ log, analytics, snapshot, now: () => T0 + DAY_MS })()
    expect(await analytics.query('SELECT count() > 0 AS isCounted FROM phrase_days')).toEqual([{ isCounted: 1 }])
    const proofs = await rebuildAnalytics({ log, analytics, migrate, now, runId: randomUUID, logger: silent })
    expect(proofs.filter(({ equal }) => !equal)).toEqual([])
  })

  it('accounts for every record once all is stored, and sees what is stored twice', async () => {
    const figures = async () => {
      const { topics, ...total } = await audit({ log, analytics, now: Date.now })
      return total
    }
    const settled = { logged: LOGGED, stored: LOGGED - 1, duplicates: 0, deadLetters: 1, uncounted: 0, lagMs: 0 }
    expect(await figures()).toEqual(settled)
    await analytics.command('INSERT INTO page_views SELECT * FROM page_views')
    expect(await figures()).toMatchObject({ stored: LOGGED - 1, duplicates: 1 })
  })

  it('tells of a table that has changed', async () => {
    const proofs = await rebuildAnalytics({ log, analytics, migrate, now, runId: randomUUID, logger: silent })
    expect(proofs.filter(({ equal }) => !equal)).toMatchObject([{ table: 'page_views', rowsBefore: 2, rowsAfter: 1 }])
  })

  it('counts ad events by the position that their judgement names', async () => {
    const value = happenings[0]!.value as ReturnType<typeof touch>
    const { verdict, billedMicros, sourcePartition, sourceOffset, ...event } = value
    const places = await log.append(
      [0, 1, 2].map(() => ({ topic: 'ad-events' as const, key: 'k', value: encode('AdEvent', event) })),
    )
    const judged = places.slice(0, 2).map(({ partition, offset }) => {
      const judgement = { ...value, sourcePartition: partition, sourceOffset: offset }
      return { topic: 'judged-events' as const, key: 'k', value: encode('JudgedEvent', judgement) }
    })
    await log.append(judged)
    await rebuildAnalytics({ log, analytics, migrate, now, runId: randomUUID, logger: silent })
    // Commit as if the judge had read the events.
    const ends = (await log.bounds('ad-events')).map(({ partition, end }) => ({ partition, offset: end, metadata: '' }))
    await log.reset(
      'judge',
      ends.map((end) => ({ topic: 'ad-events', ...end })),
    )
    const everything = { partition: undefined, from: undefined, to: undefined, since: undefined, until: undefined }
    const { missingAt, ...found } = await deepCheck(
      { log, analytics, now: Date.now },
      { topic: 'ad-events', ...everything },
    )
    expect(found).toMatchObject({ logged: 3, stored: 2, duplicates: 0, deadLetters: 0, missing: 1 })
    const { partition, offset } = places[2]!
    expect(missingAt).toEqual([{ partition, offset }])
    const { topics } = await audit({ log, analytics, now: () => Date.now() + 1 })
    for (const { topic, ...figures } of topics.filter(({ topic }) => topic !== 'ad-events')) {
      expect(figures, topic).toMatchObject({ logged: figures.stored + figures.deadLetters, duplicates: 0, lagMs: 0 })
    }
    expect(topics.find(({ topic }) => topic === 'judged-events')).toMatchObject({
      logged: clicks + 2,
      stored: clicks + 2,
    })
    expect(topics.find(({ topic }) => topic === 'registry')).toMatchObject({ logged: 1, stored: 1 })
  })

  it('makes the tables anew that another log has filled', async () => {
    const other = await openEmbeddedEventLog({ folder: join(folder, 'other') })
    try {
      await other.append(
        happenings.slice(0, 3).map((each) => ({ topic: each.topic, key: keyOf(each), value: bytesOf(each) })),
      )
      const deps = { log: other, analytics, migrate, now, runId: randomUUID, logger: silent }
      const sink = createSink(deps)
      void sink.run()
      await waitFor(() => sink.state().status === 'RETRYING')
      await sink.stop()
      expect(sink.state().lastError?.message).toMatch('run make rebuild')
      const proofs = await rebuildAnalytics(deps)
      const changed = { table: 'judged_events', rowsBefore: clicks + 2, rowsAfter: 3, equal: false }
      expect(proofs).toContainEqual(expect.objectContaining(changed))
    } finally {
      await other.close()
    }
  })
})

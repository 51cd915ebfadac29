import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { openEmbeddedEventLog } from '../../../infra/event-log/embedded/event-log.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import type { Shop } from '../../../schemas/records/entities.ts'
import type { Erasure } from '../../../schemas/records/records.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { Snapshot } from '../../../services/domain/snapshot.ts'
import { rebuildTableBeside, topicsByTable } from '../../../streams/rebuild/table-beside.ts'
import { createReportCounts } from '../../../streams/report-counts/report-counts.ts'
import { runToEnd } from '../../../streams/runtime/run-to-end.ts'
import { createSink } from '../../../streams/sink/sink.ts'
import { openNewAnalytics } from '../../new-analytics.ts'
import { campaign, pageView, T0, touch } from '../attribution/events.ts'
import { bytesOf, type Happening, keyOf } from '../attribution/happenings.ts'

/** Often enough that each rebuild meets many appends, and no more than a busy machine can store meanwhile. */
const APPEND_EVERY_MS = 20
const silent = { info() {}, warn() {}, error() {} }
const now = () => Date.now()
let folder: string
let analytics: Analytics
let log: EventLog
let logged = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'table-beside-'))
  analytics = await openNewAnalytics({ folder: join(folder, 'analytics') })
  log = await openEmbeddedEventLog({ folder: join(folder, 'log') })
  await append(40)
  await log.append([{ topic: 'page-views', key: 'c', value: Buffer.from('no record') }])
  const versions = [1, 2].map(
    (version): Happening => ({ topic: 'registry', value: campaign({ version, at: T0, list: [] }) }),
  )
  await log.append(versions.map((each) => ({ topic: each.topic, key: keyOf(each), value: bytesOf(each) })))
  await runToEnd(createSink({ log, analytics, now, logger: silent }))
})
afterAll(async () => {
  await log.close()
  await analytics.close()
  await rm(folder, { recursive: true })
})

async function append(count: number): Promise<void> {
  const views = Array.from({ length: count }, (): Happening => {
    const id = `v${logged++}`
    return { topic: 'page-views', value: pageView({ id, cid: `c${logged % 9}`, uid: 'u', at: T0 + logged }) }
  })
  await log.append(views.map((each) => ({ topic: each.topic, key: keyOf(each), value: bytesOf(each) })))
}

interface With {
  replaces?: boolean
  at?: number
  on?: Partial<Analytics>
  of?: Partial<EventLog>
}

async function rebuild(table: string, { replaces = false, at = now(), on = {}, of = {} }: With = {}) {
  const said: string[] = []
  const deps = { log: { ...log, ...of }, analytics: { ...analytics, ...on }, replaces, now: () => at }
  const proof = await rebuildTableBeside(table, { ...deps, say: (line) => said.push(line) })
  return { proof, said }
}

const count = async (table: string) =>
  (
    await analytics.query<{ rows: number; places: number }>(
      `SELECT count() AS rows, uniqExact(_partition, _offset) AS places FROM ${table}`,
    )
  )[0]!
const left = () => analytics.query("SELECT name FROM system.tables WHERE startsWith(name, 'rebuilding_')")
const once = async () => expect(await count('page_views')).toEqual({ rows: logged, places: logged })
const killed = new Error('killed')
const erasure: Erasure = {
  ...{ id: 'e', shopId: 'other', identifier: 'CID', pseudonym: 'erased-1', requestedAt: T0, requestedBy: 'a' },
  ...{ digest: { salt: '00', sha256: 'ab'.repeat(32), crc32: 1 }, erasedAt: null, logFreeAt: null },
}
const write = (value: Erasure) => log.append([{ topic: 'erasures', key: value.id, value: encode('Erasure', value) }])

describe('a table that is rebuilt beside the one that serves', () => {
  describe('and that report counts are made from', () => {
    const snapshot = new Snapshot()
    const body = { timeZone: 'UTC' } as Shop
    snapshot.apply({ kind: 'Shop', id: 'shop', version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body })
    const counting = () => createReportCounts({ log, analytics, snapshot, now })
    const countAll = async (turn: ReturnType<typeof counting>) => {
      while (await turn()) {
        // Each turn handles only part of the rows.
      }
    }
    const clicksOfCampaigns = () =>
      analytics.query(
        `SELECT campaignId, toInt64(sum(report_counts.clicks)) AS clicks FROM report_counts FINAL
         WHERE fact = 'event' AND cut = 'day' GROUP BY campaignId ORDER BY campaignId`,
      )
    const countedCells = () => analytics.query('SELECT * FROM report_cells FINAL ORDER BY ALL')

    it('keeps them when it is the same', async () => {
      const clicks = [1, 2, 3].map(
        (n): Happening => ({
          topic: 'judged-events',
          value: touch({ eventId: `e${n}`, cid: 'c', at: T0 + n, adId: 'p' }),
        }),
      )
      await log.append(clicks.map((each) => ({ topic: each.topic, key: keyOf(each), value: bytesOf(each) })))
      await runToEnd(createSink({ log, analytics, now, logger: silent }))
      const turn = counting()
      await countAll(turn)
      const before = await countedCells()
      expect(before).toHaveLength(2)
      expect((await rebuild('judged_events')).proof).toMatchObject({ equal: true })
      await countAll(turn)
      expect(await countedCells()).toEqual(before)
    })

    it('has them made again when it replaces one that was damaged', async () => {
      await analytics.command(
        "ALTER TABLE judged_events UPDATE campaignId = 'other' WHERE eventId = 'e2' SETTINGS mutations_sync = 1",
      )
      await analytics.command('TRUNCATE TABLE report_cells')
      await countAll(counting())
      expect(await clicksOfCampaigns()).toContainEqual({ campaignId: 'other', clicks: 1 })
      expect((await rebuild('judged_events', { replaces: true })).proof).toMatchObject({ equal: false })
      await countAll(counting())
      expect(await countedCells()).toHaveLength(2)
      expect(await clicksOfCampaigns()).toEqual([{ campaignId: 'campaign', clicks: 3 }])
    })
  })

  it('has a row of every record once, while the sink goes on', async () => {
    const sink = createSink({ log, analytics, now, logger: silent })
    const ended = sink.run()
    let done = false
    const events = (async () => {
      for (; !done; await delay(APPEND_EVERY_MS)) await append(5)
    })()
    expect((await rebuild('page_views')).proof).toMatchObject({ equal: true })
    expect((await rebuild('page_views')).proof).toMatchObject({ equal: true })
    done = true
    await events
    await expect.poll(async () => (await sink.lag()).reduce((sum, { records }) => sum + records, 0)).toBe(0)
    await sink.stop()
    await ended
    await once()
    expect(await left()).toEqual([])
  })

  it('is made also after the clock was set back, and when an earlier run was killed', async () => {
    const insert = () => Promise.reject(killed)
    await rebuild('page_views', { at: now() + 3 })
    await expect(rebuild('page_views', { at: now() + 2, on: { insert } })).rejects.toBe(killed)
    const { proof, said } = await rebuild('page_views', { at: T0 })
    expect(proof).toMatchObject({ equal: true })
    expect(said.join()).not.toContain('an earlier run')
    await once()
  })

  it('takes every table of the sink, those too that replace rows or forget them', async () => {
    for (const table of topicsByTable.keys()) {
      if (table === 'page_views') continue
      const { proof } = await rebuild(table)
      expect(proof.equal, JSON.stringify(proof)).toBe(true)
    }
    expect(await count('campaign_versions')).toMatchObject({ rows: 2 })
  })

  it('keeps rows that are older than what the log holds', async () => {
    const bounds: EventLog['bounds'] = async (topic) =>
      (await log.bounds(topic)).map((each) => ({ ...each, start: Math.min(each.end, each.start + 10) }))
    const starts = new Map((await bounds('page-views')).map(({ partition, start }) => [partition, start]))
    const read: EventLog['read'] = (topic, partition, from, max) => {
      if (from < starts.get(partition)!) throw new Error('the log does not hold this any more')
      return log.read(topic, partition, from, max)
    }
    const { proof } = await rebuild('page_views', { of: { bounds, read } })
    expect(proof).toMatchObject({ equal: true, rowsAfter: logged })
    await once()
  })

  it('is dropped when it differs, and serves all the same when it is told to', async () => {
    await analytics.command("ALTER TABLE page_views DELETE WHERE id = 'v3' SETTINGS mutations_sync = 1")
    await analytics.command("INSERT INTO page_views SELECT * FROM page_views WHERE id = 'v4'")
    const refused = await rebuild('page_views')
    expect(refused.proof).toMatchObject({ equal: false, rowsBefore: logged, rowsAfter: logged })
    expect(await count('page_views')).toMatchObject({ places: logged - 1 })
    expect(await left()).toEqual([])
    expect((await rebuild('page_views', { replaces: true })).proof).toMatchObject({ equal: false })
    await once()
  })

  it('leaves the one that serves alone when it is killed while it fills', async () => {
    const insert = () => Promise.reject(killed)
    await expect(rebuild('page_views', { on: { insert } })).rejects.toBe(killed)
    expect(await left()).toHaveLength(1)
    await once()
    expect((await rebuild('page_views')).proof).toMatchObject({ equal: true })
    expect(await left()).toEqual([])
  })

  it('does not come to serve when somebody was erased from the other meanwhile, and waits until nobody is', async () => {
    const insert: Analytics['insert'] = async (...args) => {
      await write(erasure)
      await analytics.insert(...args)
    }
    await expect(rebuild('page_views', { on: { insert }, replaces: true })).rejects.toThrow('a person was erased')
    expect(await left()).toEqual([])
    await expect(rebuild('page_views')).rejects.toThrow('Erasures that are under way: 1.')
    await write({ ...erasure, erasedAt: T0 })
    expect((await rebuild('page_views')).proof).toMatchObject({ equal: true })
    await once()
  })

  /** A run whose process froze before the exchange: the pause is over, and the sink has stored more rows in the old table. */
  function frozen() {
    const pauses: string[] = []
    const resumed: boolean[] = []
    const on = {
      async command(sql, params) {
        if (sql.startsWith('EXCHANGE')) {
          for (const pause of pauses) await analytics.resumeInserts(pause)
          await append(6)
          await runToEnd(createSink({ log, analytics, now, logger: silent }))
        }
        await analytics.command(sql, params)
      },
      async pauseInserts(pause, ...rest) {
        pauses.push(pause)
        await analytics.pauseInserts(pause, ...rest)
      },
      async resumeInserts(pause) {
        resumed.push(await analytics.resumeInserts(pause))
        return resumed.at(-1)!
      },
    } satisfies Partial<Analytics>
    return { on, resumed }
  }

  it('gets what the sink stores in the table before, when the pause runs out before the exchange', async () => {
    const { on, resumed } = frozen()
    expect((await rebuild('page_views', { on })).proof).toMatchObject({ equal: true })
    expect(resumed).toEqual([false, true])
    await once()
    await append(2)
    await runToEnd(createSink({ log, analytics, now, logger: silent }))
    await once()
  })

  it('gets it from the next run, when this one is killed after the exchange', async () => {
    const { on } = frozen()
    const resumeInserts = () => Promise.reject(killed)
    await expect(rebuild('page_views', { on: { ...on, resumeInserts } })).rejects.toBe(killed)
    expect(await count('page_views')).toMatchObject({ rows: logged - 6 })
    const { proof, said } = await rebuild('page_views')
    expect(said.join()).toContain('an earlier run was ended after the exchange')
    expect(proof).toMatchObject({ equal: true })
    await once()
  })
})

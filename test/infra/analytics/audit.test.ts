import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type AuditFigures, audit } from '../../../infra/analytics/audit/audit.ts'
import { auditedTopics } from '../../../infra/analytics/audit/audited-topics.ts'
import { type CheckedSpan, deepCheck } from '../../../infra/analytics/audit/deep-check.ts'
import { countEarlier } from '../../../infra/analytics/audit/earlier-ranges.ts'
import type { Analytics } from '../../../infra/analytics/port.ts'
import type { EventLog, LogRecord } from '../../../infra/event-log/port.ts'
import { checkedTopics } from '../../../schemas/http/panel/operations.ts'
import { encodeOffsetMetadata } from '../../../streams/sink/offset-metadata.ts'
import { storedTopics } from '../../../streams/sink/rows.ts'
import { openTemporaryAnalytics } from '../../new-analytics.ts'
import { pageView, T0 } from '../../streams/attribution/events.ts'
import { bytesOf } from '../../streams/attribution/happenings.ts'
import { fakeLog, logRecord } from '../../streams/runtime/fake-log.ts'

const DAY_MS = 86_400_000
const NOW = T0 + 10 * DAY_MS
const now = () => NOW

it('the audit counts every topic that the sink stores, unless its rows are replaced or expire', () => {
  const audited = new Set(auditedTopics.map(({ topic }) => topic))
  expect(storedTopics.filter((topic) => !audited.has(topic)).sort()).toEqual([
    'empty-searches',
    'item-groups',
    'security-events',
  ])
  expect([...audited]).toEqual(checkedTopics)
})

describe('page views in a table', () => {
  let analytics: Analytics
  beforeAll(async () => {
    analytics = await openTemporaryAnalytics()
  })
  afterEach(async () => {
    for (const table of ['page_views', 'counted_ranges']) await analytics.command(`TRUNCATE TABLE ${table}`)
  })
  afterAll(() => analytics.close())

  /** A partition of page views that the sink reports as stored up to `stored`. Records in `read_` how many records were read. */
  async function logOf({
    start = 0,
    stored,
    end = stored,
    from = start,
    ownValues = false,
  }: Held): Promise<EventLog & { read_: number[] }> {
    const log = fakeLog()
    const read_: number[] = []
    const counts = from === null ? {} : { counts: { from, read: stored - from, written: stored - from, dead: 0 } }
    const metadata = from === null ? '' : encodeOffsetMetadata({ epoch: 0, pendingLast: null, ...counts })
    await log.reset('sink', [{ topic: 'page-views', partition: 0, offset: stored, metadata }])
    return {
      ...log,
      read_,
      bounds: async (topic) =>
        topic === 'page-views' ? [{ partition: 0, start, end }] : [{ partition: 0, start: 0, end: 0 }],
      async count(_topic, _partition, first, last) {
        read_.push(last - first)
        return last - first
      },
      async read(topic, _partition, first, max) {
        if (topic !== 'page-views') return []
        const offsets = Array.from({ length: Math.max(0, Math.min(end - first, max)) }, (_, i) => first + i)
        read_.push(offsets.length)
        return offsets.map((offset) => recordAt(offset, ownValues ? encodedAt(offset) : anyValue))
      },
    }
  }
  interface Held {
    start?: number
    stored: number
    end?: number
    from?: number | null
    /** Gives each record its own value. By default all values are the same, which is faster. */
    ownValues?: boolean
  }

  const viewAt = (offset: number) => pageView({ id: `v${offset}`, cid: 'c', uid: null, at: T0 + offset * 1_000 })
  const encodedAt = (offset: number) => bytesOf({ topic: 'page-views', value: viewAt(offset) })
  const anyValue = encodedAt(0)
  const recordAt = (offset: number, value: Buffer): LogRecord => ({
    ...logRecord({ topic: 'page-views', key: 'c', value }, 0, offset),
    appendedAt: T0 + offset * 1_000,
  })
  const store = (from: number, to: number) =>
    analytics.command(
      `INSERT INTO page_views (_topic, _partition, _offset, id, shopId, cid, occurredAt, receivedAt)
       SELECT 'page-views', 0, number, concat('v', toString(number)), 'shop', 'c', ${T0} + number * 1000, 0
       FROM numbers(${from}, ${to - from})`,
    )
  const figuresOf = async (log: EventLog, at = NOW): Promise<AuditFigures> => {
    const { topics, ...total } = await audit({ log, analytics, now: () => at })
    return total
  }
  const all = { partition: undefined, from: undefined, to: undefined, since: undefined, until: undefined }
  const check = (log: EventLog, span: Partial<CheckedSpan> = {}) =>
    deepCheck({ log, analytics, now }, { topic: 'page-views', ...all, ...span })
  const settled = { duplicates: 0, deadLetters: 0, uncounted: 0, lagMs: 0 }

  it('are told as missing when rows are gone, and as duplicates when there are more, without reading any', async () => {
    const log = await logOf({ stored: 1_000 })
    await store(0, 1_000)
    expect(await figuresOf(log)).toEqual({ ...settled, logged: 1_000, stored: 1_000 })
    await store(10, 12)
    expect(await figuresOf(log)).toEqual({ ...settled, logged: 1_000, stored: 1_000, duplicates: 2 })
    await analytics.command('ALTER TABLE page_views DELETE WHERE _offset < 15 SETTINGS mutations_sync = 1')
    expect(await figuresOf(log)).toEqual({ ...settled, logged: 1_000, stored: 985 })
    expect(log.read_).toEqual([])
  })

  it('that the sink passed over are told as missing', async () => {
    const log = await logOf({ stored: 1_000 })
    await store(0, 1_000)
    const [commit] = await log.committed('sink')
    await log.reset('sink', [{ ...commit!, offset: 1_003 }])
    expect(await figuresOf({ ...log, bounds: (await logOf({ stored: 1_003 })).bounds })).toMatchObject({
      logged: 1_003,
      stored: 1_000,
    })
  })

  it('of a block under way are no duplicates yet, and wait', async () => {
    const log = await logOf({ stored: 1_000, end: 1_020 })
    await store(0, 1_010)
    const counts = { from: 0, read: 1_000, written: 1_000, dead: 0 }
    const metadata = encodeOffsetMetadata({ epoch: 0, pendingLast: 1_014, counts })
    await log.reset('sink', [{ topic: 'page-views', partition: 0, offset: 1_000, metadata }])
    const lagMs = NOW - T0 - 1_000_000
    expect(await figuresOf(log)).toEqual({ ...settled, logged: 1_020, stored: 1_000, lagMs })
  })

  it('wait also while a clock that was set back is behind their time', async () => {
    const log = await logOf({ stored: 1_000, end: 1_020 })
    await store(0, 1_000)
    const setBackTo = T0 + 400_000
    expect(await figuresOf(log, setBackTo)).toMatchObject({ logged: 1_020, stored: 1_000, lagMs: 600_000 })
  })

  it('are found one by one in a range: of offsets, or of a time', async () => {
    const log = await logOf({ stored: 1_000, end: 1_200 })
    await store(0, 600)
    await store(610, 1_000)
    await store(700, 703)
    const figures = { logged: 1_000, stored: 990, duplicates: 3, deadLetters: 0, missing: 10, expired: 0 }
    const offsets = (from: number, length: number) =>
      Array.from({ length }, (_, i) => ({ partition: 0, offset: from + i }))
    expect(await check(log)).toEqual({
      ...figures,
      partitions: [{ partition: 0, from: 0, to: 1_000, next: null, ...figures }],
      missingAt: offsets(600, 10),
      repeatedAt: offsets(700, 3),
    })
    expect(await check(log, { partition: 0, from: 605, to: 702 })).toMatchObject({
      logged: 97,
      missing: 5,
      duplicates: 2,
    })
    expect(await check(log, { since: T0 + 605_000, until: T0 + 702_000 })).toMatchObject({
      partitions: [{ from: 605, to: 702 }],
      missing: 5,
      duplicates: 2,
    })
    expect((await check(log, { partition: 1 })).partitions).toEqual([])
  })

  it('that two faults hide from the counts are found by the check', async () => {
    const log = await logOf({ stored: 1_000 })
    await store(0, 999)
    await store(5, 6)
    expect(await figuresOf(log)).toEqual({ ...settled, logged: 1_000, stored: 1_000 })
    const offset = (at: number) => [{ partition: 0, offset: at }]
    expect(await check(log)).toMatchObject({ missingAt: offset(999), repeatedAt: offset(5) })
  })

  it('are checked so many at a time, and further from where a check ended', async () => {
    const log = await logOf({ stored: 250_000 })
    await store(0, 250_000)
    expect((await check(log)).partitions).toMatchObject([{ from: 0, to: 200_000, next: 200_000, missing: 0 }])
    expect((await check(log, { partition: 0, from: 200_000 })).partitions).toMatchObject([
      { from: 200_000, to: 250_000, next: null, missing: 0 },
    ])
  })

  it('from before the sink counted are counted once, though interrupted, and also where the log no longer has them', async () => {
    const log = await logOf({ start: 150_000, stored: 400_000, from: null })
    await store(0, 300_000)
    await store(300_003, 400_000)
    await store(7, 9)
    expect(await figuresOf(log)).toMatchObject({ uncounted: 250_000 })
    // The store fails once, after the second range.
    let inserts = 0
    const failing = {
      ...analytics,
      insert: (...args: Parameters<Analytics['insert']>) =>
        ++inserts === 3 ? Promise.reject(new Error('lost')) : analytics.insert(...args),
    }
    const turns = async (through: Analytics) => {
      while (await countEarlier({ log, analytics: through, now })) {
        // Each turn counts one range.
      }
    }
    await expect(turns(failing)).rejects.toThrow('lost')
    expect((await figuresOf(log)).uncounted).toBe(250_000)
    const readBefore = log.read_.length
    await turns(analytics)
    // Only the third range and those after it are read from the log, each record once.
    expect(log.read_.slice(readBefore).reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(250_000 + 5_000)
    expect(await figuresOf(log)).toEqual({ ...settled, logged: 400_000, stored: 399_997, duplicates: 2 })

    // From then on the sink counts by itself.
    const counts = { from: 400_000, read: 100, written: 100, dead: 0 }
    const metadata = encodeOffsetMetadata({ epoch: 0, pendingLast: null, counts })
    await log.reset('sink', [{ topic: 'page-views', partition: 0, offset: 400_100, metadata }])
    await store(400_000, 400_100)
    const later = { ...log, bounds: (await logOf({ start: 420_000, stored: 420_000 })).bounds }
    expect(await figuresOf(later)).toEqual({ ...settled, logged: 400_100, stored: 400_097, duplicates: 2 })
    expect(await countEarlier({ log: later, analytics, now })).toBe(false)
  })

  it('whose rows have expired are not told as missing', async () => {
    const log = await logOf({ stored: 1_000, ownValues: true })
    await store(0, 1_000)
    const since = Math.round((NOW - T0 - 500_000) / 1_000)
    const ttl = `toDateTime(intDiv(occurredAt, 1000)) + toIntervalSecond(${since})`
    await analytics.command(`ALTER TABLE page_views MODIFY TTL ${ttl} SETTINGS materialize_ttl_after_modify = 0`)
    try {
      await analytics.command('ALTER TABLE page_views DELETE WHERE _offset < 400 SETTINGS mutations_sync = 1')
      expect(await figuresOf(log)).toEqual({ ...settled, logged: 1_000, stored: 1_000 })
      expect(await check(log)).toMatchObject({ logged: 1_000, stored: 600, expired: 400, missing: 0, missingAt: [] })
      await analytics.command('ALTER TABLE page_views DELETE WHERE _offset < 501 SETTINGS mutations_sync = 1')
      expect(await check(log)).toMatchObject({ expired: 500, missing: 1, missingAt: [{ partition: 0, offset: 500 }] })
    } finally {
      await analytics.command('ALTER TABLE page_views REMOVE TTL')
    }
  })

  it('cost the audit as much by the million as by ten thousand', async () => {
    const [small, large] = [10_000, 1_000_000]
    const rowsRead = async () => {
      // Include events that have not happened yet. Otherwise this query would read one row more when one first happens.
      const [read] = await analytics.query<{ n: number }>(
        "SELECT value AS n FROM system.events WHERE event = 'SelectedRows' SETTINGS system_events_show_zero_values = 1",
      )
      return read!.n
    }
    const costs: { rows: number; records: number }[] = []
    for (const [from, stored] of [[0, small] as const, [small, large] as const]) {
      await store(from, stored)
      const log = await logOf({ stored, end: stored + 20 })
      const looking = -(await rowsRead()) + (await rowsRead())
      const before = await rowsRead()
      expect(await figuresOf(log)).toMatchObject({ logged: stored + 20, stored, duplicates: 0 })
      costs.push({ rows: (await rowsRead()) - before - looking, records: log.read_.reduce((sum, n) => sum + n, 0) })
    }
    expect(costs[1]).toEqual(costs[0])
    expect(costs[0]!.records).toBe(21)
    // These rows are the definitions of tables, and one row for each count.
    expect(costs[0]!.rows).toBeLessThan(1_000)
  })
})

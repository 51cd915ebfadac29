import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Analytics, AnalyticsRejected, AnalyticsUnavailable } from '../../infra/analytics/port.ts'
import { row } from './analytics.fixtures.ts'
import { byteBlocksSuite, fencedInsertsSuite } from './analytics-inserts.suite.ts'
import { statementsSuite } from './analytics-statements.suite.ts'

/**
 * What every Analytics implementation promises. `open` returns a store with its tables. It is called again after each close and
 * then returns what was stored before. Only one store is open at a time.
 *
 * @param of `canPause`: whether inserts can be paused. Default: true.
 */
export function analyticsSuite(name: string, open: () => Promise<Analytics>, { canPause = true } = {}): void {
  describe(`Analytics: ${name}`, () => {
    let analytics: Analytics
    beforeAll(async () => {
      analytics = await open()
      await analytics.command(
        `CREATE TABLE blocks (n Int64, s String, u Nullable(String), list Array(Tuple(a String, b Nullable(Int64))))
         ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 100`,
      )
    })
    afterAll(() => analytics.close())

    const count = async (where: string) =>
      (await analytics.query<{ c: number }>(`SELECT count() AS c FROM blocks WHERE ${where}`))[0]!.c
    const subject = { analytics: () => analytics, count }

    it('shows an inserted block to the next query', async () => {
      await analytics.insert('blocks', [row(1), row(2)], { token: 'visible' })
      expect(await count('n IN (1, 2)')).toBe(2)
    })

    it('drops a block whose token it has seen, whatever the rows', async () => {
      await analytics.insert('blocks', [row(10)], { token: 'same' })
      await analytics.insert('blocks', [row(10)], { token: 'same' })
      await analytics.insert('blocks', [row(11)], { token: 'same' })
      expect(await count('n IN (10, 11)')).toBe(1)
    })

    it('keeps equal rows under another token', async () => {
      await analytics.insert('blocks', [row(20)], { token: 'one' })
      await analytics.insert('blocks', [row(20)], { token: 'two' })
      expect(await count('n = 20')).toBe(2)
    })

    it('knows a token per table', async () => {
      await analytics.command(
        'CREATE TABLE other (n Int64) ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 100',
      )
      await analytics.insert('blocks', [row(25)], { token: 'shared' })
      await analytics.insert('other', [{ n: 25 }], { token: 'shared' })
      expect(await count('n = 25')).toBe(1)
      expect(await analytics.query('SELECT n FROM other')).toEqual([{ n: 25 }])
    })

    describe('under a fence', () => fencedInsertsSuite(subject, canPause))
    describe('a block of bytes', () => byteBlocksSuite(subject))

    it('does nothing with an empty list', async () => {
      await analytics.insert('blocks', [], { token: 'empty' })
      await analytics.insert('blocks', [row(30)], { token: 'empty' })
      expect(await count('n = 30')).toBe(1)
    })

    it('remembers rows and tokens after it was closed and opened', async () => {
      await analytics.insert('blocks', [row(40)], { token: 'before' })
      await analytics.close()
      analytics = await open()
      await analytics.insert('blocks', [row(40)], { token: 'before' })
      expect(await count('n = 40')).toBe(1)
      expect(await count('n = 1')).toBe(1)
    })

    it('gives back text, nulls, nesting and integers up to 2^53 as they were', async () => {
      const rows = [
        { n: 50, s: 'it\'s "quoted"\\ \n\t\r\u0001 ż 🛒', u: '', list: [{ a: "x'", b: null }] },
        { n: Number.MAX_SAFE_INTEGER, s: '', u: null, list: [] },
        { n: Number.MIN_SAFE_INTEGER, s: '\\N', u: '\\N', list: [{ a: '', b: Number.MAX_SAFE_INTEGER }] },
      ]
      await analytics.insert('blocks', rows, { token: 'values' })
      const found = await analytics.query<(typeof rows)[0]>(
        `SELECT n, s, u, list FROM blocks WHERE n IN {numbers:Array(Int64)} ORDER BY n = 50 DESC, n DESC`,
        { numbers: rows.map(({ n }) => n) },
      )
      expect(found).toEqual(rows)
    })

    it('stores a large block as one', async () => {
      const rows = Array.from({ length: 100_000 }, (_, i) => row(1_000_000 + i, 'x'.repeat(60)))
      await analytics.insert('blocks', rows, { token: 'large' })
      await analytics.insert('blocks', rows, { token: 'large' })
      expect(await count('n BETWEEN 1000000 AND 2000000')).toBe(100_000)
    })

    it('rejects a wrong statement and wrong rows, and goes on', async () => {
      await expect(analytics.query('SELEC 1')).rejects.toBeInstanceOf(AnalyticsRejected)
      await expect(analytics.query('SELECT nope FROM blocks')).rejects.toBeInstanceOf(AnalyticsRejected)
      await expect(analytics.query('SELECT {missing:String}')).rejects.toBeInstanceOf(AnalyticsRejected)
      await expect(analytics.insert('blocks', [{ n: 'word' }], { token: 'bad' })).rejects.toBeInstanceOf(
        AnalyticsRejected,
      )
      expect(await analytics.query('SELECT 1 AS x')).toEqual([{ x: 1 }])
    })

    it('is unavailable for a table that is not there yet', async () => {
      await expect(analytics.insert('later', [{ n: 1 }], { token: 't' })).rejects.toBeInstanceOf(AnalyticsUnavailable)
    })

    describe('statements', () => statementsSuite(subject))

    it('has the tables of the migrations, and their nested columns hold what was inserted', async () => {
      const slots = [
        {
          slotHash: 's',
          adUnitId: 'u',
          algorithm: 'BESTSELLERS',
          candidates: 3,
          shortfall: null,
          ads: [
            {
              campaignId: 'c',
              adId: 'a',
              itemGroupId: null,
              position: 1,
              relevance: 0.5,
              predictedClickRate: 0.01,
              bidMicros: 9_007_199_254_740_991,
              priceMicros: 1,
              autoPromo: false,
            },
          ],
          dropped: [{ campaignId: 'd', adId: 'b', relevance: 1, bidMicros: 2, reason: 'CAPPED' }],
        },
      ]
      const emission = {
        _topic: 'emissions',
        _partition: 0,
        _offset: 7,
        requestId: 'r',
        shopId: 'shop',
        kind: 'SPONSORED',
        cid: 'cid',
        uid: null,
        occurredAt: 1_760_000_000_000,
        country: null,
        elapsedMicros: 5,
        slots,
        phrases: [0, 2 ** 47],
        lifts: [1, 1.5],
      }
      await analytics.insert('emissions', [emission], { token: 'emission' })
      expect(await analytics.query('SELECT * FROM emissions')).toEqual([emission])
    })

    it('is unavailable once closed', async () => {
      await analytics.close()
      await expect(analytics.query('SELECT 1')).rejects.toBeInstanceOf(AnalyticsUnavailable)
      analytics = await open()
    })
  })
}

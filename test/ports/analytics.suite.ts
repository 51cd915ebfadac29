import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Analytics,
  AnalyticsFenced,
  AnalyticsGaveUp,
  AnalyticsRejected,
  AnalyticsUnavailable,
} from '../../infra/analytics/port.ts'

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

    const row = (n: number, s = '') => ({ n, s, u: null, list: [] })
    const count = async (where: string) =>
      (await analytics.query<{ c: number }>(`SELECT count() AS c FROM blocks WHERE ${where}`))[0]!.c

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

    describe('under a fence', () => {
      const fence = (epoch: number, scope = 'page-views/1') => ({ fences: [{ scope, epoch }] })

      it('stores rows again that it has stored before', async () => {
        const rows = Array.from({ length: 100_000 }, (_, n) => row(5_000_000 + n))
        for (let time = 0; time < 2; time++) await analytics.insert('blocks', rows, fence(0))
        expect(await count('n BETWEEN 5000000 AND 5100000')).toBe(200_000)
      })

      it('stores nothing of an epoch once a later one has been raised', async () => {
        await analytics.insert('blocks', [row(70)], fence(1))
        await analytics.raiseFences(fence(2).fences)
        await expect(analytics.insert('blocks', [row(71)], fence(1))).rejects.toBeInstanceOf(AnalyticsFenced)
        await analytics.insert('blocks', [row(72)], fence(2))
        await analytics.insert('blocks', [row(73)], fence(3))
        expect(await count('n BETWEEN 70 AND 79')).toBe(3)
      })

      it('knows epochs by their scope, raises several at once, and takes none back', async () => {
        await analytics.raiseFences([...fence(5, 'a').fences, ...fence(3, 'b').fences])
        await analytics.raiseFences(fence(4, 'a').fences)
        await analytics.raiseFences([])
        const stores = async (by: ReturnType<typeof fence>) => {
          const refused = (error: Error) => (error instanceof AnalyticsFenced ? 'refused' : Promise.reject(error))
          return analytics.insert('blocks', [row(80)], by).then(() => 'stored', refused)
        }
        const asked = [fence(4, 'a'), fence(5, 'a'), fence(2, 'b'), fence(3, 'b'), fence(0, 'c')]
        const answers = await Promise.all(asked.map(stores))
        expect(answers).toEqual(['refused', 'stored', 'refused', 'stored', 'stored'])
      })

      it('stores nothing of what belongs to several scopes once a later epoch of any has been raised', async () => {
        const both = (b: number) => ({ fences: [...fence(1, 'several a').fences, ...fence(b, 'several b').fences] })
        await analytics.insert('blocks', [row(61)], both(1))
        await analytics.raiseFences(fence(2, 'several b').fences)
        await expect(analytics.insert('blocks', [row(62)], both(1))).rejects.toBeInstanceOf(AnalyticsFenced)
        await analytics.insert('blocks', [row(63)], both(2))
        expect(await count('n IN (61, 62, 63)')).toBe(2)
      })

      it('shows all that earlier epochs have stored once a later one has been raised, and nothing more after', async () => {
        for (let round = 0; round < 10; round++) {
          const scope = `round ${round}`
          const n = 3_000_000 + round
          const by = { fences: [...fence(1, `other ${scope}`).fences, ...fence(1, scope).fences] }
          const inserts = Array.from({ length: 4 }, (_, i) =>
            analytics.insert('blocks', Array(2_000).fill(row(n, `${i}`)), i % 2 === 0 ? by : fence(1, scope)).then(
              () => 1,
              () => 0,
            ),
          )
          await analytics.raiseFences(fence(2, scope).fences)
          const seen = await count(`n = ${n}`)
          const acknowledged = (await Promise.all(inserts)).reduce<number>((sum, each) => sum + each, 0)
          expect(await count(`n = ${n}`)).toBe(seen)
          expect(seen).toBeGreaterThanOrEqual(acknowledged * 2_000)
        }
      })

      it.runIf(canPause)(
        'stores nothing under paused scopes until they are resumed, or their time is over',
        async () => {
          const stores = (scope: string) =>
            analytics.insert('blocks', [row(7_000_000)], fence(1, scope)).then(
              () => 'stored',
              (error: Error) => (error instanceof AnalyticsUnavailable ? 'paused' : Promise.reject(error)),
            )
          await analytics.pauseInserts('long', ['paused a', 'paused b'], 60_000)
          expect([await stores('paused a'), await stores('paused b'), await stores('other')]).toEqual([
            'paused',
            'paused',
            'stored',
          ])
          expect(await analytics.resumeInserts('long')).toBe(true)
          expect(await stores('paused a')).toBe('stored')
          await analytics.pauseInserts('short', ['paused a'], 1)
          await expect.poll(() => stores('paused a')).toBe('stored')
          expect(await analytics.resumeInserts('short')).toBe(false)
          expect(await analytics.resumeInserts('long')).toBe(false)
          expect(await count('n = 7000000')).toBe(3)
        },
      )

      it.runIf(!canPause)('refuses to pause', async () => {
        await expect(analytics.pauseInserts('p', ['a'], 1)).rejects.toThrow('cannot be paused')
      })

      it('passes over fields that are no columns, and gives columns that are not told their default', async () => {
        await analytics.command(
          `CREATE TABLE told (n Int64, kind LowCardinality(String) DEFAULT 'OPEN') ENGINE = MergeTree ORDER BY n`,
        )
        await analytics.insert('told', [{ n: 1, later: [{ x: 1 }] }], fence(0, 'told'))
        expect(await analytics.query('SELECT * FROM told')).toEqual([{ n: 1, kind: 'OPEN' }])
      })

      it('rejects wrong rows, and is unavailable for a table that is not there yet', async () => {
        const wrong = analytics.insert('blocks', [{ n: 'word' }], fence(9, 'wrong'))
        await expect(wrong).rejects.toBeInstanceOf(AnalyticsRejected)
        const early = analytics.insert('not_yet', [{ n: 1 }], fence(9, 'wrong'))
        await expect(early).rejects.toBeInstanceOf(AnalyticsUnavailable)
      })
    })

    describe('a block of bytes', () => {
      const columns = [
        { name: 'n', type: 'Int64' },
        { name: 'later', type: 'Array(String)' },
        { name: 's', type: 'String' },
      ]
      const bytesOf = (n: number, s: string) => {
        const number = Buffer.alloc(8)
        number.writeBigInt64LE(BigInt(n))
        return Buffer.concat([number, Buffer.from([1, 1]), Buffer.from('x'), Buffer.from([s.length]), Buffer.from(s)])
      }
      const block = (rows: Buffer[]) => ({ columns, length: rows.length, bytes: new Uint8Array(Buffer.concat(rows)) })
      const by = (epoch: number) => ({ fences: [{ scope: 'bytes', epoch }] })

      it('is stored whole, without what is no column, and may be inserted again', async () => {
        const rows = block(Array.from({ length: 100_000 }, (_, n) => bytesOf(7_000_000 + n, "it's")))
        for (let time = 0; time < 2; time++) await analytics.insert('blocks', rows, by(0))
        expect(await count("n BETWEEN 7000000 AND 7100000 AND s = 'it''s' AND u IS NULL")).toBe(200_000)
      })

      it('is dropped when its token has been seen', async () => {
        for (let time = 0; time < 2; time++)
          await analytics.insert('blocks', block([bytesOf(90, '')]), { token: 'bytes' })
        expect(await count('n = 90')).toBe(1)
      })

      it('is refused under an earlier epoch than that of its fence', async () => {
        await analytics.raiseFences(by(2).fences)
        const early = analytics.insert('blocks', block([bytesOf(91, '')]), by(1))
        await expect(early).rejects.toBeInstanceOf(AnalyticsFenced)
        await analytics.insert('blocks', block([bytesOf(92, '')]), by(2))
        expect(await count('n IN (91, 92)')).toBe(1)
      })

      it('is rejected when the table cannot hold its values, and unavailable without the table', async () => {
        await analytics.command('CREATE TABLE dated (n Int64, s Date) ENGINE = MergeTree ORDER BY n')
        const wrong = analytics.insert('dated', block([bytesOf(1, 'no date')]), by(9))
        await expect(wrong).rejects.toBeInstanceOf(AnalyticsRejected)
        const early = analytics.insert('none_yet', block([bytesOf(1, '')]), by(9))
        await expect(early).rejects.toBeInstanceOf(AnalyticsUnavailable)
      })

      it('of no rows does nothing', () => analytics.insert('blocks', block([]), by(9)))
    })

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

    it('gives a file of Parquet, with parameters too', async () => {
      const file = await analytics.queryParquet('SELECT {text:String} AS text, number FROM numbers(3)', {
        text: 'żółw',
      })
      const letters = Buffer.from(file).toString('latin1')
      expect([letters.slice(0, 4), letters.slice(-4)]).toEqual(['PAR1', 'PAR1'])
      await expect(analytics.queryParquet('SELECT nope FROM blocks')).rejects.toBeInstanceOf(AnalyticsRejected)
    })

    it('answers a ping while a query runs for long', async () => {
      const long = analytics.query('SELECT sleepEachRow(0.5) AS x FROM numbers(4) SETTINGS max_block_size = 1')
      const ended: string[] = []
      await Promise.all([long.then(() => ended.push('query')), analytics.ping().then(() => ended.push('ping'))])
      expect(ended).toEqual(['ping', 'query'])
    })

    it('leaves nothing of a query that fails after its first rows in the next answer', async () => {
      const failing = `SELECT number, intDiv(1, number - 150000) AS x FROM numbers(200000)
        SETTINGS max_block_size = 1000, max_threads = 1`
      await expect(analytics.query(failing)).rejects.toThrow()
      expect(await analytics.query('SELECT 1 AS x')).toEqual([{ x: 1 }])
      await expect(analytics.queryParquet(failing)).rejects.toThrow()
      await analytics.command('SELECT 2')
      expect(await analytics.query('SELECT 3 AS x')).toEqual([{ x: 3 }])
    })

    it('takes parameters of every kind as values, never as SQL', async () => {
      const params = {
        text: "it's \\ {n:Int64} \n\t; DROP TABLE blocks --",
        texts: ["a'b", 'c\\', '', 'd\ne'],
        numbers: [1, Number.MAX_SAFE_INTEGER],
        nothing: null,
        yes: true,
        number: -1.5,
        none: [],
      }
      expect(
        await analytics.query(
          `SELECT {text:String} AS text, {texts:Array(String)} AS texts, {numbers:Array(Int64)} AS numbers,
             {nothing:Nullable(String)} AS nothing, {yes:Bool} AS yes, {number:Float64} AS number, {none:Array(String)} AS none`,
          params,
        ),
      ).toEqual([params])
    })

    it('takes lists of thousands, in queries and in commands', async () => {
      const ids = Array.from({ length: 20_000 }, (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`)
      const sql = 'SELECT length({ids:Array(String)}) AS n, has({ids:Array(String)}, {last:String}) AS found'
      expect(await analytics.query(sql, { ids, last: ids.at(-1)! })).toEqual([{ n: ids.length, found: 1 }])
      await analytics.command('INSERT INTO blocks (n, s) SELECT 65, arrayJoin({ids:Array(String)})', { ids })
      expect(await count('n = 65')).toBe(ids.length)
    })

    it('gives up a statement that takes longer than it says it may', async () => {
      const endless = 'SELECT count() AS n FROM numbers(100000000000) WHERE cityHash64(number) = 9'
      const given = analytics.query(`${endless} SETTINGS max_execution_time = 1`)
      await expect(given).rejects.toBeInstanceOf(AnalyticsGaveUp)
    })

    it('forgets the parameters of a statement after it', async () => {
      expect(await analytics.query('SELECT {once:String} AS once', { once: 'x' })).toEqual([{ once: 'x' }])
      await expect(analytics.query('SELECT {once:String} AS once')).rejects.toBeInstanceOf(AnalyticsRejected)
    })

    it('takes parameters in commands', async () => {
      await analytics.command('INSERT INTO blocks (n, s) SELECT {n:Int64}, {s:String}', { n: 60, s: "o'clock" })
      expect(await count(`n = 60 AND s = 'o''clock'`)).toBe(1)
    })

    it('stores a large block as one', async () => {
      const rows = Array.from({ length: 100_000 }, (_, i) => row(1_000_000 + i, 'x'.repeat(60)))
      await analytics.insert('blocks', rows, { token: 'large' })
      await analytics.insert('blocks', rows, { token: 'large' })
      expect(await count('n BETWEEN 1000000 AND 2000000')).toBe(100_000)
    })

    it('answers calls made at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => analytics.query<{ x: number }>('SELECT {x:Int64} AS x', { x: i })),
      )
      expect(answers.map(([answer]) => answer!.x)).toEqual(Array.from({ length: 20 }, (_, i) => i))
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

    it('says why a statement has refused to store anything, and that it may be tried again', async () => {
      const refused = analytics.command(
        "INSERT INTO blocks (n) SELECT 99 WHERE throwIf(1, 'its rows are not here yet') = 0",
      )
      await expect(refused).rejects.toThrow('its rows are not here yet')
      await expect(refused).rejects.toBeInstanceOf(AnalyticsUnavailable)
    })

    it('is unavailable for a table that is not there yet', async () => {
      await expect(analytics.insert('later', [{ n: 1 }], { token: 't' })).rejects.toBeInstanceOf(AnalyticsUnavailable)
    })

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

import { expect, it } from 'vitest'
import { AnalyticsGaveUp, AnalyticsRejected, AnalyticsUnavailable } from '../../infra/analytics/port.ts'
import type { AnalyticsSubject } from './analytics.fixtures.ts'

/** What every implementation of Analytics promises about queries and commands. */
export function statementsSuite({ analytics, count }: AnalyticsSubject): void {
  it('gives a file of Parquet, with parameters too', async () => {
    const file = await analytics().queryParquet('SELECT {text:String} AS text, number FROM numbers(3)', {
      text: 'żółw',
    })
    const letters = Buffer.from(file).toString('latin1')
    expect([letters.slice(0, 4), letters.slice(-4)]).toEqual(['PAR1', 'PAR1'])
    await expect(analytics().queryParquet('SELECT nope FROM blocks')).rejects.toBeInstanceOf(AnalyticsRejected)
  })

  it('answers a ping while a query runs for long', async () => {
    const long = analytics().query('SELECT sleepEachRow(0.5) AS x FROM numbers(4) SETTINGS max_block_size = 1')
    const ended: string[] = []
    await Promise.all([
      long.then(() => ended.push('query')),
      analytics()
        .ping()
        .then(() => ended.push('ping')),
    ])
    expect(ended).toEqual(['ping', 'query'])
  })

  it('leaves nothing of a query that fails after its first rows in the next answer', async () => {
    const failing = `SELECT number, intDiv(1, number - 150000) AS x FROM numbers(200000)
      SETTINGS max_block_size = 1000, max_threads = 1`
    await expect(analytics().query(failing)).rejects.toThrow()
    expect(await analytics().query('SELECT 1 AS x')).toEqual([{ x: 1 }])
    await expect(analytics().queryParquet(failing)).rejects.toThrow()
    await analytics().command('SELECT 2')
    expect(await analytics().query('SELECT 3 AS x')).toEqual([{ x: 3 }])
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
      await analytics().query(
        `SELECT {text:String} AS text, {texts:Array(String)} AS texts, {numbers:Array(Int64)} AS numbers,
           {nothing:Nullable(String)} AS nothing, {yes:Bool} AS yes, {number:Float64} AS number, {none:Array(String)} AS none`,
        params,
      ),
    ).toEqual([params])
  })

  it('takes lists of thousands, in queries and in commands', async () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`)
    const sql = 'SELECT length({ids:Array(String)}) AS n, has({ids:Array(String)}, {last:String}) AS found'
    expect(await analytics().query(sql, { ids, last: ids.at(-1)! })).toEqual([{ n: ids.length, found: 1 }])
    await analytics().command('INSERT INTO blocks (n, s) SELECT 65, arrayJoin({ids:Array(String)})', { ids })
    expect(await count('n = 65')).toBe(ids.length)
  })

  it('gives up a statement that takes longer than it says it may', async () => {
    const endless = 'SELECT count() AS n FROM numbers(100000000000) WHERE cityHash64(number) = 9'
    const given = analytics().query(`${endless} SETTINGS max_execution_time = 1`)
    await expect(given).rejects.toBeInstanceOf(AnalyticsGaveUp)
  })

  it('joins tables in the order in which a statement names them, however many rows they have', async () => {
    const rows = (count: number) => `(SELECT number FROM numbers(1000) LIMIT ${count})`
    const firstJoin = async (settings: string) => {
      const plan = await analytics().query<{ explain: string }>(
        `EXPLAIN keep_logical_steps = 1 SELECT count() FROM ${rows(1000)} AS a
           INNER JOIN ${rows(1000)} AS b ON b.number = a.number INNER JOIN ${rows(1)} AS c ON c.number = a.number ${settings}`,
      )
      const joins = plan.flatMap(({ explain }) => /Join: (.*)/.exec(explain)?.[1]?.replace(/\[\d+\]/g, '') ?? [])
      return joins.at(-1)!.split(' ⋈ ').sort()
    }
    expect(await firstJoin('SETTINGS query_plan_optimize_join_order_limit = 10')).toEqual(['a', 'c'])
    expect(await firstJoin('')).toEqual(['a', 'b'])
  })

  it('forgets the parameters of a statement after it', async () => {
    expect(await analytics().query('SELECT {once:String} AS once', { once: 'x' })).toEqual([{ once: 'x' }])
    await expect(analytics().query('SELECT {once:String} AS once')).rejects.toBeInstanceOf(AnalyticsRejected)
  })

  it('takes parameters in commands', async () => {
    await analytics().command('INSERT INTO blocks (n, s) SELECT {n:Int64}, {s:String}', { n: 60, s: "o'clock" })
    expect(await count(`n = 60 AND s = 'o''clock'`)).toBe(1)
  })

  it('counts the mutations of a table until they are done', async () => {
    const tables = ['mutated']
    await analytics().command('CREATE TABLE mutated (n Int64) ENGINE = MergeTree ORDER BY tuple()')
    await analytics().insert('mutated', [{ n: 1 }], { token: 'mutated' })
    expect(await analytics().unfinishedMutations(tables)).toBe(0)
    // The mutation fails, and is tried again, until `gate` has a row.
    await analytics().command('CREATE TABLE gate (n Int64) ENGINE = MergeTree ORDER BY tuple()')
    const isClosed = 'n - 1 = (SELECT count() FROM gate)'
    await analytics().command(
      `ALTER TABLE mutated UPDATE n = 2 + throwIf(${isClosed}) WHERE 1 SETTINGS mutations_sync = 0`,
    )
    expect(await analytics().unfinishedMutations(['blocks'])).toBe(0)
    expect(await analytics().unfinishedMutations(['blocks', ...tables])).toBeGreaterThan(0)
    await analytics().insert('gate', [{ n: 1 }], { token: 'gate' })
    await expect.poll(() => analytics().unfinishedMutations(tables)).toBe(0)
    expect(await analytics().query('SELECT n FROM mutated')).toEqual([{ n: 2 }])
  })

  it('answers calls made at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => analytics().query<{ x: number }>('SELECT {x:Int64} AS x', { x: i })),
    )
    expect(answers.map(([answer]) => answer!.x)).toEqual(Array.from({ length: 20 }, (_, i) => i))
  })

  it('says why a statement has refused to store anything, and that it may be tried again', async () => {
    const refused = analytics().command(
      "INSERT INTO blocks (n) SELECT 99 WHERE throwIf(1, 'its rows are not here yet') = 0",
    )
    await expect(refused).rejects.toThrow('its rows are not here yet')
    await expect(refused).rejects.toBeInstanceOf(AnalyticsUnavailable)
  })
}

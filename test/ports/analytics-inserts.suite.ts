import { expect, it } from 'vitest'
import { AnalyticsFenced, AnalyticsRejected, AnalyticsUnavailable } from '../../infra/analytics/port.ts'
import { type AnalyticsSubject, row } from './analytics.fixtures.ts'

/**
 * What every implementation of Analytics promises about inserts under a fence.
 * @param canPause whether inserts can be paused.
 */
export function fencedInsertsSuite({ analytics, count }: AnalyticsSubject, canPause: boolean): void {
  const fence = (epoch: number, scope = 'page-views/1') => ({ fences: [{ scope, epoch }] })

  it('stores rows again that it has stored before', async () => {
    const rows = Array.from({ length: 100_000 }, (_, n) => row(5_000_000 + n))
    for (let time = 0; time < 2; time++) await analytics().insert('blocks', rows, fence(0))
    expect(await count('n BETWEEN 5000000 AND 5100000')).toBe(200_000)
  })

  it('stores nothing of an epoch once a later one has been raised', async () => {
    await analytics().insert('blocks', [row(70)], fence(1))
    await analytics().raiseFences(fence(2).fences)
    await expect(analytics().insert('blocks', [row(71)], fence(1))).rejects.toBeInstanceOf(AnalyticsFenced)
    await analytics().insert('blocks', [row(72)], fence(2))
    await analytics().insert('blocks', [row(73)], fence(3))
    expect(await count('n BETWEEN 70 AND 79')).toBe(3)
  })

  it('knows epochs by their scope, raises several at once, and takes none back', async () => {
    await analytics().raiseFences([...fence(5, 'a').fences, ...fence(3, 'b').fences])
    await analytics().raiseFences(fence(4, 'a').fences)
    await analytics().raiseFences([])
    const stores = async (by: ReturnType<typeof fence>) => {
      const refused = (error: Error) => (error instanceof AnalyticsFenced ? 'refused' : Promise.reject(error))
      return analytics()
        .insert('blocks', [row(80)], by)
        .then(() => 'stored', refused)
    }
    const asked = [fence(4, 'a'), fence(5, 'a'), fence(2, 'b'), fence(3, 'b'), fence(0, 'c')]
    const answers = await Promise.all(asked.map(stores))
    expect(answers).toEqual(['refused', 'stored', 'refused', 'stored', 'stored'])
  })

  it('stores nothing of what belongs to several scopes once a later epoch of any has been raised', async () => {
    const both = (b: number) => ({ fences: [...fence(1, 'several a').fences, ...fence(b, 'several b').fences] })
    await analytics().insert('blocks', [row(61)], both(1))
    await analytics().raiseFences(fence(2, 'several b').fences)
    await expect(analytics().insert('blocks', [row(62)], both(1))).rejects.toBeInstanceOf(AnalyticsFenced)
    await analytics().insert('blocks', [row(63)], both(2))
    expect(await count('n IN (61, 62, 63)')).toBe(2)
  })

  it('shows all that earlier epochs have stored once a later one has been raised, and nothing more after', async () => {
    for (let round = 0; round < 10; round++) {
      const scope = `round ${round}`
      const n = 3_000_000 + round
      const by = { fences: [...fence(1, `other ${scope}`).fences, ...fence(1, scope).fences] }
      const inserts = Array.from({ length: 4 }, (_, i) =>
        analytics()
          .insert('blocks', Array(2_000).fill(row(n, `${i}`)), i % 2 === 0 ? by : fence(1, scope))
          .then(
            () => 1,
            () => 0,
          ),
      )
      await analytics().raiseFences(fence(2, scope).fences)
      const seen = await count(`n = ${n}`)
      const acknowledged = (await Promise.all(inserts)).reduce<number>((sum, each) => sum + each, 0)
      expect(await count(`n = ${n}`)).toBe(seen)
      expect(seen).toBeGreaterThanOrEqual(acknowledged * 2_000)
    }
  })

  it.runIf(canPause)('stores nothing under paused scopes until they are resumed, or their time is over', async () => {
    const stores = (scope: string) =>
      analytics()
        .insert('blocks', [row(7_000_000)], fence(1, scope))
        .then(
          () => 'stored',
          (error: Error) => (error instanceof AnalyticsUnavailable ? 'paused' : Promise.reject(error)),
        )
    await analytics().pauseInserts('long', ['paused a', 'paused b'], 60_000)
    expect([await stores('paused a'), await stores('paused b'), await stores('other')]).toEqual([
      'paused',
      'paused',
      'stored',
    ])
    expect(await analytics().resumeInserts('long')).toBe(true)
    expect(await stores('paused a')).toBe('stored')
    await analytics().pauseInserts('short', ['paused a'], 1)
    await expect.poll(() => stores('paused a')).toBe('stored')
    expect(await analytics().resumeInserts('short')).toBe(false)
    expect(await analytics().resumeInserts('long')).toBe(false)
    expect(await count('n = 7000000')).toBe(3)
  })

  it.runIf(!canPause)('refuses to pause', async () => {
    await expect(analytics().pauseInserts('p', ['a'], 1)).rejects.toThrow('cannot be paused')
  })

  it('passes over fields that are no columns, and gives columns that are not told their default', async () => {
    await analytics().command(
      `CREATE TABLE told (n Int64, kind LowCardinality(String) DEFAULT 'OPEN') ENGINE = MergeTree ORDER BY n`,
    )
    await analytics().insert('told', [{ n: 1, later: [{ x: 1 }] }], fence(0, 'told'))
    expect(await analytics().query('SELECT * FROM told')).toEqual([{ n: 1, kind: 'OPEN' }])
  })

  it('rejects wrong rows, and is unavailable for a table that is not there yet', async () => {
    const wrong = analytics().insert('blocks', [{ n: 'word' }], fence(9, 'wrong'))
    await expect(wrong).rejects.toBeInstanceOf(AnalyticsRejected)
    const early = analytics().insert('not_yet', [{ n: 1 }], fence(9, 'wrong'))
    await expect(early).rejects.toBeInstanceOf(AnalyticsUnavailable)
  })
}

/** What every implementation of Analytics promises about rows that are bytes already. */
export function byteBlocksSuite({ analytics, count }: AnalyticsSubject): void {
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
    for (let time = 0; time < 2; time++) await analytics().insert('blocks', rows, by(0))
    expect(await count("n BETWEEN 7000000 AND 7100000 AND s = 'it''s' AND u IS NULL")).toBe(200_000)
  })

  it('is dropped when its token has been seen', async () => {
    for (let time = 0; time < 2; time++)
      await analytics().insert('blocks', block([bytesOf(90, '')]), { token: 'bytes' })
    expect(await count('n = 90')).toBe(1)
  })

  it('is refused under an earlier epoch than that of its fence', async () => {
    await analytics().raiseFences(by(2).fences)
    const early = analytics().insert('blocks', block([bytesOf(91, '')]), by(1))
    await expect(early).rejects.toBeInstanceOf(AnalyticsFenced)
    await analytics().insert('blocks', block([bytesOf(92, '')]), by(2))
    expect(await count('n IN (91, 92)')).toBe(1)
  })

  it('is rejected when the table cannot hold its values, and unavailable without the table', async () => {
    await analytics().command('CREATE TABLE dated (n Int64, s Date) ENGINE = MergeTree ORDER BY n')
    const wrong = analytics().insert('dated', block([bytesOf(1, 'no date')]), by(9))
    await expect(wrong).rejects.toBeInstanceOf(AnalyticsRejected)
    const early = analytics().insert('none_yet', block([bytesOf(1, '')]), by(9))
    await expect(early).rejects.toBeInstanceOf(AnalyticsUnavailable)
  })

  it('of no rows does nothing', () => analytics().insert('blocks', block([]), by(9)))
}

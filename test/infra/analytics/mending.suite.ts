import { describe, expect, it } from 'vitest'
import { withMending } from '../../../infra/analytics/mending.ts'
import {
  type Analytics,
  AnalyticsDamaged,
  AnalyticsGaveUp,
  AnalyticsUnavailable,
} from '../../../infra/analytics/port.ts'
import { type Damage, damageParts, damages, FILES } from './damaged-part.ts'

const cases = (Object.keys(damages) as Damage[])
  .flatMap((damage) =>
    (['columns', 'marks'] as const).flatMap((file) =>
      (['touches', 'links_by_cid'] as const).map((table) => ({ damage, file, table })),
    ),
  )
  // ClickHouse reads an empty file of one column as rows of default values, without an error.
  .filter(({ damage, file, table }) => !(damage === 'empty' && file === 'columns' && table === 'links_by_cid'))

/** @param open the store with its tables, which the suite empties. `links_by_cid` gets a file for each column. */
export function mendingSuite(open: () => Analytics): void {
  const fill = async (table: string) => {
    await open().command(
      'ALTER TABLE links_by_cid MODIFY SETTING min_bytes_for_wide_part = 0, min_rows_for_wide_part = 0',
    )
    await open().command(`TRUNCATE TABLE ${table}`)
    for (const [from, rows] of [
      [0, 1_000],
      [1_000, 10],
    ] as const) {
      const numbers = `SELECT 'shop', toString(number) FROM numbers(${from}, ${rows})`
      await open().command(`INSERT INTO ${table} (shopId, cid) ${numbers}`)
    }
  }
  const read = (analytics: Analytics, table: string) =>
    analytics.query<{ rows: number }>(
      `SELECT count() AS rows, toString(groupBitXor(cityHash64(*))) AS hash FROM ${table}`,
    )

  describe('a part with damaged files', () => {
    it.each(cases)(
      'of a look-up table is dropped by the first query that meets it: $file of $table are $damage',
      async (each) => {
        const { table, damage, file } = each
        await fill(table)
        const [part] = await damageParts(open(), table, { damage, file: FILES[file], most: 1 })
        const warnings: object[] = []
        const mending = withMending(open(), { warn: (details) => warnings.push(details) })
        await expect(read(mending, table)).rejects.toBeInstanceOf(AnalyticsUnavailable)
        expect(await read(mending, table)).toMatchObject([{ rows: 10 }])
        expect(warnings).toMatchObject([{ table, part }])
      },
    )

    it.each(cases.filter(({ table }) => table === 'touches'))(
      'of any other table stays, and the error names it and sends an operator to the manual: $file are $damage',
      async ({ damage, file }) => {
        await fill('page_views')
        const [part] = await damageParts(open(), 'page_views', { damage, file: FILES[file], most: 1 })
        const mending = withMending(open(), { warn: () => expect.unreachable() })
        for (let time = 0; time < 2; time++) {
          const refused = read(mending, 'page_views')
          await expect(refused).rejects.toBeInstanceOf(AnalyticsDamaged)
          await expect(refused).rejects.toThrow(
            `The part ${part} of page_views is damaged: docs/operating.md#damaged-tables says how to get its rows back`,
          )
        }
        const active = `SELECT count() AS parts FROM system.parts
        WHERE database = currentDatabase() AND table = 'page_views' AND active AND name = {part:String}`
        expect(await open().query(active, { part: part! })).toEqual([{ parts: 1 }])
        await open().command('TRUNCATE TABLE page_views')
      },
    )

    it('is not what a query has met that takes too much', async () => {
      await fill('touches')
      const mending = withMending(open(), { warn: () => expect.unreachable() })
      const greedy = mending.query(
        'SELECT groupArray(repeat(cid, 1000)) AS texts FROM touches SETTINGS max_memory_usage = 100000',
      )
      await expect(greedy).rejects.toBeInstanceOf(AnalyticsGaveUp)
      expect(await read(mending, 'touches')).toMatchObject([{ rows: 1_010 }])
    })
  })
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { analystStatements, connectAnalyst } from './analyst.ts'

/** What the user of docs/data.md may do. */
export function analystSuite(world: () => { url: string; namespace: string; analytics: Analytics }): void {
  describe('the user of the documentation', () => {
    let analyst: ReturnType<typeof connectAnalyst>
    beforeAll(() => {
      const { url, namespace } = world()
      analyst = connectAnalyst(url, namespace)
    })
    afterAll(() => analyst.close())

    it.each(analystStatements)('is made by a statement that ClickHouse knows: %s', async (statement) => {
      expect(await world().analytics.query(`EXPLAIN AST ${statement}`)).not.toEqual([])
    })

    it.each([
      ['read a table', 'SELECT cid FROM judged_events'],
      ['write', "INSERT INTO shop_versions (shopId) VALUES ('mine')"],
      ['remove a view', 'DROP VIEW v_events'],
    ])('may not %s', async (_, sql) => {
      await expect(analyst.query(sql)).rejects.toThrow('Not enough privileges')
    })

    it.each(['max_execution_time = 0', 'max_execution_time = 61', 'max_memory_usage = 0', 'readonly = 0'])(
      'cannot set %s',
      async (setting) => {
        await expect(analyst.query(`SELECT 1 SETTINGS ${setting}`)).rejects.toThrow(/shouldn't be|Cannot modify/)
      },
    )

    it('sets what tools set', async () => {
      const sql = 'SELECT 1 AS one SETTINGS max_execution_time = 30, max_threads = 1'
      expect(await analyst.query(sql)).toEqual([{ one: 1 }])
    })
  })
}

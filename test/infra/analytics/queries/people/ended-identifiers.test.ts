import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Analytics } from '../../../../../infra/analytics/port.ts'
import { endingSteps } from '../../../../../infra/analytics/queries/people/ended-identifiers.ts'
import { openTemporaryAnalytics } from '../../../../new-analytics.ts'

let analytics: Analytics
beforeAll(async () => {
  analytics = await openTemporaryAnalytics()
})
afterAll(() => analytics.close())

/** Tables of earlier versions, which have no rows. */
const EMPTIED = ['identity_links', 'person_links']

it('every column that names a person or a client is made blank, or its row is deleted', async () => {
  const columns = await analytics.query<{ table: string; name: string }>(
    `SELECT table, name FROM system.columns
     WHERE database = currentDatabase() AND match(name, '(?i)^(emitted)?(cid|uid)$|^(address|network|agent)Hash$|^gclid$')
       AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')
       AND table NOT IN {emptied:Array(String)}`,
    { emptied: EMPTIED },
  )
  const statements = endingSteps(0)
    .flat()
    .map(({ statement }) => statement)
  const ofTable = (table: string) => statements.filter((each) => each.startsWith(`ALTER TABLE ${table} `))
  const left = columns.filter(
    ({ table, name }) =>
      !ofTable(table).some((each) => each.includes(' DELETE ') || new RegExp(`[ ,]${name} = `).test(each)),
  )
  expect(left).toEqual([])
  expect(columns.length).toBeGreaterThan(20)
})

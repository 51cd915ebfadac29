import { expect, it } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { readUpToDate } from '../../../services/roles/shared.ts'

function opened(before: () => Promise<void>) {
  const asked: string[] = []
  const answering = {
    query: async (sql: string) => {
      asked.push(sql)
      return []
    },
    queryParquet: async (sql: string) => {
      asked.push(sql)
      return new Uint8Array()
    },
  } as Partial<Analytics> as Analytics
  return { asked, analytics: readUpToDate(answering, before) }
}

it('a query is asked once Analytics has caught up', async () => {
  const caughtUp = Promise.withResolvers<void>()
  const { asked, analytics } = opened(() => caughtUp.promise)
  const answers = [analytics.query('rows'), analytics.queryParquet('file')]
  await new Promise(setImmediate)
  expect(asked).toEqual([])
  caughtUp.resolve()
  await Promise.all(answers)
  expect(asked.toSorted()).toEqual(['file', 'rows'])
})

it('a query is answered although Analytics cannot catch up', async () => {
  const { asked, analytics } = opened(() => Promise.reject(new Error('the streams have ended')))
  await analytics.query('rows')
  expect(asked).toEqual(['rows'])
})

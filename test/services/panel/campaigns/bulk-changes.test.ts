import { expect, it } from 'vitest'
import { ApiProblem } from '../../../../services/panel/web/client/problem.ts'
import {
  type ChangeResult,
  changeOf,
  NO_VALUES,
  reasonOf,
  resultsOf,
} from '../../../../services/panel/web/pages/campaigns/list/bulk-changes.ts'

type Changed = Parameters<typeof changeOf>

const calls: Parameters<typeof resultsOf>[0] = [
  { ids: ['a', 'b'], change: { cpc: 1 } },
  { ids: ['c'], change: { cpm: 4 } },
  { ids: ['d'], change: { cpm: 5 } },
]
const busy = new ApiProblem({ status: 503, code: 'UNAVAILABLE', detail: 'The registry is moving' })
const changed = (id: string): ChangeResult => ({ id, outcome: 'CHANGED', version: 2, problem: null })

/** Makes calls, of which the one with this index fails. */
function failingAt(failing: number) {
  const made: string[][] = []
  const make = async ({ ids }: { ids: string[] }) => {
    made.push(ids)
    if (made.length > failing) throw busy
    return ids.map(changed)
  }
  return { made, make }
}

it('tells the outcome of every campaign when all calls are made', async () => {
  const results = await resultsOf(calls, failingAt(calls.length).make)
  expect(results).toEqual(['a', 'b', 'c', 'd'].map(changed))
})

it('tells what has changed when a later call fails, why the others have not, and makes no more calls', async () => {
  const { made, make } = failingAt(1)
  const results = await resultsOf(calls, make)
  expect(results.slice(0, 2)).toEqual([changed('a'), changed('b')])
  expect(results.slice(2).map((result) => [result.id, result.outcome, reasonOf(result)])).toEqual([
    ['c', 'REFUSED', 'The registry is moving'],
    ['d', 'REFUSED', 'The registry is moving'],
  ])
  expect(made).toEqual([['a', 'b'], ['c']])
})

it('fails as a whole when nothing has been changed', async () => {
  await expect(resultsOf(calls, failingAt(0).make)).rejects.toBe(busy)
})

it('changes no end while the field is empty, and takes one away only when asked to', () => {
  const [campaign, shop] = [{ kind: 'SPONSORED' } as Changed[2], { timeZone: 'Asia/Tokyo' } as Changed[3]]
  const end = (values: Partial<Changed[1]>) => changeOf('end', { ...NO_VALUES, ...values }, campaign, shop)
  expect(end({})).toBeNull()
  expect(end({ endAt: '2026-12-01T00:00' })).toEqual({ endAt: '2026-11-30T15:00:00.000Z' })
  expect(end({ isEndless: true, endAt: '2026-12-01T00:00' })).toEqual({ endAt: null })
})

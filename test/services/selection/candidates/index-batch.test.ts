import { expect, it } from 'vitest'
import { IndexUnavailable, type ProductQuery, type SearchResult } from '../../../../infra/product-index/port.ts'
import { createIndexBatch } from '../../../../services/selection/candidates/index-batch.ts'

const query = (tieSeed: number) => ({ tieSeed }) as ProductQuery
const result = (tieSeed: number) =>
  ({ hits: [], bestFit: 0, truncated: false, runnerUp: null, tieSeed }) as SearchResult

it('asks once for what one turn asks for, in calls of at most 8, and gives each its own result', async () => {
  const calls: number[] = []
  const { search } = createIndexBatch({
    async search(queries) {
      calls.push(queries.length)
      return queries.map(({ tieSeed }) => result(tieSeed))
    },
  })
  const first = await Promise.all(Array.from({ length: 19 }, (_, i) => search(query(i))))
  expect(first).toEqual(Array.from({ length: 19 }, (_, i) => result(i)))
  expect(await search(query(99))).toEqual(result(99))
  expect(calls).toEqual([8, 8, 3, 1])
})

it('lets a query that the index refuses fail alone', async () => {
  const { search } = createIndexBatch({
    async search(queries) {
      if (queries.some(({ tieSeed }) => tieSeed === 2)) throw new Error('too many clauses')
      return queries.map(({ tieSeed }) => result(tieSeed))
    },
  })
  const [first, refused, last] = await Promise.allSettled([search(query(1)), search(query(2)), search(query(3))])
  expect(first).toEqual({ status: 'fulfilled', value: result(1) })
  expect(refused).toEqual({ status: 'rejected', reason: new Error('too many clauses') })
  expect(last).toEqual({ status: 'fulfilled', value: result(3) })
})

it('tells all of a failed call, and goes on with the next', async () => {
  let down = true
  const { search } = createIndexBatch({
    async search(queries) {
      if (down) throw new IndexUnavailable('down')
      return queries.map(({ tieSeed }) => result(tieSeed))
    },
  })
  const outcomes = await Promise.allSettled([search(query(1)), search(query(2))])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  down = false
  expect(await search(query(3))).toEqual(result(3))
})

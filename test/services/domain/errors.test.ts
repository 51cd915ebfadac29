import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UnfitServers } from '../../../infra/analytics/clickhouse/cluster/topology.ts'
import { DifferentClusters } from '../../../infra/product-index/elasticsearch/one-cluster.ts'
import { errorCodes, fieldProblem, lastWords, Problem } from '../../../services/domain/errors.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/errors.md'), 'utf8')
const documented = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| ([^|]+?) \| ([^|]+?) \|$/gm)].map(
  ([, code, status, title, advice]) => ({ code, status: Number(status), title, advice }),
)

describe('docs/errors.md', () => {
  it('lists the codes of the program, no more and no fewer, in its order', () => {
    const known = Object.entries(errorCodes).map(([code, { status, title }]) => ({ code, status, title }))
    expect(documented.map(({ advice: _advice, ...rest }) => rest)).toEqual(known)
  })

  it('says for each what to do', () => {
    for (const { code, advice } of documented) expect(advice?.length, code).toBeGreaterThan(20)
  })

  it('has an example that the program could have answered', () => {
    const example = JSON.parse(page.match(/```json\n([\s\S]*?)```/)![1]!)
    expect(fieldProblem(example.code, example.errors).toJSON()).toEqual(example)
  })
})

describe('a problem', () => {
  it('has the status and title of its code, and errors only where there are any', () => {
    expect(new Problem('NOT_FOUND', 'no such shop').toJSON()).toEqual({
      type: 'urn:endcap:error:not-found',
      title: 'The resource does not exist',
      status: 404,
      code: 'NOT_FOUND',
      detail: 'no such shop',
    })
  })

  it('of many fields lists the first hundred, and names five of them in its detail', () => {
    const errors = Array.from({ length: 101 }, (_, i) => ({ path: `/${i}`, message: 'is required' }))
    const problem = fieldProblem('INVALID', errors)
    expect(problem.errors).toEqual(errors.slice(0, 100))
    expect(problem.message).toBe('/0: is required; /1: is required; /2: is required; /3: is required; /4: is required')
  })

  it('of the whole body calls it by its name', () => {
    expect(fieldProblem('INVALID', [{ path: '/', message: 'has no lines' }]).message).toBe('The body has no lines')
  })
})

describe('an error that ends the process', () => {
  it('is shown to the operator as a sentence when it says what to change, also when it comes from another thread', () => {
    expect(lastWords(new UnfitServers('CLICKHOUSE_CLUSTER must be set'))).toBe('CLICKHOUSE_CLUSTER must be set\n')
    const refused = new DifferentClusters('ELASTICSEARCH_URL must name nodes of one cluster')
    const withoutItsClass = Object.assign(new Error(refused.message), { ...refused })
    expect(lastWords(withoutItsClass)).toBe('ELASTICSEARCH_URL must name nodes of one cluster\n')
  })

  it('is shown with its stack otherwise', () => {
    const fault = new TypeError('x is undefined')
    expect(lastWords(fault)).toBe(`${fault.stack}\n`)
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '../../infra/metrics/metrics.ts'
import { createRequestMetrics } from '../../infra/metrics/requests.ts'

const root = join(import.meta.dirname, '../..')
const RULES = join(root, 'infra/metrics/alerts.yaml')
interface Rule {
  alert: string
  expr: string
}
const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const metricsIn = (text: string) =>
  new Set(text.match(/\bendcap_[a-z_]+/g)?.map((name) => name.replace(/_(bucket|count|sum)$/, '')))

describe('infra/metrics/alerts.yaml', () => {
  it('has an alert on each metric of docs/operating.md, and on no other', () => {
    const table = readFileSync(join(root, 'docs/operating.md'), 'utf8')
      .match(/^\| `endcap_.*$/gm)!
      .join('\n')
    expect(metricsIn(rules.map(({ expr }) => expr).join('\n'))).toEqual(metricsIn(table))
  })

  it('watches counters whose series exist before anything happens, so that it sees their first increase', async () => {
    const requests = createRequestMetrics(null)
    requests.routeAdded({ method: 'POST', route: '/v1/ev/batch' })
    const { body } = await createMetrics(null, async () => [await requests.values()]).render()
    const exported = body.split('\n').filter((line) => line.endsWith(' 0'))
    const counters = rules.flatMap(({ expr }) => expr.match(/endcap_[a-z_]+_total(\{[^}]*\})?/g) ?? [])
    expect(counters.length).toBeGreaterThan(0)
    for (const counter of counters) {
      const [name, label = ''] = counter.replace(/\{\w+!=.*\}/, '').split(/[{}]/)
      expect(
        exported.filter((line) => line.startsWith(name!) && line.includes(label)),
        counter,
      ).not.toEqual([])
    }
  })
})

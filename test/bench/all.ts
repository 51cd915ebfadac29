/**
 * Runs all benchmarks in turn, each in its own process: `make bench [DATA=folder] [ONLY='cost/cost start']`. Those in `engines/`
 * need the real engines, which `make bench` starts; `search/two-nodes` starts a cluster of its own. Those in `relevance/` need real
 * data: DATA is a folder with `icecat/` and `orders/`. Figures that have a goal are written to docs/benchmarks.md.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addresses } from '../engines/addresses.ts'
import { writeBenchmarks } from './summary/benchmarks.ts'
import { FIGURES_FILE, takeFigures } from './summary/figure.ts'
import { paceMs } from './summary/pace.ts'
import type { MeasuredFigure } from './summary/page.ts'

interface Measure {
  script: string
  args?: string[]
  env?: Record<string, string>
}

const realEngines = {
  KAFKA_BROKERS: addresses.kafkaBrokers.join(','),
  CLICKHOUSE_URL: addresses.clickhouseUrl,
  ELASTICSEARCH_URL: addresses.elasticsearchUrl,
  REDIS_URL: addresses.redisUrl,
}
const data = process.argv[2]
const measures: Measure[] = [
  ...[
    'selection/selection',
    'selection/algorithms',
    'selection/busy',
    'selection/display',
    'search/large-shop',
    'search/many-shops',
    'search/two-nodes',
    'cost/cost',
    'intake/intake',
    'streams/sink',
    'streams/low-load',
    'streams/attribution',
    'streams/signals-turn',
    'streams/import',
    'streams/attribution-turn',
    'streams/attribution-changes',
    'streams/indexer',
    'reports/reports',
    'reports/sales',
    'feed',
    'registry',
    'start',
    'thread',
    'intake/stall',
    'streams/invalid-traffic',
    'engines/judge',
    'judging/recount',
    'engines/counters',
    'cost/soak',
    'cost/workers',
    'cost/roles',
  ].map((script) => ({ script })),
  ...['selection/selection', 'streams/indexer'].map((script) => ({ script, env: realEngines })),
  ...['log', 'hot-partition', 'intake', 'judge', 'sink', 'index', 'freshness', 'pipeline'].map((name) => ({
    script: `engines/${name}`,
    env: realEngines,
  })),
  { script: 'engines/counters', args: ['200000', '3'] },
  { script: 'streams/attribution', args: ['2000000', '1'] },
  { script: 'streams/signals-turn', args: ['4000000', '10'] },
  { script: 'judging/recount', env: realEngines },
  { script: 'registry', env: { KAFKA_BROKERS: realEngines.KAFKA_BROKERS } },
  ...(data
    ? [
        { script: 'relevance/ndcg', args: [join(data, 'icecat')] },
        { script: 'relevance/ndcg', args: [join(data, 'icecat')], env: realEngines },
        { script: 'relevance/cross-validation', args: [join(data, 'icecat')] },
        { script: 'relevance/also-bought', args: [join(data, 'orders')] },
        { script: 'search/text-search', args: [join(data, 'icecat')] },
        { script: 'search/text-search', args: [join(data, 'icecat'), '5'] },
        { script: 'selection/main-job', args: [join(data, 'icecat')] },
      ]
    : []),
]

const only = process.env.ONLY?.split(/\s+/).filter((script) => script !== '') ?? []
const unknown = only.filter((script) => !measures.some((measure) => measure.script === script))
if (unknown.length > 0) throw new Error(`ONLY names no measure: ${unknown.join(', ')}`)
const chosen = measures.filter(({ script }) => only.length === 0 || only.includes(script))

const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const figures = join(folder, 'figures')
const found: MeasuredFigure[] = []
const failed: string[] = []
for (const { script, args = [], env } of chosen) {
  const name = [script, ...(env ? ['on real engines'] : [])].join(' ')
  console.log(`\n== ${name}`)
  const paceBefore = paceMs()
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${script}.ts`), ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env, [FIGURES_FILE]: figures },
  })
  if (status !== 0) failed.push(name)
  const pace = (paceBefore + paceMs()) / 2
  found.push(...takeFigures(figures).map((figure) => ({ ...figure, paceMs: pace })))
}
console.log(`\n${writeBenchmarks(found)}`)
rmSync(folder, { recursive: true })
if (failed.length > 0) {
  console.error(`did not finish: ${failed.join(', ')}`)
  process.exit(1)
}

/**
 * Every measure in turn, each in a process of its own: `make bench [DATA=folder]`. Those of `engines/` need the real
 * engines, which `make bench` starts. Relevance needs real data: DATA names a folder with `icecat/` and `orders/`.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { addresses } from '../engines/addresses.ts'

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
    'cost/cost',
    'intake/intake',
    'streams/sink',
    'streams/low-load',
    'streams/attribution',
    'streams/signals-turn',
    'streams/attribution-turn',
    'streams/indexer',
    'feed',
    'registry',
    'start',
    'thread',
    'intake/stall',
    'streams/invalid-traffic',
    'engines/judge',
    'judging/recount',
    'engines/counters',
  ].map((script) => ({ script })),
  ...['selection/selection', 'streams/indexer'].map((script) => ({ script, env: realEngines })),
  ...['log', 'hot-partition', 'intake', 'judge', 'sink', 'index', 'freshness', 'pipeline'].map((name) => ({
    script: `engines/${name}`,
    env: realEngines,
  })),
  { script: 'judging/recount', env: realEngines },
  { script: 'registry', env: { KAFKA_BROKERS: realEngines.KAFKA_BROKERS } },
  ...(data
    ? [
        { script: 'relevance/ndcg', args: [join(data, 'icecat')] },
        { script: 'relevance/ndcg', args: [join(data, 'icecat')], env: realEngines },
        { script: 'relevance/cross-validation', args: [join(data, 'icecat')] },
        { script: 'relevance/also-bought', args: [join(data, 'orders')] },
        { script: 'selection/text-search', args: [join(data, 'icecat')] },
        { script: 'selection/text-search', args: [join(data, 'icecat'), '5'] },
        { script: 'selection/main-job', args: [join(data, 'icecat')] },
      ]
    : []),
]

const failed: string[] = []
for (const { script, args = [], env } of measures) {
  const name = [script, ...(env ? ['on real engines'] : [])].join(' ')
  console.log(`\n== ${name}`)
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${script}.ts`), ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  if (status !== 0) failed.push(name)
}
if (failed.length > 0) {
  console.error(`did not finish: ${failed.join(', ')}`)
  process.exit(1)
}

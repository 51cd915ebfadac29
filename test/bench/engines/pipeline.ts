/**
 * The complete path of an event at rising load: HTTP, Kafka, judge, ClickHouse, with one process of `intake`, one of `streams` and
 * the real engines, all on one machine. Each rate is held for a while; then the time is taken until every acknowledged event has
 * its row. Ends at the first rate that it cannot keep up with, and says what was saturated.
 *
 *     node test/bench/engines/pipeline.ts [seconds of each rate] [rate ...]
 */
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createClient } from '@clickhouse/client'
import { sequence } from '../../../services/demo/sequence.ts'
import { addresses, testNamespace } from '../../engines/addresses.ts'
import { removeNamespace, settingsIn } from '../../engines/namespace.ts'
import { percentile, startProgram } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'
import { engineProcess } from '../engine-process.ts'
import { openBudgetShop } from './budget-shop.ts'
import type { PipelineLoad, PipelineSent } from './pipeline.load.ts'

const SECONDS = Number(process.argv[2] ?? 15)
const RATES = process.argv.slice(3).map(Number)
const RATES_BY_DEFAULT = [1_000, 2_000, 5_000, 10_000, 20_000]
const CAMPAIGNS = 200
/** Keeps all campaigns within budget: an event over budget is less work. */
const BUDGET_FACTOR = 1_000_000
const BATCH_EVENTS = 20
/** A rate is not kept up with when rows come later than this after the last event. */
const BEHIND_MAX_MS = 5_000
const DRAIN_TIMEOUT_MS = 300_000
const TICKS_PER_SECOND = 100

const namespace = testNamespace()
const secret = randomBytes(32).toString('base64url')
const env = { ...settingsIn(namespace), SHOW_ID_KEYS: `1:${secret}`, TRUSTED_PROXIES: 'loopback' }
const start = (roles: string) => startProgram({ env: { ...env, ROLES: roles } })
const office = await start('registry,selection')
const [intake, streams] = await Promise.all([start('intake'), start('streams')])
const shop = await openBudgetShop(office, { campaigns: CAMPAIGNS, random: sequence(7).next, factor: BUDGET_FACTOR })
const clickhouse = createClient({ url: addresses.clickhouseUrl, database: namespace })

/** Process ids by the name of the part. */
const parts: Record<string, number> = {
  intake: intake.process.pid!,
  streams: streams.process.pid!,
  ...Object.fromEntries(['kafka', 'clickhouse', 'redis'].map((engine) => [engine, engineProcess(engine)])),
}

let stored = 0
const rows: object[] = []
for (const rate of RATES.length > 0 ? RATES : RATES_BY_DEFAULT) {
  const { row, behindMs } = await hold(rate)
  rows.push(row)
  if (behindMs > BEHIND_MAX_MS) break
}
console.table(rows)
await Promise.all([office, intake, streams].map((each) => each.stop()))
await clickhouse.close()
await removeNamespace(namespace)
process.exit(0)

async function hold(eventsPerSecond: number) {
  const driver = fork(new URL('./pipeline.load.ts', import.meta.url))
  const { shopId, campaigns } = shop
  const load = { url: intake.url, secret, shopId, campaigns, eventsPerSecond, batchEvents: BATCH_EVENTS }
  driver.send({ ...load, seconds: SECONDS } satisfies PipelineLoad)
  await once(driver, 'message')
  const before = cpuSeconds(parts)
  const startedAt = performance.now()
  driver.send('go')
  const [sent] = (await once(driver, 'message')) as [PipelineSent]
  const seconds = (performance.now() - startedAt) / 1_000
  const atEnd = cpuSeconds(parts)
  const endedAt = performance.now()
  stored += sent.acknowledged
  await waitFor(async () => (await rowsStored()) >= stored, DRAIN_TIMEOUT_MS)
  const behindMs = performance.now() - endedAt
  const drained = cpuSeconds(parts)
  const cores = (name: string) => ((atEnd[name]! - before[name]!) / seconds).toFixed(2)
  const micros = (name: string) => Math.round(((drained[name]! - before[name]!) / sent.acknowledged) * 1e6)
  const row = {
    'events/s': eventsPerSecond,
    acknowledged: Math.round(sent.acknowledged / sent.seconds),
    refused: sent.refused,
    'p99 ms': Math.round(percentile(sent.latenciesMs, 0.99)),
    'behind s': (behindMs / 1_000).toFixed(1),
    ...Object.fromEntries(Object.keys(parts).map((name) => [name, `${cores(name)} / ${micros(name)}`])),
  }
  console.log(row)
  return { row, behindMs }
}

async function rowsStored(): Promise<number> {
  const result = await clickhouse.query({ query: 'SELECT count() AS rows FROM judged_events', format: 'JSONEachRow' })
  return Number((await result.json<{ rows: string }>())[0]!.rows)
}

/** The processor time of each process so far, including all its threads. */
function cpuSeconds(processes: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(processes).map(([name, id]) => {
      const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]!.split(' ')
      return [name, (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND]
    }),
  )
}

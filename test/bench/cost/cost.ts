/**
 * What shops do all day, and what it costs: processor time by part of the program at 10, 100 and 500 visits a second, and while
 * nothing happens. A visit is an ad request for two units, of four searched and two similar products, whose ads are reported as
 * viewed one by one; some are clicked, some of those bought. Everything is embedded, all roles run in one process, and the
 * shoppers in another.
 *
 *     node test/bench/cost/cost.ts [seconds of each rate] [visits per second …]
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { startProgram } from '../../program.ts'
import { openMarket } from './market.ts'
import type { Visited, Visits } from './shoppers.load.ts'
import { parts, threadTimes, usedBetween } from './threads.ts'

const SECONDS = Number(process.argv[2] ?? 10)
const RATES = process.argv.slice(3).map(Number)
const RATES_BY_DEFAULT = [10, 100, 500]
const PRODUCTS = 19_406
/** For what the load has left behind: rows on their way, merges. */
const SETTLE_MS = 5_000
const WARM_UP = { visitsPerSecond: 50, seconds: 5 }
const GOALS = 'Goals at 100 visits/s: 0.5 of a core, p50 3 ms and p99 15 ms of ad requests; idle 0.01 of a core.'

const program = await startProgram()
const pid = program.process.pid!
try {
  const market = await openMarket(program, PRODUCTS)
  await visit({ ...market, ...WARM_UP })
  await sleep(SETTLE_MS)
  const idle = await spent(() => sleep(SECONDS * 1_000))
  const runs = []
  for (const visitsPerSecond of RATES.length > 0 ? RATES : RATES_BY_DEFAULT) {
    runs.push(await spent(() => visit({ ...market, visitsPerSecond, seconds: SECONDS })))
    await sleep(SETTLE_MS)
  }

  console.log(`\nCores, by part; ${SECONDS} s each; ${PRODUCTS} products. ${GOALS}`)
  console.table([
    { 'visits/s': 0, ...rounded(perSecond(idle)) },
    ...runs.map((run) => ({ 'visits/s': Math.round(run.result.adRequests / run.seconds), ...rounded(perSecond(run)) })),
  ])
  console.log('\nMicroseconds of processor time, by part, for each ad request and event')
  console.table(
    runs.map((run) => {
      const { adRequests, events } = run.result
      const each = (seconds: number) => Math.round((seconds * 1e6) / (adRequests + events))
      return { 'ad requests': adRequests, events, ...mapped(withAll(run.used), each) }
    }),
  )
  console.log('\nAnswers, milliseconds from when they were due')
  console.table(runs.map(({ result }) => result))
  console.log('memory, MB', program.memoryMb())
} finally {
  await program.stop()
}

async function visit(visits: Omit<Visits, 'url'>): Promise<Visited> {
  const shoppers = fork(new URL('./shoppers.load.ts', import.meta.url))
  shoppers.send({ ...visits, url: program.url } satisfies Visits)
  const [visited] = (await once(shoppers, 'message')) as [Visited]
  return visited
}

/** What the program spends until `work` has ended, in seconds by part. */
async function spent<T>(work: () => Promise<T>) {
  const before = threadTimes(pid)
  const startedAt = performance.now()
  const result = await work()
  const seconds = (performance.now() - startedAt) / 1_000
  return { result, seconds, used: usedBetween(before, threadTimes(pid)) }
}

function withAll(used: Record<string, number>): Record<string, number> {
  return { ...used, all: parts.reduce((sum, part) => sum + used[part]!, 0) }
}

function perSecond({ used, seconds }: { used: Record<string, number>; seconds: number }): Record<string, number> {
  return mapped(withAll(used), (each) => each / seconds)
}

function rounded(values: Record<string, number>): Record<string, number> {
  return mapped(values, (value) => Math.round(value * 1_000) / 1_000)
}

function mapped(values: Record<string, number>, to: (value: number) => number): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]))
}

/**
 * What a shop's usual traffic costs: processor time by part of the program while idle, at 10, 100 and 500 visits a second while nobody
 * reads a report, and at 100 while somebody does. Pages are all different, and at 100 and 500 visits also drawn by Zipf. A visit is an ad request for two units, with four searched and two similar products.
 * Its ads are reported as viewed one by one; some are clicked, and some of those products are bought. All engines are embedded and all
 * roles run in one process; the shoppers run in another, and visit a bare Fastify server, too, which answers with the same bytes. One run
 * measures threads. Another run, at 100 visits a second, measures parts
 * of the source with a profiler.
 *
 *     node test/bench/cost/cost.ts [seconds of each rate] [visits per second …]
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { must, type Program, startProgram } from '../../program.ts'
import { reportFigure } from '../summary/figure.ts'
import { type Market, openMarket } from './market.ts'
import { secondsByPart } from './profile.ts'
import type { Visited } from './shoppers.load.ts'
import { parts, threadTimes, usedBetween } from './threads.ts'
import { visit, WARM_UP } from './visit.ts'

/** By default, rows are stored three times while nobody reads: each time that the oldest is ten seconds old. */
const SECONDS = Number(process.argv[2] ?? 32)
const RATES = process.argv.slice(3).map(Number)
const RATES_BY_DEFAULT = [10, 100, 500]
const POPULAR_RATES = [100, 500]
const READ_RATE = 100
const READ_EVERY_MS = 5_000
const PROFILED_RATE = 100
const PRODUCTS = 19_406
const DAY_MS = 86_400_000
/** Lets the work that a load has left behind finish, such as rows not stored yet and merges. */
const SETTLE_MS = 12_000
/** The longer nothing changes, the less often ClickHouse checks its tables: idle time is measured after this pause. */
const IDLE_AFTER_MS = 60_000
const GOALS: Record<number, { cores?: number; p50Ms?: number; p99Ms: number; memoryMb?: number }> = {
  100: { cores: 0.5, p50Ms: 3, p99Ms: 15, memoryMb: 700 },
  500: { p99Ms: 50 },
}

interface Run {
  visitsPerSecond: number
  pages: 'all different' | 'by Zipf'
  run: Awaited<ReturnType<typeof spent<Visited>>>
  memoryMb: number
}

await measureThreads()
await measureSources()

async function measureThreads(): Promise<void> {
  const program = await startProgram()
  const { url } = program
  const pid = program.process.pid!
  try {
    const market = await openMarket(program, PRODUCTS)
    await visit({ url, ...market, ...WARM_UP })
    await sleep(IDLE_AFTER_MS)
    const idle = await spent(pid, () => sleep(SECONDS * 1_000))
    const runs: Run[] = []
    const measure = async (visitsPerSecond: number, pages: Run['pages'] = 'all different') => {
      const bodies = pages === 'by Zipf' ? market.popularBodies : market.bodies
      const shoppers = `at-${visitsPerSecond}-${runs.length}`
      const run = await spent(pid, () =>
        visit({ url, shopId: market.shopId, bodies, shoppers, visitsPerSecond, seconds: SECONDS }),
      )
      await sleep(SETTLE_MS)
      runs.push({ visitsPerSecond, pages, run, memoryMb: program.memoryMb().now })
      return run
    }
    for (const visitsPerSecond of RATES.length > 0 ? RATES : RATES_BY_DEFAULT) await measure(visitsPerSecond)
    if (RATES.length === 0) for (const visitsPerSecond of POPULAR_RATES) await measure(visitsPerSecond, 'by Zipf')
    const whileRead = await reading(program, market, () => measure(READ_RATE))
    const bare = await visitBare(await anAnswer(url, market), market)
    console.log(`\nCores, by thread; ${SECONDS} s each; ${PRODUCTS} products`)
    const cores = (run: Omit<typeof idle, 'result'>) =>
      mapped(withAll(run.used), (seconds) => Math.round((1_000 * seconds) / run.seconds) / 1_000)
    console.table([
      { 'visits/s': 0, ...cores(idle) },
      ...runs.map(({ pages, run }) => {
        return { 'visits/s': Math.round(run.result.adRequests / run.seconds), pages, ...cores(run) }
      }),
    ])
    console.log('\nMicroseconds of processor time, by thread, for each ad request and event')
    console.table(
      runs.map(({ run: { result, used } }) => ({ ...counts(result), ...microsEach(withAll(used), result) })),
    )
    console.log('\nAnswers, milliseconds from when they were due')
    console.table(runs.map(({ pages, run }) => ({ pages, ...run.result })))
    console.log('\nA bare server: cores, and answers in milliseconds from when they were due')
    console.table(bare)
    console.log('\nMemory after them, MB')
    console.table(
      runs.map(({ visitsPerSecond, pages, memoryMb }) => ({ 'visits/s': visitsPerSecond, pages, memoryMb })),
    )
    const coresOf = ({ used, seconds }: Omit<typeof idle, 'result'>) => withAll(used).all! / seconds
    reportFigure({ measure: 'Idle', value: coresOf(idle), unit: 'cores', goal: { atMost: 0.01 } })
    const read = { measure: `${READ_RATE} visits/s while somebody reads reports`, unit: 'cores' }
    reportFigure({ ...read, value: coresOf(whileRead), goal: { atMost: GOALS[READ_RATE]!.cores! } })
    for (const { visitsPerSecond, pages, run, memoryMb } of runs.filter((each) => each.run !== whileRead)) {
      const goal = GOALS[visitsPerSecond]
      if (goal === undefined) continue
      const at = `${visitsPerSecond} visits/s${pages === 'by Zipf' ? ', pages by Zipf' : ''}`
      const { adP50Ms, adP99Ms } = run.result
      if (goal.cores) reportFigure({ measure: at, value: coresOf(run), unit: 'cores', goal: { atMost: goal.cores } })
      if (goal.p50Ms) {
        reportFigure({ measure: `Ad requests at ${at}: p50`, value: adP50Ms, unit: 'ms', goal: { atMost: goal.p50Ms } })
      }
      reportFigure({ measure: `Ad requests at ${at}: p99`, value: adP99Ms, unit: 'ms', goal: { atMost: goal.p99Ms } })
      const memory = { measure: `Memory after ${at}`, value: memoryMb, unit: 'MB' }
      if (goal.memoryMb && pages === 'all different') reportFigure({ ...memory, goal: { atMost: goal.memoryMb } })
    }
  } finally {
    await program.stop()
  }
}

/** Does something while a report is read again and again. */
async function reading<T>(program: Program, { shopId }: Market, work: () => Promise<T>): Promise<T> {
  const days = {
    from: new Date().toISOString().slice(0, 10),
    to: new Date(Date.now() + DAY_MS).toISOString().slice(0, 10),
  }
  const query = new URLSearchParams({ shopId, ...days, groupBy: 'campaign', metrics: 'views,clicks,spend,revenue' })
  const read = () => must(program.call('GET', `/v1/panel/reports?${query}`))
  await read()
  let last: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    last = last.then(read)
  }, READ_EVERY_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await last
  }
}

async function anAnswer(url: string, { bodies }: Market): Promise<string> {
  const headers = { 'content-type': 'application/json', cid: 'an-answer' }
  const response = await fetch(`${url}/v1/dsa/raw/batch`, { method: 'POST', headers, body: bodies[0]! })
  return response.text()
}

/** What the same visits cost a server that does nothing. Its shoppers buy the same products again and again. */
async function visitBare(answer: string, market: Market) {
  const server = fork(new URL('./bare.load.ts', import.meta.url))
  server.send(answer)
  const [url] = (await once(server, 'message')) as [string]
  const load = { url, shopId: market.shopId, bodies: market.bodies }
  await visit({ ...load, ...WARM_UP })
  const measured: Record<string, number>[] = []
  for (const visitsPerSecond of RATES.length > 0 ? RATES : RATES_BY_DEFAULT) {
    const run = await spent(server.pid!, () => visit({ ...load, shoppers: 'bare', visitsPerSecond, seconds: SECONDS }))
    const { adP50Ms, adP99Ms, eventP50Ms, eventP99Ms } = run.result
    const cores = Math.round((1_000 * withAll(run.used).all!) / run.seconds) / 1_000
    measured.push({ 'visits/s': visitsPerSecond, cores, adP50Ms, adP99Ms, eventP50Ms, eventP99Ms })
  }
  server.disconnect()
  return measured
}

async function measureSources(): Promise<void> {
  const profiles = await mkdtemp(join(tmpdir(), 'cost-'))
  const env = { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` }
  const program = await startProgram({ env, fromSources: true })
  const ended = once(program.process, 'exit')
  try {
    const market: Market = await openMarket(program, PRODUCTS)
    await visit({ url: program.url, ...market, ...WARM_UP })
    const begunAt = performance.now()
    const load = { url: program.url, ...market, shoppers: 'profiled', visitsPerSecond: PROFILED_RATE, seconds: SECONDS }
    const visited = await visit(load)
    const doneAt = performance.now()
    await program.stop()
    await ended
    const endedAt = performance.now()
    const window = { from: 1_000 * (endedAt - begunAt), to: 1_000 * (endedAt - doneAt) }
    console.log(
      `\nMicroseconds in JavaScript, waits for the disk included, by part of the source, for each of them at ${PROFILED_RATE} visits/s`,
    )
    console.table([{ ...counts(visited), ...microsEach(secondsByPart(profiles, window), visited) }])
  } finally {
    await program.stop()
    await rm(profiles, { recursive: true })
  }
}

/** Measures what the program uses until `work` has ended, in seconds by thread. */
async function spent<T>(pid: number, work: () => Promise<T>) {
  const before = threadTimes(pid)
  const startedAt = performance.now()
  const result = await work()
  const seconds = (performance.now() - startedAt) / 1_000
  return { result, seconds, used: usedBetween(before, threadTimes(pid)) }
}

function counts({ adRequests, events }: Visited) {
  return { 'ad requests': adRequests, events }
}

function microsEach(seconds: Record<string, number>, { adRequests, events }: Visited): Record<string, number> {
  return mapped(seconds, (each) => Math.round((each * 1e6) / (adRequests + events)))
}

function withAll(used: Record<string, number>): Record<string, number> {
  return { ...used, all: parts.reduce((sum, part) => sum + used[part]!, 0) }
}

function mapped(values: Record<string, number>, to: (value: number) => number): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]))
}

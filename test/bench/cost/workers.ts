/**
 * What a visit costs, and how long an ad request takes, when several threads serve HTTP (`WORKERS`) instead of one. Visits are
 * those of `cost.ts`; all engines are embedded, and the shoppers run in another process. Measures the threads of all parts, and the
 * memory.
 *
 *     node test/bench/cost/workers.ts [seconds of each rate] [workers …]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startProgram } from '../../program.ts'
import { reportFigure } from '../summary/figure.ts'
import { openMarket } from './market.ts'
import { threadTimes, usedBetween } from './threads.ts'
import { visit, WARM_UP } from './visit.ts'

const SECONDS = Number(process.argv[2] ?? 15)
const OTHERS = process.argv.slice(3).map(Number)
const WORKERS = [1, ...(OTHERS.length > 0 ? OTHERS : [2])]
const RATES = [100, 300]
const PRODUCTS = 19_406
const SETTLE_MS = 5_000

/** Milliseconds of processor time, by rate, for each number of workers. */
const costs: Record<number, Record<number, number>> = {}
const rows: object[] = []
for (const workers of WORKERS) {
  const program = await startProgram({ env: { WORKERS: String(workers) } })
  const pid = program.process.pid!
  const ofWorkers: Record<number, number> = {}
  try {
    const market = await openMarket(program, PRODUCTS)
    const load = { url: program.url, ...market }
    await visit({ ...load, ...WARM_UP })
    await sleep(SETTLE_MS)
    for (const visitsPerSecond of RATES) {
      const before = threadTimes(pid)
      const visited = await visit({ ...load, shoppers: `at-${visitsPerSecond}`, visitsPerSecond, seconds: SECONDS })
      const used = usedBetween(before, threadTimes(pid))
      const seconds = Object.values(used).reduce((sum, each) => sum + each, 0)
      ofWorkers[visitsPerSecond] = (1_000 * seconds) / visited.adRequests
      rows.push({
        workers,
        'visits/s': visitsPerSecond,
        'ms of CPU a visit': round(ofWorkers[visitsPerSecond]!),
        'of it HTTP': round((1_000 * used.main!) / visited.adRequests),
        ...{ 'ad p50 ms': round(visited.adP50Ms), 'ad p99 ms': round(visited.adP99Ms), failed: visited.failed },
        MB: program.memoryMb().now,
      })
      await sleep(SETTLE_MS)
    }
  } finally {
    await program.stop()
  }
  costs[workers] = ofWorkers
}
console.table(rows)
for (const workers of WORKERS.slice(1)) {
  for (const rate of RATES) {
    reportFigure({
      measure: `CPU a visit at ${rate} visits/s with ${workers} workers`,
      value: costs[workers]![rate]! / costs[1]![rate]!,
      unit: 'of that with one',
      goal: { atMost: 1.05 },
    })
  }
}

function round(value: number): number {
  return Math.round(100 * value) / 100
}

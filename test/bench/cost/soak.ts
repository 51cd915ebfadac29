/**
 * Checks whether an hour of shoppers leaves the program as it was: memory, open files, threads and latencies, by the minute. All
 * engines are embedded, all roles run in one process, and the shoppers of `cost.ts` run in another. Each minute has new shoppers.
 *
 *     node test/bench/cost/soak.ts [minutes] [visits per second]
 */
import { globSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { percentile, startProgram } from '../../program.ts'
import { reportFigure } from '../summary/figure.ts'
import { openMarket } from './market.ts'
import { visit } from './visit.ts'

const MINUTES = Number(process.argv[2] ?? 60)
const VISITS_PER_SECOND = Number(process.argv[3] ?? 50)
const PRODUCTS = 19_406
/** Figures are compared from this minute on: what the first minutes load is not growth. */
const FIRST_MINUTE = 5
/** The number of minutes, at the beginning and at the end, from which medians are taken. */
const MINUTES_COMPARED = 5
if (MINUTES < FIRST_MINUTE + 2 * MINUTES_COMPARED) throw new Error(`${MINUTES} minutes are too few to compare`)

const program = await startProgram()
const pid = program.process.pid!
const countOf = (list: string) => readdirSync(`/proc/${pid}/${list}`).length
/** Folders of the parts of ClickHouse's tables, including parts that were merged into others and wait to be removed. */
const countParts = () => globSync(join(program.folder, 'analytics/store/*/*/*_*_*_*')).length
try {
  const market = await openMarket(program, PRODUCTS)
  const rows: Record<'minute' | 'memory' | 'files' | 'threads' | 'parts' | 'adP50Ms' | 'adP99Ms' | 'failed', number>[] =
    []
  for (let minute = 1; minute <= MINUTES; minute++) {
    const shoppers = { shoppers: `minute-${minute}`, visitsPerSecond: VISITS_PER_SECOND, seconds: 60 }
    const { adP50Ms, adP99Ms, failed } = await visit({ url: program.url, ...market, ...shoppers })
    const row = { minute, memory: program.memoryMb().now, files: countOf('fd'), threads: countOf('task') }
    rows.push({ ...row, parts: countParts(), adP50Ms, adP99Ms, failed })
    console.log(JSON.stringify(rows.at(-1)))
  }
  const early = rows.slice(FIRST_MINUTE - 1, FIRST_MINUTE - 1 + MINUTES_COMPARED)
  const late = rows.slice(-MINUTES_COMPARED)
  for (const [figure, atMost] of [
    ['memory', 1.1],
    ['files', 1.1],
    ['threads', 1.1],
    ['parts', 1.5],
    ['adP99Ms', 1.5],
  ] as const) {
    const median = (of: typeof rows) =>
      percentile(
        of.map((row) => row[figure]),
        0.5,
      )
    reportFigure({
      measure: `${figure} after ${MINUTES} minutes of ${VISITS_PER_SECOND} visits/s`,
      ...{ value: median(late) / median(early), unit: `of minute ${FIRST_MINUTE}`, goal: { atMost } },
    })
  }
  if (rows.some(({ failed }) => failed > 0)) throw new Error('requests failed')
} finally {
  await program.stop()
}

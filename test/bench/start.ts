/**
 * What a start costs, measured from outside: the time until the process is ready, and its processor time and resident memory at
 * that point. Medians of several starts with compiled code in the cache, and the first start without.
 *
 *     node test/bench/start.ts [starts] [data folder]
 *
 * Starts all roles on embedded engines with an empty folder, or with a copy of the data folder.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { percentile, startProgram } from '../program.ts'
import { reportFigure } from './summary/figure.ts'

const MS_PER_TICK = 10
const STARTS = Number(process.argv[2] ?? 5)
const data = process.argv[3]
const compiled = mkdtempSync(join(tmpdir(), 'endcap-compiled-'))

/** User and system time of a process, including threads that have ended. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
}

async function measureStart() {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-start-'))
  if (data) cpSync(data, folder, { recursive: true })
  const startedAt = performance.now()
  const program = await startProgram({ folder, env: { NODE_COMPILE_CACHE: compiled } })
  const elapsed = Math.round(performance.now() - startedAt)
  const measured = { elapsed, cpu: cpuMs(program.process.pid!), memory: program.memoryMb().now }
  await program.stop()
  return measured
}

const first = await measureStart()
const later = await Array.fromAsync({ length: STARTS }, measureStart)
rmSync(compiled, { recursive: true })
const median = (of: keyof typeof first) =>
  percentile(
    later.map((each) => each[of]),
    0.5,
  )
reportFigure({
  measure: 'A start with compiled code at hand',
  ...{ value: median('cpu') / 1_000, unit: 's of CPU', goal: { atMost: 1.5 } },
})
console.table({
  'nothing compiled': { 'until ready, ms': first.elapsed, 'processor time, ms': first.cpu, 'memory, MB': first.memory },
  'compiled code at hand': {
    'until ready, ms': median('elapsed'),
    'processor time, ms': median('cpu'),
    'memory, MB': median('memory'),
  },
})

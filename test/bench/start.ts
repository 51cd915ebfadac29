/**
 * What a start costs from outside: processor time and resident memory of the process when it is ready, medians of several starts with
 * compiled code at hand, and the first without.
 *
 *     node test/bench/start.ts [starts] [data folder]
 *
 * All roles on embedded engines and an empty folder, or a copy of the data folder.
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

/** User and system time of a process and of all its threads, those that have ended too. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
}

async function measureStart() {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-start-'))
  if (data) cpSync(data, folder, { recursive: true })
  const program = await startProgram({ folder, env: { NODE_COMPILE_CACHE: compiled } })
  const measured = { cpu: cpuMs(program.process.pid!), memory: program.memoryMb().now }
  await program.stop()
  return measured
}

const first = await measureStart()
const later = await Array.fromAsync({ length: STARTS }, measureStart)
rmSync(compiled, { recursive: true })
reportFigure({
  measure: 'A start with compiled code at hand',
  value:
    percentile(
      later.map(({ cpu }) => cpu),
      0.5,
    ) / 1_000,
  ...{ unit: 's of CPU', goal: { atMost: 1.5 } },
})
console.table({
  'nothing compiled': { 'processor time, ms': first.cpu, 'memory, MB': first.memory },
  'compiled code at hand': {
    'processor time, ms': percentile(
      later.map(({ cpu }) => cpu),
      0.5,
    ),
    'memory, MB': percentile(
      later.map(({ memory }) => memory),
      0.5,
    ),
  },
})

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { benchmarksPage, type DatedFigure, type MeasuredFigure, updated } from './page.ts'

const DOCS = join(import.meta.dirname, '../../../docs')
const PAGE = join(DOCS, 'benchmarks.md')
/** The figures of the page. Figures of another machine are not kept. */
const FIGURES = join(DOCS, 'benchmarks.json')
const GB = 2 ** 30

interface Benchmarks {
  machine: string
  figures: DatedFigure[]
}

/** Adds new figures to `docs/benchmarks.md`. @returns the page. */
export function writeBenchmarks(found: readonly MeasuredFigure[]): string {
  const now = { day: new Date().toISOString().slice(0, 10), commit: commit() }
  const machine = `${cpus().length} × ${cpus()[0]!.model.trim()}, ${Math.round(totalmem() / GB)} GB, Node ${process.versions.node}`
  const known = existsSync(FIGURES) ? (JSON.parse(readFileSync(FIGURES, 'utf8')) as Benchmarks) : null
  const dated = found.map((figure) => ({ ...figure, ...now }))
  const figures = updated(known?.machine === machine ? known.figures : [], dated)
  writeFileSync(FIGURES, `${JSON.stringify({ machine, figures } satisfies Benchmarks, null, 2)}\n`)
  const page = benchmarksPage(figures, machine)
  writeFileSync(PAGE, page)
  return page
}

const commit = () => execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()

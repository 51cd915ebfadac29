import { type Figure, goalText, isMet, numberText } from './figure.ts'

export interface MeasuredFigure extends Figure {
  /** How fast the machine was at the time, see `paceMs`; missing when it was not recorded. */
  paceMs?: number
}

/** A figure with the day (`2026-01-31`) and the short commit on which it was measured. */
export interface DatedFigure extends MeasuredFigure {
  day: string
  commit: string
}

const HEAD = ['Measure', 'Found', 'Unit', 'Goal', '', 'Pace', 'Measured on']
const INTRODUCTION = [
  '# Benchmarks',
  '',
  '`make bench` writes this page: every figure that has a goal, as it was last measured on this machine, with the driver beside the',
  'program on the same processors. Ratios are to a baseline in the same run. What a measure does is said at the head of its file in',
  '`test/bench`, and each prints more than stands here.',
  '',
  'The processors are shared with other machines, and are at times twice as slow as at others. *Pace* is the processor time of a fixed piece',
  'of work before and after the measure, in milliseconds: of two figures that are no ratios, the one with the higher pace was measured on a slower machine.',
].join('\n')

/** The text of `docs/benchmarks.md`, in the order of `figures`. */
export function benchmarksPage(figures: readonly DatedFigure[], machine: string): string {
  const rows = figures.map((figure) => [
    figure.measure,
    numberText(figure.value),
    figure.unit,
    goalText(figure),
    isMet(figure) ? 'met' : '**missed**',
    figure.paceMs === undefined ? '' : numberText(figure.paceMs),
    `${figure.day}, ${figure.commit}`,
  ])
  const met = figures.filter(isMet).length
  const lines = [HEAD, HEAD.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return `${INTRODUCTION}\n\nMachine: ${machine}. ${met} of ${figures.length} goals are met.\n\n${lines.join('\n')}\n`
}

/** `known` with the new figures: one of the same measure replaces the old one in its place, others are added at the end. */
export function updated(known: readonly DatedFigure[], found: readonly DatedFigure[]): DatedFigure[] {
  const byMeasure = new Map(known.map((figure) => [figure.measure, figure]))
  for (const figure of found) byMeasure.set(figure.measure, figure)
  return [...byMeasure.values()]
}

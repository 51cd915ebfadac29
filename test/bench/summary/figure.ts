import { appendFileSync, readFileSync, rmSync } from 'node:fs'

/** What a benchmark measured, and its goal. */
export interface Figure {
  /** What was measured and where, in words that distinguish it from every other figure. */
  measure: string
  value: number
  /** `ms`, `events/s`, …; for a ratio, what it is relative to. */
  unit: string
  goal: { atMost: number } | { atLeast: number }
}

/** The environment variable with the file to which each figure is added as a line of JSON. Without it, figures are only printed. */
export const FIGURES_FILE = 'BENCH_FIGURES'

export function isMet({ value, goal }: Figure): boolean {
  return 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast
}

export function goalText({ goal }: Figure): string {
  return 'atMost' in goal ? `at most ${numberText(goal.atMost)}` : `at least ${numberText(goal.atLeast)}`
}

/** Formats three digits: more are not repeatable. */
export function numberText(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

/** Prints a figure with its goal, and adds it to the summary of `make bench`. */
export function reportFigure(figure: Figure): void {
  const { measure, value, unit } = figure
  if (!Number.isFinite(value)) throw new RangeError(`${measure}: ${value} is no figure`)
  console.log(`${isMet(figure) ? 'met   ' : 'missed'}  ${measure}: ${numberText(value)} ${unit}, ${goalText(figure)}`)
  const file = process.env[FIGURES_FILE]
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}

/** Reads the figures that a benchmark has added to a file, and empties the file. */
export function takeFigures(file: string): Figure[] {
  const lines = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n')
  rmSync(file)
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Figure)
}

import { appendFileSync, readFileSync, rmSync } from 'node:fs'

/** What a measure found, beside what it should be. */
export interface Figure {
  /** What was measured and where, in words that tell it from every other figure. */
  measure: string
  value: number
  /** `ms`, `events/s`, …; a ratio says to what. */
  unit: string
  goal: { atMost: number } | { atLeast: number }
}

/** The file that takes a line of JSON for each figure; without it, figures are only printed. */
export const FIGURES_FILE = 'BENCH_FIGURES'

export function isMet({ value, goal }: Figure): boolean {
  return 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast
}

export function goalText({ goal }: Figure): string {
  return 'atMost' in goal ? `at most ${numberText(goal.atMost)}` : `at least ${numberText(goal.atLeast)}`
}

/** Three digits are all that a repeated measure keeps. */
export function numberText(value: number): string {
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

/** Prints a figure beside its goal, and adds it to the summary that `make bench` makes. */
export function reportFigure(figure: Figure): void {
  const { measure, value, unit } = figure
  if (!Number.isFinite(value)) throw new RangeError(`${measure}: ${value} is no figure`)
  console.log(`${isMet(figure) ? 'met   ' : 'missed'}  ${measure}: ${numberText(value)} ${unit}, ${goalText(figure)}`)
  const file = process.env[FIGURES_FILE]
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}

/** The figures that a measure has added to a file, which is empty then. */
export function takeFigures(file: string): Figure[] {
  const lines = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n')
  rmSync(file)
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Figure)
}

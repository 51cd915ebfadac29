import { extent, nice, ticks } from 'd3-array'

export interface ChartLine {
  label: string
  /** One for each point; null where there is no figure. */
  values: readonly (number | null)[]
  /** The values of an earlier period, drawn dotted in the colour of the line. */
  before?: readonly (number | null)[]
  format: (value: number) => string
  /** `end`: the line belongs to the second axis. */
  axis?: 'start' | 'end'
}

export interface ChartAxis {
  /** What the axis measures; shown when there are two axes. */
  title: string
  format: (value: number) => string
}

const TICKS = 4
/** The width of a character of an axis label, and the gap next to it. */
const CHARACTER_PX = 6.6
const GAP_PX = 12

const PADDING = { top: 12, bottom: 24 }
/** With two axes, their titles are above the chart. */
const TITLE_HEIGHT = 18

/** A vertical scale that includes zero, with round ticks. */
export interface Scale {
  y: (value: number) => number
  ticks: { value: number; text: string; y: number }[]
  /** The width of the longest tick label with a gap. */
  labelWidth: number
}

/** @param at the pixels of the scale's two ends; `from` is its lower end. */
function scaleOf(
  values: readonly (number | null)[],
  at: { from: number; to: number; format: (value: number) => string },
): Scale {
  const [least = 0, greatest = 0] = extent(values, (value) => value ?? undefined)
  const [low, high] = nice(Math.min(0, least), greatest > 0 || least < 0 ? Math.max(0, greatest) : 1, TICKS)
  const y = (value: number) => at.from + ((value - low) / (high - low)) * (at.to - at.from)
  const all = ticks(low, high, TICKS).map((value) => ({ value, text: at.format(value), y: y(value) }))
  // Fractions of a count can be written alike: keep the first tick of each text.
  const told = all.filter(({ text }, i) => all.findIndex((each) => each.text === text) === i)
  return { y, ticks: told, labelWidth: Math.max(...told.map(({ text }) => text.length)) * CHARACTER_PX + GAP_PX }
}

/** Spreads points evenly. A single point is in the middle. */
function xPositions(count: number, left: number, right: number): number[] {
  if (count === 1) return [(left + right) / 2]
  const inset = Math.min(24, (right - left) / count / 2)
  const step = (right - left - 2 * inset) / (count - 1)
  return Array.from({ length: count }, (_, i) => left + inset + i * step)
}

interface PlotInput {
  points: readonly string[]
  lines: readonly ChartLine[]
  axes: readonly ChartAxis[]
  /** Pixels. */
  height: number
  width: number
}

/** Where every part of a chart is drawn, in pixels. */
export interface Plot {
  xs: number[]
  /** One scale for each axis. */
  scales: Scale[]
  /** The edges of the area with the lines. */
  left: number
  right: number
  top: number
  bottom: number
}

export function plotOf(of: PlotInput): Plot {
  const { points, lines, axes, height, width } = of
  const top = PADDING.top + (axes.length > 1 ? TITLE_HEIGHT : 0)
  const bottom = height - PADDING.bottom
  const scales = axes.map(({ format }, axis) => {
    const own = lines.filter((each) => (each.axis === 'end' ? 1 : 0) === axis)
    const values = own.flatMap(({ values: now, before = [] }) => [...now, ...before])
    return scaleOf(values, { from: bottom, to: top, format })
  })
  const left = scales[0]!.labelWidth
  const right = Math.max(left + 1, width - (scales[1]?.labelWidth ?? 10))
  return { xs: xPositions(points.length, left, right), scales, left, right, top, bottom }
}

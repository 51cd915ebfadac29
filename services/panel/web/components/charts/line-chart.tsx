import { useElementSize } from '@mantine/hooks'
import { bisectCenter } from 'd3-array'
import {
  line as pathOf,
  type SymbolType,
  symbol,
  symbolCircle,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
} from 'd3-shape'
import { type PointerEvent, useId, useMemo, useState } from 'react'
import classes from './line-chart.module.css'
import { type ChartAxis, type ChartLine, type Plot, plotOf, type Scale } from './plot.ts'

export interface LineChartProps {
  /** What the chart shows. The figures themselves should be in a table next to it. */
  label: string
  /** The names of the points, from left to right. */
  points: readonly string[]
  /** At most five. */
  lines: readonly ChartLine[]
  axes: readonly [ChartAxis] | readonly [ChartAxis, ChartAxis]
  /** Pixels, without the legend. */
  height: number
  /** The name of the dotted lines: 'Previous period'. */
  beforeLabel?: string | undefined
  /** Says that the last point's day or hour is not over: 'Today until 14:05'. Its part is drawn dashed, on hatching. */
  partialLabel?: string | undefined
}

/** Lines differ by colour and by sign, for people who cannot see the colours. */
const SIGNS: readonly SymbolType[] = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolStar]
const SIGN_AREA = 38
const SIGN_GAP_PX = 44

const colorOf = (i: number) => `var(--chart-${i % SIGNS.length})`
const movedTo = (x: number, y: number) => `translate(${x},${y})`
const signOf = (i: number) => symbol(SIGNS[i % SIGNS.length]!, SIGN_AREA)() ?? ''

/** Lines over time, with one or two axes. */
export function LineChart(props: LineChartProps) {
  const { label, points, lines, axes, height, beforeLabel, partialLabel } = props
  const { ref, width } = useElementSize()
  const [at, setAt] = useState<number | null>(null)
  const hatching = useId()
  const plot = useMemo(() => plotOf({ points, lines, axes, height, width }), [points, lines, axes, height, width])
  const { xs, left, right, top, bottom } = plot
  const follow = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) =>
    setAt(xs.length === 0 ? null : bisectCenter(xs, clientX - currentTarget.getBoundingClientRect().left))
  const shownAt = at !== null && at < xs.length ? at : null
  const last = points.length - 1
  const hatched = `url(#${hatching})`
  const partialFrom = last > 0 ? (xs[last]! + xs[last - 1]!) / 2 : left
  return (
    <div className={classes.chart}>
      <div ref={ref} className={classes.frame} style={{ height }}>
        {width > 0 && (
          <svg
            role="img"
            aria-label={label}
            width={width}
            height={height}
            onPointerMove={follow}
            onPointerDown={follow}
            onPointerLeave={() => setAt(null)}
          >
            <defs>
              <pattern id={hatching} width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <line x1="0" y1="0" x2="0" y2="7" className={classes.hatch} />
              </pattern>
            </defs>
            {partialLabel !== undefined && (
              <rect x={partialFrom} y={top} width={right - partialFrom} height={bottom - top} fill={hatched} />
            )}
            <Axes plot={plot} axes={axes} points={points} />
            {shownAt !== null && (
              <line x1={xs[shownAt]} x2={xs[shownAt]} y1={top} y2={bottom} className={classes.cursor} />
            )}
            {lines.map((each, i) => (
              <Line
                key={each.label}
                line={each}
                index={i}
                xs={xs}
                scale={plot.scales[each.axis === 'end' ? 1 : 0]!}
                isPartial={partialLabel !== undefined}
              />
            ))}
          </svg>
        )}
        {shownAt !== null && (
          <div
            className={classes.tooltip}
            style={xs[shownAt]! > width / 2 ? { right: width - xs[shownAt]! + 12 } : { left: xs[shownAt]! + 12 }}
          >
            <strong>{shownAt === last && partialLabel !== undefined ? partialLabel : points[shownAt]}</strong>
            {lines.map(({ label: name, values, before, format }, i) => (
              <div key={name} className={classes.reading}>
                <Key index={i} />
                <span>{name}</span>
                <span className={classes.figure}>{textOf(values[shownAt], format)}</span>
                {before && (
                  <span className={classes.before}>{`${beforeLabel} ${textOf(before[shownAt], format)}`}</span>
                )}
              </div>
            ))}
          </div>
        )}
      </div>
      <Legend lines={lines} beforeLabel={beforeLabel} partialLabel={partialLabel} />
    </div>
  )
}

const textOf = (value: number | null | undefined, format: ChartLine['format']) => (value == null ? '–' : format(value))

function Axes({ plot, axes, points }: { plot: Plot; axes: LineChartProps['axes']; points: readonly string[] }) {
  const { xs, scales, left, right, bottom } = plot
  const [start, end] = scales as [Scale, Scale | undefined]
  const longest = Math.max(...points.map(({ length }) => length), 1)
  const step = Math.ceil((points.length * (longest * 7 + 22)) / Math.max(1, right - left))
  return (
    <g className={classes.axis}>
      {start.ticks.map(({ value, text, y }) => (
        <g key={value}>
          <line x1={left} x2={right} y1={y} y2={y} className={classes.grid} />
          <text x={left - 6} y={y} dy="0.32em" textAnchor="end">
            {text}
          </text>
        </g>
      ))}
      {end?.ticks.map(({ value, text, y }) => (
        <text key={value} x={right + 6} y={y} dy="0.32em">
          {text}
        </text>
      ))}
      {end && (
        <>
          <text x={0} y={12} className={classes.title}>
            {axes[0].title}
          </text>
          <text x="100%" y={12} textAnchor="end" className={classes.title}>
            {axes[1]?.title}
          </text>
        </>
      )}
      {points.map((name, i) =>
        i % step === 0 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: names of hours may repeat
          <text key={i} x={xs[i]} y={bottom + 17} textAnchor="middle">
            {name}
          </text>
        ) : null,
      )}
    </g>
  )
}

interface LineProps {
  line: ChartLine
  index: number
  xs: readonly number[]
  scale: Scale
  isPartial: boolean
}

function Line({ line: { values, before }, index, xs, scale, isPartial }: LineProps) {
  const path = (of: readonly (number | null)[], from: number, to: number) =>
    pathOf<number>()
      .defined((i) => of[i] != null)
      .x((i) => xs[i]!)
      .y((i) => scale.y(of[i]!))(Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i)) ?? ''
  const whole = isPartial ? xs.length - 1 : xs.length
  const every = Math.max(1, Math.ceil((xs.length * SIGN_GAP_PX) / Math.max(1, xs.at(-1)! - xs[0]! || 1)))
  const hasSign = (i: number) => xs.length === 1 || i === xs.length - 1 || i % every === 0
  return (
    <g className={classes.line} style={{ color: colorOf(index) }}>
      {before && <path d={path(before, 0, xs.length)} className={classes.past} />}
      <path d={path(values, 0, whole)} />
      {isPartial && <path d={path(values, whole - 1, xs.length)} className={classes.partial} />}
      {values.map((value, i) =>
        value != null && hasSign(i) ? (
          <path
            // biome-ignore lint/suspicious/noArrayIndexKey: points have nothing else
            key={i}
            d={signOf(index)}
            className={isPartial && i === xs.length - 1 ? classes.openSign : classes.sign}
            transform={movedTo(xs[i]!, scale.y(value))}
          />
        ) : null,
      )}
    </g>
  )
}

function Key({ index, kind = 'line' }: { index: number; kind?: 'line' | 'before' }) {
  return (
    <svg width="24" height="12" aria-hidden className={classes.line} style={{ color: colorOf(index) }}>
      <path d="M1,6H23" className={kind === 'before' ? classes.past : undefined} />
      {kind === 'line' && <path d={signOf(index)} className={classes.sign} transform={movedTo(12, 6)} />}
    </svg>
  )
}

function Legend({ lines, beforeLabel, partialLabel }: Pick<LineChartProps, 'lines' | 'beforeLabel' | 'partialLabel'>) {
  const hasBefore = beforeLabel !== undefined && lines.some(({ before }) => before)
  if (lines.length < 2 && !hasBefore && partialLabel === undefined) return null
  return (
    <ul className={classes.legend}>
      {lines.map(({ label }, i) => (
        <li key={label}>
          <Key index={i} />
          {label}
        </li>
      ))}
      {hasBefore && (
        <li>
          <Key index={0} kind="before" />
          {beforeLabel}
        </li>
      )}
      {partialLabel !== undefined && (
        <li>
          <span className={classes.hatched} aria-hidden />
          {partialLabel}
        </li>
      )}
    </ul>
  )
}

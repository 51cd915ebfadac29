/**
 * Even pacing over a simulated day, on the traffic of a real shop.
 *
 *     node test/bench/selection/pacing.ts [CSV file of orders, a line of each with its time; may be gzipped]
 *
 * Without a file it uses the curve of the tests. Time is simulated.
 */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { sequence } from '../../../services/demo/sequence.ts'
import { type DayOptions, largestGap, simulateDay, USUAL_DAY } from '../../services/selection/budget/pacing-day.ts'

const file = process.argv[2]
const curve = file ? await hoursOf(file) : USUAL_DAY
const cases: Record<string, Partial<DayOptions>> = {
  'as predicted': {},
  'click rates predicted 5 times too high': { misjudged: 5 },
  'click rates predicted 5 times too low': { misjudged: 0.2 },
  'twice the traffic from 10 to 12': { burst: { from: 10, to: 12, times: 2 } },
  'paused from 14 to 16': { pause: { from: 14, to: 16 } },
  'an even day believed': { believedCurve: Array(24).fill(1) },
}
const rows = []
for (const kind of ['DISPLAY', 'SPONSORED'] as const) {
  for (const [name, options] of Object.entries(cases)) {
    if (kind === 'DISPLAY' && options.misjudged !== undefined) continue
    const hours = await simulateDay({ kind, curve, random: sequence(3).next, ...options })
    const gap = largestGap(hours)
    const at = hours.find(({ ideal, spent }) => Math.abs(ideal - spent) === gap)!.hour
    const percent = (share: number) => `${(100 * share).toFixed(2)} %`
    rows.push({
      kind,
      case: name,
      'largest gap': percent(gap),
      'at the end of hour': at,
      spent: percent(hours.at(-1)!.spent),
    })
  }
}
console.log(`requests by hour: ${curve.join(' ')}`)
console.table(rows)

/** Orders by hour. Each hour has at least one, because a shop that gets no orders at night still has visits. */
async function hoursOf(path: string): Promise<number[]> {
  const counts = Array<number>(24).fill(1)
  const bytes = createReadStream(path)
  const input = path.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes
  for await (const line of createInterface({ input })) {
    const hour = /[ T](\d{1,2}):\d{2}/.exec(line)?.[1]
    if (hour !== undefined) counts[Number(hour)]!++
  }
  return counts
}

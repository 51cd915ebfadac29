/**
 * Prints what an attacker is billed, and what people lose by the default rules against invalid traffic: `node
 * test/bench/streams/invalid-traffic.ts [visits a day] [days]`. A tenth of the shoppers share one address.
 */
import { fraudFigures } from '../../streams/judge/traffic-simulation.ts'

const [visitsPerDay = 4_000, days = 2] = process.argv.slice(2).map(Number)
const { billed, ...people } = fraudFigures({ visitsPerDay, days, seed: 1 })

console.table(billed.map(({ name, ...row }) => ({ attack: name, ...row })))
console.table(
  Object.entries(people).map(([of, { clicks, lost, share }]) => ({
    of,
    clicks,
    lost,
    share: `${(share * 100).toFixed(2)} %`,
  })),
)

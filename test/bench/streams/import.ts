/**
 * How soon ALSO_BOUGHT reflects a shop's imported history: 200,000 orders of a year (or another number, by argument) in one call to
 * a running program with embedded engines. Measured from the import's answer until the lists reflect the newest orders, which are
 * at the end of the file.
 *
 *     node test/bench/streams/import.ts [orders]
 */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Created, openShop, type Selection } from '../../journey/shop.ts'
import { must, startProgram } from '../../program.ts'
import { reportFigure } from '../summary/figure.ts'

const ORDERS = Number(process.argv[2] ?? 200_000)
const LAMPS = 20
const PRODUCTS = 5_000
const LINES_MAX = 4
/**
 * The share of orders with a lamp and the next one; and the number of orders at the end of the file that have one of a few lamps
 * and another lamp.
 */
const PAIRED_SHARE = 0.02
const NEWEST = Math.ceil(ORDERS * 0.02)
const ASKED = 5
const YEAR_MS = 365 * 86_400_000
const POLL_MS = 250
const GIVEN_UP_MS = 600_000
/** Clock ticks of the kernel per second. */
const CLOCK_TICKS = 100

const lamps = Array.from({ length: LAMPS }, (_, n) => `n${n}`)
const lamp = (n: number) => `lamp-${lamps[n % LAMPS]}`
/** A few products are in many orders. */
const anyProduct = () => `sku-${Math.floor(PRODUCTS * Math.random() ** 3)}`

function order(n: number): string {
  const others = Array.from({ length: 1 + Math.floor(Math.random() * LINES_MAX) }, anyProduct)
  const isNewest = n >= ORDERS - NEWEST
  const at = isNewest ? n % ASKED : Math.floor(Math.random() * LAMPS)
  const isPaired = isNewest || Math.random() < PAIRED_SHARE
  const paired = isPaired ? [lamp(at), lamp(at + (isNewest ? LAMPS / 2 : 1))] : []
  return JSON.stringify({
    eventId: `past-${n}`,
    currency: 'EUR',
    occurredAt: new Date(Date.now() - YEAR_MS * (1 - n / (ORDERS + 1)) - 60_000).toISOString(),
    customer: `customer-${Math.floor(Math.random() * (ORDERS / 3))}`,
    products: [...new Set([...paired, ...others])].map((shopProductId) => ({ shopProductId, price: 20, quantity: 1 })),
  })
}

const program = await startProgram()
const shop = await openShop(program, { lamps })
const { items } = await shop.get<{ items: Created[] }>(`/v1/panel/placements?shopId=${shop.shopId}`)
const unit = await shop.post<{ slotHash: string }>('/v1/panel/ad-units', {
  placementId: items[0]!.id,
  name: 'Also bought',
  algorithm: 'ALSO_BOUGHT',
})
const targeting = Array.from({ length: ASKED }, (_, n) => ({
  slotHash: unit.slotHash,
  adCount: 1,
  shopProductId: lamp(n),
}))
/** Whether the list of each lamp asked for begins with the product last bought with it. That is hardly ever a bestseller. */
async function areNewest(): Promise<boolean> {
  const { data } = await shop.post<Selection>('/v1/dsa/raw/batch', { targeting }, { cid: 'asks' })
  return data.every(({ ads }, n) => ads[0]?.shopProductId === lamp(n + LAMPS / 2))
}

/** Processor time of the program since its start. */
function cpuSeconds(): number {
  const [user, system] = readFileSync(`/proc/${program.process.pid}/stat`, 'utf8')
    .split(') ')[1]!
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) / CLOCK_TICKS
}

const history = Array.from({ length: ORDERS }, (_, n) => order(n)).join('\n')
const sentAt = performance.now()
const { accepted } = await must(
  program.call<{ accepted: number }>('POST', `/v1/panel/import/transactions?shopId=${shop.shopId}`, history, {
    'content-type': 'application/x-ndjson',
  }),
)
const answeredAt = performance.now()
const cpuBefore = cpuSeconds()
const seconds = (from: number, to = performance.now()) => Math.round((to - from) / 100) / 10
while (!(await areNewest()) && performance.now() - answeredAt < GIVEN_UP_MS) await delay(POLL_MS)
const value = seconds(answeredAt)
console.log(
  `${accepted} orders were taken in ${seconds(sentAt, answeredAt)} s; CPU since: ${(cpuSeconds() - cpuBefore).toFixed(1)} s`,
)
reportFigure({
  measure: `The newest orders of an import of ${ORDERS.toLocaleString('en')} in ALSO_BOUGHT, after its answer`,
  value,
  unit: 's',
  goal: { atMost: 30 },
})
await program.stop()

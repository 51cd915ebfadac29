/**
 * How old reports are: the time from the 202 of an event to its row in `GET /v1/panel/reports`, for a view (judged, then stored)
 * and for a purchase (stored, then attributed), while 2,000 events a second arrive on the real engines. Each probe is a view and a
 * purchase of a product that nobody else views, so that it has a row of its own.
 *
 *     node test/bench/engines/freshness.ts
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { testNamespace } from '../../engines/addresses.ts'
import { startLoad } from '../../engines/faults/world/load.ts'
import { removeNamespace, settingsIn } from '../../engines/namespace.ts'
import { type Ad, openShop, type Selection } from '../../journey/shop.ts'
import { must, percentile, startProgram } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'
import { reportFigure } from '../summary/figure.ts'

const RATE = { eventsPerSecond: 2_000, batchEvents: 100, adsPerRequest: 30 }
const PROBES = 100
const PROBE_EVERY_MS = 250
const WARM_UP_MS = 5_000
/** How often reports are read. Measured times are rounded up to the next reading. */
const LOOK_EVERY_MS = 50
const SEEN_WITHIN_MS = 60_000
const LAMPS = 40

type Kind = 'views' | 'purchases'
interface Probe {
  ad: Ad
  acknowledgedAt: number
  /** Milliseconds from the acknowledgement to the first report that has the event. */
  freshness: Partial<Record<Kind, number>>
}

const namespace = testNamespace()
const program = await startProgram({ env: settingsIn(namespace) })
const names = (count: number) => Array.from({ length: count }, (_, i) => String(i))
const budget = 1_000_000
const shop = await openShop(program, { lamps: names(LAMPS), budget })
const probed = await openShop(program, { lamps: names(PROBES), budget })
const probes: Probe[] = []
for (const name of names(PROBES)) {
  const targeting = [{ slotHash: probed.slotHash, adCount: 1, searchData: `desk lamp ${name}` }]
  const answer = await must(
    program.call<Selection>('POST', '/v1/dsa/raw/batch', { targeting }, { cid: `probe-${name}` }),
  )
  probes.push({ ad: answer.data[0]!.ads[0]!, acknowledgedAt: Number.NaN, freshness: {} })
}

const load = startLoad('bench', {
  selectionUrl: program.url,
  intakeUrl: program.url,
  shopId: shop.shopId,
  slotHash: shop.slotHash,
  ...RATE,
})
const startedAt = performance.now()
await sleep(WARM_UP_MS)
const looking = lookUntilAllSeen()
for (const [n, probe] of probes.entries()) {
  void send(probe, `probe-${n}`)
  await sleep(PROBE_EVERY_MS)
}
await looking
const { ledger, wrongAnswers } = await load.finish(SEEN_WITHIN_MS)
const seconds = (performance.now() - startedAt) / 1_000

console.log(
  `${Math.round(ledger.acknowledgedCount() / seconds)} events/s acknowledged, asked for ${RATE.eventsPerSecond}/s`,
)
console.table(
  (['views', 'purchases'] as const).map((kind) => {
    const times = probes.map(({ freshness }) => freshness[kind]!)
    const at = (share: number) => Math.round(percentile(times, share))
    return { row: kind, probes: times.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
  }),
)
for (const kind of ['views', 'purchases'] as const) {
  reportFigure({
    measure: `A report shows ${kind} at ${RATE.eventsPerSecond} events/s after: p99`,
    value:
      percentile(
        probes.map(({ freshness }) => freshness[kind]!),
        0.99,
      ) / 1_000,
    ...{ unit: 's', goal: { atMost: kind === 'views' ? 2 : 3 } },
  })
}
if (wrongAnswers.length > 0) console.error(wrongAnswers.slice(0, 5))
await program.stop()
await removeNamespace(namespace)
process.exit(wrongAnswers.length > 0 ? 1 : 0)

async function send(probe: Probe, cid: string): Promise<void> {
  const { showId, shopProductId } = probe.ad
  const products = [{ shopProductId, price: 10, quantity: 1 }]
  const purchase = { eventId: cid, cid, kind: 'PURCHASE', shopId: probed.shopId, currency: 'EUR', products }
  const events = [
    { type: 'VIEW', showId },
    { type: 'TRANSACTION', data: purchase },
  ]
  await must(program.call('POST', '/v1/ev/batch', { events }, { cid }))
  probe.acknowledgedAt = performance.now()
}

async function lookUntilAllSeen(): Promise<void> {
  const day = 86_400_000
  const at = (ms: number) => new Date(ms).toISOString()
  const path = `/v1/panel/reports?shopId=${probed.shopId}&from=${at(Date.now() - day)}&to=${at(Date.now() + day)}&groupBy=product&metrics=views,purchases`
  const byProduct = new Map(probes.map((probe) => [probe.ad.shopProductId, probe]))
  await waitFor(
    async () => {
      type Row = { product: string } & Record<Kind, number>
      const { rows } = await must(program.call<{ rows: Row[] }>('GET', path))
      const seenAt = performance.now()
      for (const row of rows) {
        const { freshness, acknowledgedAt } = byProduct.get(row.product)!
        for (const kind of ['views', 'purchases'] as const) {
          // An event that is reported before its answer arrived has age 0.
          const ageMs = seenAt > acknowledgedAt ? seenAt - acknowledgedAt : 0
          if (row[kind] > 0) freshness[kind] ??= ageMs
        }
      }
      await sleep(LOOK_EVERY_MS)
      return probes.every(({ freshness }) => freshness.views !== undefined && freshness.purchases !== undefined)
    },
    PROBES * PROBE_EVERY_MS + SEEN_WITHIN_MS,
  )
}

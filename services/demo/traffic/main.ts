import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from 'typebox'
import { metricsAddressOf, settings } from '../../../infra/config.ts'
import { Address, httpAddress, Integer, readSettings, Text } from '../../../infra/settings.ts'
import { demoCatalogue } from '../catalogue/products.ts'
import type { DemoShop } from '../load/load.ts'
import { sequence } from '../sequence.ts'
import { cpuText, startServerCpu } from './server-cpu.ts'
import { emptyTally, type Tally, type TrafficTarget, tallyText, visit } from './shopper.ts'

/** `make traffic`: sends shoppers to a running demo. RATE is in visits a second; SECONDS is the duration. */
const BAR_WIDTH = 30
const REDRAW_MS = 200
/** The limit of concurrent visits. Further visits wait. */
const UNDER_WAY_MAX = 200

const trafficSettings = Type.Object({
  RATE: Integer(1, 1_000, 10),
  SECONDS: Integer(1, 3_600, 30),
  HTTP_PORT: Integer(1, 65_535, 8080),
  PUBLIC_URL: Address('http', 'https'),
  DATA_DIR: Text('./data'),
  METRICS_HOST: settings.METRICS_HOST,
  METRICS_PORT: settings.METRICS_PORT,
})

async function main(): Promise<void> {
  const problems: string[] = []
  const { RATE: rate, SECONDS: seconds, ...server } = readSettings(trafficSettings, process.env, problems)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const adServer = server.PUBLIC_URL ?? `http://127.0.0.1:${server.HTTP_PORT}`
  const target = { adServer, ...readTarget(server.DATA_DIR) }

  const metrics = metricsAddressOf(server)
  const metricsUrl = metrics && `${httpAddress(metrics.host, metrics.port)}/metrics`

  const tally = emptyTally()
  const cpu = await startServerCpu(metricsUrl)
  await shop(target, { rate, seconds, tally })
  const cpuSeconds = await cpu(tally.requests - tally.failed)
  const cost =
    cpuSeconds === null ? `not known from ${metricsUrl ?? 'metrics, which are off'}` : cpuText(cpuSeconds, tally)
  process.stdout.write(`${summary(tally, seconds)}  server CPU   ${cost}\n`)
}

function readTarget(dataFolder: string): Omit<TrafficTarget, 'adServer'> {
  const file = join(dataFolder, 'demo.json')
  let note: DemoShop
  try {
    note = JSON.parse(readFileSync(file, 'utf8')) as DemoShop
  } catch {
    throw new Error(`${file} cannot be read: start the demo first (make run), with the same DATA_DIR.`)
  }
  const products = demoCatalogue()
  return {
    ...note,
    phrases: [
      ...new Set(products.map(({ model, brand }) => model.replace(brand, '').trim().split(' ').slice(1).join(' '))),
    ],
    categories: [...new Set(products.map(({ category }) => category))],
    productIds: products.map(({ id }) => id),
  }
}

async function shop(target: TrafficTarget, plan: { rate: number; seconds: number; tally: Tally }): Promise<void> {
  const random = sequence(Date.now())
  const startedAt = performance.now()
  const underWay = new Set<Promise<void>>()
  const total = plan.rate * plan.seconds
  const elapsed = () => (performance.now() - startedAt) / 1000
  const bar = setInterval(() => draw(elapsed(), plan), REDRAW_MS)
  for (let begun = 0; begun < total; begun++) {
    const waitMs = (begun / plan.rate - elapsed()) * 1000
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    if (underWay.size >= UNDER_WAY_MAX) await Promise.race(underWay)
    const one = visit(target, { random, tally: plan.tally }).finally(() => underWay.delete(one))
    underWay.add(one)
  }
  await Promise.all(underWay)
  clearInterval(bar)
  draw(plan.seconds, plan)
}

/** Draws the progress on one line of a terminal, over the previous one. */
function draw(elapsed: number, { seconds, tally }: { seconds: number; tally: Tally }): void {
  if (!process.stdout.isTTY) return
  const share = Math.min(1, elapsed / seconds)
  const done = Math.round(share * BAR_WIDTH)
  process.stdout.write(
    `\r${'█'.repeat(done)}${'░'.repeat(BAR_WIDTH - done)} ${Math.round(share * 100)} %  ${tallyText(tally)}\x1b[K`,
  )
}

function summary(tally: Tally, seconds: number): string {
  const sorted = Float64Array.from(tally.latencies).sort()
  const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1)
  const { visits, requests, failed, ads, banners, pageViews, views, clicks, carts, purchases } = tally
  return `

  visits       ${visits}
  requests     ${requests} (${Math.round(requests / seconds)} a second), ${failed} failed
  ads          ${ads} products, ${banners} banners
  page views   ${pageViews}
  views        ${views}
  clicks       ${clicks} (${((100 * clicks) / Math.max(views, 1)).toFixed(1)} %)
  in carts     ${carts}
  purchases    ${purchases}
  ad requests  p50 ${at(0.5)} ms, p99 ${at(0.99)} ms
`
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})

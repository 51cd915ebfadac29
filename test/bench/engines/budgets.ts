/**
 * Budgets on the real engines: 4 selection processes and 2 streams processes next to one of registry and intake, and 1,000
 * campaigns of small random budgets, half charged for clicks and half for views. People ask for ads, view 80 % of them and click
 * 5 %, seconds later, until no ads are shown any more. Then ClickHouse says how much each campaign was billed, and how much it was
 * given free.
 *
 *     node test/bench/engines/budgets.ts [--kill] [minutes at most] [campaigns]
 *
 * --kill: for three fifths of the time, every few seconds a random process is killed and started again.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@clickhouse/client'
import { connectKafkaEventLog } from '../../../infra/event-log/kafka/event-log.ts'
import { sequence } from '../../../services/demo/sequence.ts'
import { RESERVATION_MS } from '../../../services/domain/money/in-flight.ts'
import { JUDGE_GROUP } from '../../../streams/judge/recount/judged-up-to.ts'
import { createTopicLag } from '../../../streams/runtime/lag.ts'
import { addresses, testNamespace } from '../../engines/addresses.ts'
import { supervise } from '../../engines/faults/world/supervised.ts'
import { removeNamespace, settingsIn } from '../../engines/namespace.ts'
import { programPorts } from '../../free-port.ts'
import { must } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'
import { type BudgetShop, GROUPS, openBudgetShop } from './budget-shop.ts'

const VISITORS = 40
const VIEWED = 0.8
const CLICKED = 0.05
const VIEW_AFTER_MS = [500, 8_000] as const
const CLICK_AFTER_MS = [500, 4_000] as const
const ADS = 4
const KILL_EVERY_MS = 4_000
const KILLED_SHARE = 0.6
/** The run ends after this long without any ad: longer than shown ads are in flight. */
const STILL_MS = 90_000
const RETRY_MS = 200
const TIMEOUT_MS = 10_000
const kills = process.argv.includes('--kill')
const [minutesMax = 15, campaignCount = 1_000] = process.argv.filter((each) => /^\d+$/.test(each)).map(Number)

const random = sequence(7).next
const between = ([least, most]: readonly [number, number]) => least + random() * (most - least)
const namespace = testNamespace()
const folder = await mkdtemp(join(tmpdir(), 'bench-budgets-'))
const environment = {
  ...settingsIn(namespace),
  SHOW_ID_KEYS: `1:${randomBytes(32).toString('base64url')}`,
  KAFKA_SESSION_TIMEOUT_MS: '6000',
  SIGNALS_INTERVAL_SECONDS: '5',
}
const roles = ['registry,intake', ...Array(4).fill('selection'), ...Array(2).fill('streams')] as string[]
const programs = await Promise.all(
  roles.map(async (ROLES, i) => {
    const own = join(folder, String(i))
    await mkdir(own)
    const env = { ...environment, ROLES, HTTP_PORT: String(programPorts.budgets + i) }
    return supervise({ folder: own, logFile: join(folder, `${i}.log`), env })
  }),
)
for (const each of programs) each.start()
const [office] = await Promise.all(programs.map((each) => each.ready()))
const shop = await openBudgetShop(office!, { campaigns: campaignCount, random })
const log = connectKafkaEventLog({
  brokers: addresses.kafkaBrokers,
  namespace,
  clientId: 'bench',
  logger: { warn() {} },
  now: Date.now,
})
const urlOf = (i: number) => `http://127.0.0.1:${programPorts.budgets + i}`
console.log(`${campaignCount} campaigns of ${namespace}; logs in ${folder}`)

let lastShownAt = performance.now()
let shown = 0
let visits = 0
let killed = 0
let going = true
const startedAt = performance.now()
const killing = kills ? killNowAndThen() : Promise.resolve()
await Promise.all([...Array.from({ length: VISITORS }, visitAgainAndAgain), stopWhenStill()])
await killing
await Promise.all(programs.map((each) => each.ready()))
await waitFor(
  async () => (await must(office!.call<{ lagMs: number }>('GET', '/v1/panel/audit'))).lagMs === 0,
  120_000,
).catch(() => console.error('the audit still shows a lag'))
await report(shop)
await Promise.all(programs.map((each) => each.stop()))
await cleanUp()
process.exit(0)

async function visitAgainAndAgain(): Promise<void> {
  while (going) {
    const cid = randomUUID()
    const selection = urlOf(1 + Math.floor(random() * 4))
    const searchData = `lamp group${Math.floor(random() * GROUPS)}`
    const slots = [
      ['/v1/dsa/raw/batch', { slotHash: shop.sponsoredSlot, adCount: ADS, searchData }],
      ['/v1/banner/dsa/raw/batch', { slotHash: shop.displaySlot, adCount: ADS, searchData, country: 'DE' }],
    ] as const
    const ads = (await Promise.all(slots.map(([path, slot]) => adsOf(`${selection}${path}`, slot, cid)))).flat()
    visits++
    shown += ads.length
    if (ads.length > 0) lastShownAt = performance.now()
    void look(ads, cid)
    await sleep(50)
  }
}

async function adsOf(url: string, slot: object, cid: string): Promise<string[]> {
  const answer = (await post(url, { targeting: [slot] }, cid)) as { data: { ads: { showId: string }[] }[] } | null
  return answer === null ? [] : answer.data.flatMap(({ ads }) => ads.map(({ showId }) => showId))
}

/** A person views some of the ads and clicks on some of those. Each event is repeated until it is acknowledged. */
async function look(ads: readonly string[], cid: string): Promise<void> {
  const viewed = ads.filter(() => random() < VIEWED)
  const clicked = viewed.filter(() => random() < CLICKED / VIEWED)
  await sleep(between(VIEW_AFTER_MS))
  await tell(
    viewed.map((showId) => ({ type: 'VIEW', showId })),
    cid,
  )
  await sleep(between(CLICK_AFTER_MS))
  await tell(
    clicked.map((showId) => ({ type: 'CLICK', showId })),
    cid,
  )
}

async function tell(events: object[], cid: string): Promise<void> {
  if (events.length === 0) return
  while (!(await post(`${urlOf(0)}/v1/ev/batch`, { events }, cid))) await sleep(RETRY_MS)
}

/** Posts a body. Null when it was not answered with success. */
async function post(url: string, body: unknown, cid: string): Promise<unknown> {
  try {
    const headers = { 'content-type': 'application/json', cid }
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal })
    return response.ok ? await response.json() : null
  } catch {
    return null
  }
}

async function stopWhenStill(): Promise<void> {
  while (going) {
    await sleep(10_000)
    const minutes = (performance.now() - startedAt) / 60_000
    const behind = await judgeLag()
    console.log(
      `${minutes.toFixed(1)} min: ${visits} visits, ${shown} ads shown, ${killed} kills, judge ${behind} behind`,
    )
    going = performance.now() - lastShownAt < STILL_MS && minutes < minutesMax
  }
}

/** How far the judge is behind according to the log, which does not always answer under such load. */
async function judgeLag(): Promise<string> {
  try {
    const lags = await createTopicLag({ log, group: JUDGE_GROUP, topics: ['ad-events'], now: Date.now })()
    return lags.map(({ ageMs }) => (ageMs / 1000).toFixed(1)).join(' ')
  } catch (error) {
    return (error as Error).message
  }
}

async function killNowAndThen(): Promise<void> {
  const until = startedAt + KILLED_SHARE * minutesMax * 60_000
  while (going && performance.now() < until) {
    await sleep(KILL_EVERY_MS)
    await programs[Math.floor(random() * programs.length)]!.kill()
    killed++
  }
}

/** `freeInTime`: free views or clicks that came while the ad was still in flight. */
interface Billed {
  id: string
  billed: number
  free: number
  freeInTime: string
}

/** Reports from what the judge wrote, with SQL of its own. */
async function report({ campaigns }: BudgetShop): Promise<void> {
  const client = createClient({ url: addresses.clickhouseUrl, database: namespace })
  const result = await client.query({
    query: `SELECT campaignId AS id, sum(billedMicros) / 1e6 AS billed,
        sumIf(priceMicros / if(kind = 'DISPLAY', 1000, 1), verdict = 'OVER_BUDGET') / 1e6 AS free,
        countIf(verdict = 'OVER_BUDGET' AND receivedAt < emittedAt + ${RESERVATION_MS}) AS freeInTime
      FROM judged_events WHERE type = if(kind = 'DISPLAY', 'VIEW', 'CLICK') GROUP BY campaignId`,
    format: 'JSONEachRow',
  })
  const rows = new Map((await result.json<Billed>()).map((row) => [row.id, row]))
  await client.close()
  const tables = (['SPONSORED', 'DISPLAY'] as const).map((kind) => {
    const of = campaigns.filter((each) => each.kind === kind)
    const money = of.map(({ id, budget }) => ({ budget, ...(rows.get(id) ?? { billed: 0, free: 0, freeInTime: '0' }) }))
    const sum = (value: (each: (typeof money)[number]) => number) =>
      money.reduce((total, each) => total + value(each), 0)
    const budget = sum((each) => each.budget)
    const percent = (part: number) => `${((100 * part) / budget).toFixed(2)} %`
    return {
      kind,
      campaigns: of.length,
      'over budget': money.filter((each) => each.billed > each.budget + 1e-9).length,
      budget: budget.toFixed(2),
      billed: percent(sum((each) => each.billed)),
      'free over-delivery': percent(sum((each) => each.free)),
      'campaigns that gave away': money.filter((each) => each.free > 0).length,
      'given away in time': sum((each) => Number(each.freeInTime)),
      'under-delivery': percent(sum((each) => each.budget - each.billed)),
      'spent over 99 %': money.filter((each) => each.billed > 0.99 * each.budget).length,
    }
  })
  console.table(tables)
  console.log(`${visits} visits, ${shown} ads shown, ${killed} processes killed`)
}

async function cleanUp(): Promise<void> {
  await removeNamespace(namespace)
  await rm(folder, { recursive: true, force: true })
}

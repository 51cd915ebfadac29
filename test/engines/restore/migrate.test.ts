import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateKafka } from '../../../infra/event-log/kafka/migrate.ts'
import { answersOfClosed, CLOSING, type ClosedMonth, closeMonth } from '../../journey/closed-month.ts'
import { type Ad, type JourneyShop, openShop } from '../../journey/shop.ts'
import { must, type Program, startProgram } from '../../program.ts'
import { onceAnswered, waitFor } from '../../wait-for.ts'
import { addresses, testNamespace } from '../addresses.ts'
import { removeKafkaNamespace } from '../event-log/kafka-tools.ts'
import { removeNamespace, settingsIn } from '../namespace.ts'
import { type Ended, runToEnd } from './scripts.ts'

/** An embedded installation moves to real engines, and there gives the same answers as before. */

const namespace = testNamespace()
const keys = `1:${randomBytes(32).toString('base64url')}`
const settings = {
  SHOW_ID_KEYS: keys,
  SESSION_KEYS: keys,
  SELECTION_DEADLINE_MS: '5000',
  ...CLOSING,
}
const engines = (of: string) => ({ ...settingsIn(of), KAFKA_SESSION_TIMEOUT_MS: '6000' })
/** Settings for embedded engines, even if the test's environment names real ones. */
const embedded = Object.fromEntries([...Object.keys(engines(namespace)), 'KAFKA_PARTITIONS'].map((key) => [key, '']))
const DAY_MS = 86_400_000
const STARTED_AT = Date.now()
const SHOPPERS = 6
/** How long it may take until Kafka has forgotten a killed member of a group. */
const FORGOTTEN_MAX_MS = 60_000
const AGAIN_AFTER_MS = 2_000

/** What a start on the old folder ends with. */
const refused = { code: 1, output: expect.stringMatching(/^DATA_DIR: make migrate has copied the log .*\n$/) }

let folder: string
let program: Program
let shop: JourneyShop
let closed: ClosedMonth

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-migrate-'))
  program = await startProgram({ folder, env: { ...settings, ...embedded } })
  shop = await openShop({ call: <T>(...call: Parameters<Program['call']>) => program.call<T>(...call) })
  for (let shopper = 0; shopper < SHOPPERS; shopper++) await visit(`shopper-${shopper}`)
  const lines = [{ shopProductId: 'lamp-red', quantity: 1 }]
  await settled(SHOPPERS)
  await shop.post('/v1/panel/transactions/shopper-0/returns', { returnId: 'return', shopId: shop.shopId, lines })
  await shop.post('/v1/panel/invalid-traffic/voids', { shopId: shop.shopId, cid: 'shopper-1', reason: 'A drill' })
})
afterAll(async () => {
  await program?.stop()
  await removeNamespace(namespace)
})

test('a program that moves to real engines answers what it answered before, however the move was interrupted', async () => {
  await waitFor(async () => {
    const { creditedBack, purchases, returnedRevenue } = await reportOf()
    return creditedBack! > 0 && purchases === SHOPPERS - 1 && returnedRevenue! > 0
  })
  await settled(SHOPPERS - 1)
  const before = await onceAnswered(answers)
  expect(await migrate()).toMatchObject({
    code: 1,
    output: expect.stringMatching(/in use by another process: stop that one first/),
  })
  await program.kill('SIGTERM')
  closed = await closeMonth(folder, shop.shopId)

  const killed = await migrate((output) => output.includes('records'))
  expect(killed.code).toBeNull()
  expect(await onceForgotten(() => runToEnd('restore-log', engines(namespace)))).toMatchObject({
    code: 1,
    output: expect.stringContaining('run `make migrate` again'),
  })
  expect(await startEmbedded()).toEqual(refused)
  const moved = await onceForgotten(() => migrate())
  expect(moved).toMatchObject({ code: 0, output: expect.stringContaining('All processes may start') })
  expect(await migrate()).toMatchObject({ code: 1, output: expect.stringContaining('already') })
  expect(await startEmbedded()).toEqual(refused)

  program = await startProgram({ folder, env: { ...settings, ...engines(namespace) } })
  await settled(SHOPPERS - 1)
  let after: unknown
  await waitFor(async () => {
    after = await answers()
    return JSON.stringify(after) === JSON.stringify(before)
  }).catch(() => {})
  expect(after).toEqual(before)
  // The log still has the rows that the embedded tables had dropped.
  const { requests } = closed
  await waitFor(async () => (await answersOfClosed(program, shop.shopId, closed)).requests === requests)
  // The index is filled from the log meanwhile, and serves once it is complete.
  const products = `/v1/panel/products?shopId=${shop.shopId}`
  await waitFor(async () => {
    const found = await get<{ items: unknown[] }>(products).catch(() => null)
    return (found?.items.length ?? 0) > 0
  })
  await visit('newcomer')
  await settled(SHOPPERS)
  expect(await get('/v1/panel/audit')).toMatchObject({ duplicates: 0, deadLetters: 0 })
})

test('a log moves to no namespace that has the topics of another installation', async () => {
  const other = testNamespace()
  const logger = { warn() {} }
  await migrateKafka({
    brokers: addresses.kafkaBrokers,
    clientId: 'test',
    namespace: other,
    replicationFactor: 1,
    logger,
  })
  await program.kill('SIGTERM')
  expect(await migrate(undefined, other)).toEqual({
    code: 1,
    output: `Kafka has topics of another installation in ${other}: name another NAMESPACE\n`,
  })
  await removeKafkaNamespace(other)
})

const get = <T = Record<string, number>>(path: string) => must(program.call<T>('GET', path))

const startEmbedded = () => runToEnd('main', { ...settings, ...embedded, DATA_DIR: folder })

async function visit(cid: string): Promise<void> {
  const post = <T>(path: string, body: unknown) => must(program.call<T>('POST', path, body, { cid }))
  let ads: Ad[] = []
  // After a move there are no paid ads until the spend has been counted in the new Redis.
  await waitFor(async () => {
    ads = await shop.askForAds(cid, 'desk lamp red', 1)
    return ads.length > 0
  })
  await post('/v1/ev/batch', { events: ['VIEW', 'CLICK'].map((type) => ({ type, showId: ads[0]!.showId })) })
  const products = [{ shopProductId: 'lamp-red', price: 20, quantity: 2 }]
  await post('/v1/ev/transaction', { eventId: cid, kind: 'PURCHASE', shopId: shop.shopId, currency: 'EUR', products })
}

async function reportOf(): Promise<Record<string, number>> {
  const range = `from=${new Date(STARTED_AT - DAY_MS).toISOString()}&to=${new Date(STARTED_AT + DAY_MS).toISOString()}`
  const metrics = 'views,clicks,grossClicks,spend,creditedBack,purchases,revenue,netRevenue,returnedRevenue'
  return (
    await get<{ totals: Record<string, number> }>(`/v1/panel/reports?shopId=${shop.shopId}&${range}&metrics=${metrics}`)
  ).totals
}

async function answers(): Promise<unknown> {
  const lists = ['accounts', 'shops', 'feeds', 'placements', 'ad-units', 'campaigns']
  return {
    registry: await Promise.all(lists.map((list) => get<unknown>(`/v1/panel/${list}`))),
    report: await reportOf(),
    credit: await Promise.all(
      ['shopper-0', 'shopper-1'].map((sale) =>
        get<unknown>(`/v1/panel/explain/attribution/${sale}?shopId=${shop.shopId}`),
      ),
    ),
  }
}

/** Waits until everything in the log is stored and credited. */
async function settled(purchases: number): Promise<void> {
  await waitFor(async () => (await reportOf()).purchases! >= purchases)
  await waitFor(async () => {
    const { logged, stored } = await get('/v1/panel/audit')
    return logged === stored
  })
}

/** Runs a command until Kafka has forgotten the members of a killed process. */
async function onceForgotten(run: () => Promise<Ended>): Promise<Ended> {
  const startedAt = Date.now()
  for (;;) {
    const ended = await run()
    if (!/Groups with members/.test(ended.output) || Date.now() - startedAt > FORGOTTEN_MAX_MS) return ended
    await delay(AGAIN_AFTER_MS)
  }
}

/** @param kill kills the process as soon as this is true of its output so far. */
function migrate(kill = (_output: string) => false, to = namespace): Promise<Ended> {
  const script = join(import.meta.dirname, '../../../services/migrate.ts')
  const env = { ...process.env, ...settings, ...engines(to), DATA_DIR: folder }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk
      if (kill(output)) child.kill('SIGKILL')
    })
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

import { randomBytes, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connectWithoutEpoch } from '../../../infra/event-log/kafka/event-log.ts'
import { topicNames } from '../../../schemas/topics.ts'
import { dateIn } from '../../date-in.ts'
import { type Ad, type JourneyShop, openShop } from '../../journey/shop.ts'
import { must, type Program, startProgram } from '../../program.ts'
import { NotYet, onceAnswered } from '../../wait-for.ts'
import { readAll } from '../event-log/copier.ts'
import { type ClusterName, type MirroredClusters, startClusters } from './clusters.ts'
import { type Ended, runToEnd } from './scripts.ts'
import { judgedIn, verdictsOf } from './verdicts.ts'

/**
 * What MirrorMaker 2 itself makes of a log, with the settings of docs/restore.md. The program works on a first cluster, MirrorMaker
 * is killed and restarted meanwhile, and then the first cluster is lost. `drill.test.ts` has the cases in between.
 */

const NAMESPACE = 'endcap'
const SHOPPERS = 12
/** The number of shoppers after which MirrorMaker is killed. */
const KILLED_AFTER = 6
const WAIT = { timeout: 90_000, interval: 200 }
/** For waits that read both clusters from end to end. */
const WAIT_FOR_COPY = { ...WAIT, interval: 1_000 }
const keys = `1:${randomBytes(32).toString('base64url')}`

interface Shopper {
  cid: string
  ad: Ad
}

let clusters: MirroredClusters
let program: Program
let shop: JourneyShop
let known: Shopper
let late: Shopper
let before: unknown
let verdictsBefore: Map<string, string[]>
let unrestored: Ended
let restored: Ended

const settingsOf = (name: ClusterName) => ({
  NAMESPACE,
  KAFKA_BROKERS: clusters.addressOf(name),
  // The other engines are embedded, even if the test's environment names real ones.
  ...{ CLICKHOUSE_URL: '', ELASTICSEARCH_URL: '', REDIS_URL: '' },
  // Few partitions: each is copied separately, and read from end to end again and again.
  KAFKA_PARTITIONS: '4',
  SHOW_ID_KEYS: keys,
  SESSION_KEYS: keys,
  // Ads must not be left out because an answer comes late.
  SELECTION_DEADLINE_MS: '5000',
})

beforeAll(async () => {
  clusters = await startClusters(NAMESPACE)
  // The program creates its topics before MirrorMaker looks for topics, which it does only every ten minutes.
  program = await startProgram({ env: settingsOf('first') })
  await clusters.startMirror()
  shop = await openShop(program, { lamps: ['red'] })
  const shoppers = await showAds(SHOPPERS)
  known = shoppers[0]!
  late = shoppers.pop()!
  for (const [at, shopper] of shoppers.entries()) {
    if (at === KILLED_AFTER) await restartMirror()
    await act('view-event', shopper)
    await act('click-event', shopper)
  }
  await buy(known, 'order')
  await vi.waitFor(
    async () => expect(await answers()).toMatchObject({ totals: { clicks: SHOPPERS - 1, purchases: 1 } }),
    WAIT,
  )
  before = await onceAnswered(answers)
  verdictsBefore = verdictsOf(await judgedIn(settingsOf('first')))
  await vi.waitFor(async () => expect(await recordsOf('second')).toEqual(await recordsOf('first')), WAIT_FOR_COPY)

  await clusters.killMirror()
  await program.kill('SIGKILL')
  await clusters.kill('first')
  await rm(program.folder, { recursive: true })
  unrestored = await runToEnd('main', settingsOf('second'))
  restored = await runToEnd('restore-log', settingsOf('second'))
  program = await startProgram({ env: settingsOf('second') })
})
afterAll(async () => {
  await program?.stop()
  await clusters?.remove()
})

test('a mirror is refused until it was restored', () => {
  expect(unrestored.code).toBe(1)
  expect(unrestored.output).toMatch(/Run `make restore-log` first/)
  expect(restored.output).toMatch(/The log is in epoch 1/)
  expect(restored.code).toBe(0)
})

test('reports and credit are as before, and each event has the verdict that it had, once', async () => {
  await vi.waitFor(async () => expect(await answers()).toEqual(before), WAIT)
  expect(verdictsOf(await judgedIn(settingsOf('second')))).toEqual(verdictsBefore)
})

test('what was billed before is a repetition, and what is new counts', async () => {
  await act('click-event', known)
  await act('click-event', late)
  await vi.waitFor(async () => expect(await answers()).toMatchObject({ totals: { clicks: SHOPPERS } }), WAIT)
  const verdicts = await vi.waitFor(async () => {
    const judged = await judgedIn(settingsOf('second'))
    const fresh = judged.filter(({ eventId }) => !verdictsBefore.has(eventId)).map(({ verdict }) => verdict)
    expect(fresh).toHaveLength(2)
    return fresh
  }, WAIT)
  expect(verdicts.sort()).toEqual(['DUPLICATE', 'VALID'])
  await vi.waitFor(async () => {
    const { logged, stored, ...audit } = await must(program.call<Record<string, number>>('GET', '/v1/panel/audit'))
    expect(audit).toMatchObject({ duplicates: 0, deadLetters: 0 })
    expect(stored).toBe(logged)
  }, WAIT)
})

/** Kills MirrorMaker in the middle of its work, as when a machine fails, and starts it again. */
async function restartMirror(): Promise<void> {
  await vi.waitFor(async () => expect(await recordsOf('second')).not.toEqual([]), WAIT)
  await clusters.killMirror()
  await clusters.startMirror()
}

/** The records of each partition, in order and with their times; empty while a cluster does not have the topics yet. */
async function recordsOf(name: ClusterName): Promise<string[]> {
  const log = connectWithoutEpoch({
    ...{ brokers: [clusters.addressOf(name)], clientId: 'drill', namespace: NAMESPACE, logger: { warn() {} } },
    now: Date.now,
  })
  try {
    const records: string[] = []
    for (const topic of topicNames) {
      for (const { partition, key, value, appendedAt } of await readAll(log, topic)) {
        records.push(`${topic}/${partition} ${appendedAt} ${key} ${value?.toString('base64')}`)
      }
    }
    return records
  } catch {
    return []
  } finally {
    await log.close()
  }
}

async function showAds(people: number): Promise<Shopper[]> {
  const shown: Shopper[] = []
  for (let i = 0; i < people; i++) {
    const cid = randomUUID()
    const [ad] = await shop.askForAds(cid, 'desk lamp', 1)
    shown.push({ cid, ad: ad! })
  }
  return shown
}

const act = (path: 'view-event' | 'click-event', { cid, ad: { showId } }: Shopper) =>
  must(program.call('POST', `/v1/dsa/${path}`, { showId }, { cid }))

async function buy({ cid, ad }: Shopper, eventId: string): Promise<void> {
  const products = [{ shopProductId: ad.shopProductId, price: ad.productPrice, quantity: 1 }]
  const order = { eventId, kind: 'PURCHASE', shopId: shop.shopId, currency: 'EUR', products }
  await shop.post('/v1/ev/transaction', order, { cid })
}

async function answers(): Promise<unknown> {
  const get = (path: string) => must(program.call<Record<string, unknown>>('GET', path))
  const metrics = 'views,clicks,spend,purchases,revenue'
  const { totals } = await get(
    `/v1/panel/reports?shopId=${shop.shopId}&from=${dateIn(-2)}&to=${dateIn(2)}&metrics=${metrics}`,
  )
  const { spent } = await get(`/v1/panel/campaigns/${shop.campaignId}`)
  const credit = await get(`/v1/panel/explain/attribution/order?shopId=${shop.shopId}`).catch((error) => {
    if (error instanceof NotYet) throw error
    return null
  })
  return { totals, spent, credit }
}

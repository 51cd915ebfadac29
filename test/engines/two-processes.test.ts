import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '@clickhouse/client'
import { Client } from '@elastic/elasticsearch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectClickHouse } from '../../infra/analytics/clickhouse/analytics.ts'
import { withErasures } from '../../infra/event-log/erasing-log.ts'
import { connectKafkaEventLog } from '../../infra/event-log/kafka/event-log.ts'
import { type Ad, type JourneyShop, openShop, type Selection } from '../journey/shop.ts'
import { must, type Program, startProgram } from '../program.ts'
import { onceAnswered, waitFor } from '../wait-for.ts'
import { addresses, removeIndices, testNamespace } from './addresses.ts'
import { removeNamespace, settingsIn } from './namespace.ts'
import { keysWith, recordsWith } from './traces-of-people.ts'

/** The whole program and a second process for selection with two threads, on the real engines. */

const REQUESTS = 200
const CAP = 3
const ADDRESS_LIMIT = 200
const LAMPS = ['red', 'green', 'blue']
const ALL_THEY_MAY_SEE = CAP * LAMPS.length
const namespace = testNamespace()
let programs: Program[]
let shop: JourneyShop

beforeAll(async () => {
  const env = {
    ...settingsIn(namespace),
    SHOW_ID_KEYS: `1:${randomBytes(32).toString('base64url')}`,
    // All requests come at once, and ads must not be left out because an answer comes late.
    SELECTION_DEADLINE_MS: '5000',
    TRUSTED_PROXIES: 'loopback',
    LIMIT_ADDRESS_REQUESTS_PER_MINUTE: String(ADDRESS_LIMIT),
  }
  const whole = await startProgram({ env })
  programs = [whole, await startProgram({ env: { ...env, ROLES: 'selection', WORKERS: '2' } })]
  shop = await openShop(whole, { lamps: LAMPS })
  await must(whole.call('PATCH', `/v1/panel/campaigns/${shop.campaignId}`, { capping: CAP }))
  // Both processes have read the change when they show nobody more than the cap.
  await waitFor(async () => {
    const counts = await Promise.all(
      programs.map(async (program) => (await shown([program], ALL_THEY_MAY_SEE + 1, randomUUID())).length),
    )
    return counts.every((count) => count === ALL_THEY_MAY_SEE)
  })
})
afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop()))
  await removeNamespace(namespace)
})

/** The ads shown to a person who sends so many requests at the same time, to these processes in turn. */
async function shown(processes: readonly Program[], requests: number, cid: string): Promise<Ad[]> {
  const targeting = [{ slotHash: shop.slotHash, adCount: 1, searchData: 'desk lamp' }]
  const answers = await Promise.all(
    Array.from({ length: requests }, (_, i) =>
      must(processes[i % processes.length]!.call<Selection>('POST', '/v1/dsa/raw/batch', { targeting }, { cid })),
    ),
  )
  return answers.flatMap(({ data }) => data[0]!.ads)
}

test('200 requests of one person at the same time show an ad no more often than its cap', async () => {
  const cid = randomUUID()
  const ads = await shown(programs, REQUESTS, cid)
  const times = LAMPS.map((lamp) => ads.filter(({ shopProductId }) => shopProductId === `lamp-${lamp}`).length)
  expect(times).toEqual(LAMPS.map(() => CAP))
  const viewed = { events: ads.map(({ showId }) => ({ type: 'VIEW', showId })) }
  await must(programs[0]!.call('POST', '/v1/ev/batch', viewed, { cid }))
  for (let again = 0; again < 5; again++) expect(await shown(programs, REQUESTS, cid)).toEqual([])
  expect(await shown(programs, 2, randomUUID())).toHaveLength(2)
})

test('what a stranger asks of one process counts in the other, by way of Redis', async () => {
  const ask = async (program: Program, address: string, count: number) => {
    const answers = await Promise.all(
      Array.from({ length: count }, () =>
        program.call('POST', '/v1/dsa/emissionInfo', { showId: 'none' }, { 'x-forwarded-for': address }),
      ),
    )
    return answers.filter(({ status }) => status === 429).length
  }
  // A process looks at what the others have let through once it has itself let through a twentieth of the limit.
  const share = ADDRESS_LIMIT / 20
  await waitFor(async () => (await ask(programs[0]!, '8.8.8.8', share)) > 0)
  let passed = 0
  await waitFor(async () => {
    const refused = await ask(programs[1]!, '8.8.8.8', share)
    passed += share - refused
    return refused > 0
  })
  expect(passed).toBeLessThan(ADDRESS_LIMIT)
  expect(await ask(programs[1]!, '9.9.9.9', share)).toBe(0)
})

/** Asks for ads until `work` has ended. @returns the statuses of the answers, and whether every answer had ads. */
async function askingFor(cid: string, work: () => Promise<unknown>) {
  const statuses = new Set<number>()
  const ended = { yet: false }
  const done = work().finally(() => {
    ended.yet = true
  })
  done.catch(() => {})
  const targeting = [{ slotHash: shop.slotHash, adCount: 1, searchData: 'desk lamp' }]
  while (!ended.yet) {
    const { status } = await programs[1]!.call('POST', '/v1/dsa/raw/batch', { targeting }, { cid })
    statuses.add(status)
    await delay(20)
  }
  await done
  return [...statuses]
}

const elasticsearch = new Client({ node: addresses.elasticsearchUrl })
afterAll(() => elasticsearch.close())
const indices = async () => Object.keys(await elasticsearch.indices.get({ index: `${namespace}-*` })).sort()

/** Runs `make rebuild` for one engine, or for everything, next to the running program. */
function rebuild(engine: string, folder: string, settings: Record<string, string> = {}) {
  const script = join(import.meta.dirname, '../../services/rebuild.ts')
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...settingsIn(namespace), ...settings, ENGINE: engine, DATA_DIR: join(folder, 'rebuild') },
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  )
  return { child, ended, said: () => output }
}

test('a lost product index is filled again from the log while ads are asked for and events come', async () => {
  const before = await shown([programs[1]!], ALL_THEY_MAY_SEE, randomUUID())
  expect(before).toHaveLength(ALL_THEY_MAY_SEE)
  const statuses = await askingFor(randomUUID(), async () => {
    await removeIndices(addresses.elasticsearchUrl, namespace)
    const event = { events: [{ type: 'VIEW', showId: before[0]!.showId }] }
    await must(programs[0]!.call('POST', '/v1/ev/batch', event, { cid: randomUUID() }))
    await waitFor(async () => (await indices()).length === 2)
    await waitFor(async () => (await shown(programs, 2, randomUUID())).length === 2)
  })
  expect(statuses).toEqual([200])
  // No process asks to be restarted, and the other streams have continued.
  await waitFor(async () => (await programs[0]!.call('GET', '/health/ready')).status === 200)
  const audit = await onceAnswered(() => must(programs[0]!.call<{ duplicates: number }>('GET', '/v1/panel/audit')))
  expect(audit.duplicates).toBe(0)
  await expect.poll(() => shown([programs[0]!], ALL_THEY_MAY_SEE, randomUUID())).toHaveLength(ALL_THEY_MAY_SEE)
})

test('make rebuild ENGINE=elasticsearch fills an index beside the one that serves, also after it was killed', async () => {
  const folder = programs[0]!.folder
  const before = await indices()
  const statuses = await askingFor(randomUUID(), async () => {
    const first = rebuild('elasticsearch', folder)
    await waitFor(async () => (await indices()).length === 4)
    first.child.kill('SIGKILL')
    await first.ended
    const second = rebuild('elasticsearch', folder)
    const { code, output } = await second.ended
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('Every projection is as it was.') })
    expect(output).toContain('the one before is removed')
  })
  expect(statuses).toEqual([200])
  const after = await indices()
  expect(after).toHaveLength(2)
  expect(after.filter((index) => before.includes(index))).toEqual([])
  const people = Array.from({ length: 3 }, () => shown(programs, ALL_THEY_MAY_SEE, randomUUID()))
  for (const ads of await Promise.all(people)) expect(ads).toHaveLength(ALL_THEY_MAY_SEE)
})

test('make rebuild of everything is refused while streams run, and changes nothing', async () => {
  const sooner = { KAFKA_SESSION_TIMEOUT_MS: '6000' }
  const { code, output } = await rebuild('', programs[1]!.folder, sooner).ended
  expect([code, output]).toEqual([1, expect.stringMatching(/^Streams are running: .*indexer/)])
  await expect.poll(() => shown([programs[1]!], ALL_THEY_MAY_SEE, randomUUID())).toHaveLength(ALL_THEY_MAY_SEE)
})

test('make rebuild ENGINE=clickhouse exchanges a table while events are stored, none lost and none twice', async () => {
  let sent = 0
  let done = false
  const events = (async () => {
    for (; !done; sent++) {
      const view = { id: randomUUID(), shopId: shop.shopId, referer: 'https://shop.example/lamps' }
      await must(programs[0]!.call('POST', '/v1/ev/page-view', view, { cid: randomUUID() }))
    }
  })()
  const runs = [await rebuild('clickhouse', programs[0]!.folder, { TABLE: 'page_views' }).ended]
  runs.push(await rebuild('clickhouse', programs[0]!.folder, { TABLE: 'page_views' }).ended)
  done = true
  await events
  for (const { code, output } of runs) {
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('Every projection is as it was.') })
  }
  const clickhouse = createClient({ url: addresses.clickhouseUrl, database: namespace })
  const figures = async () => {
    const answer = await clickhouse.query({
      query: 'SELECT count() AS rows, uniqExact(_partition, _offset) AS places FROM page_views',
      format: 'JSONEachRow',
    })
    const [{ rows, places }] = (await answer.json()) as [{ rows: unknown; places: unknown }]
    return { rows: Number(rows), places: Number(places) }
  }
  await waitFor(async () => (await figures()).places >= sent)
  expect(await figures()).toEqual({ rows: sent, places: sent })
  await clickhouse.close()
})

test('make rebuild ENGINE=redis tells when all that was judged is counted', async () => {
  const { code, output } = await rebuild('redis', programs[0]!.folder).ended
  expect({ code, output }).toEqual({
    code: 0,
    output: expect.stringMatching(/(\d+) of \1 shards of the counters are complete/),
  })
})

test('an engine or a table that is none is refused, with those that are', async () => {
  const [engine, table] = await Promise.all([
    rebuild('solr', programs[0]!.folder).ended,
    rebuild('clickhouse', programs[0]!.folder, { TABLE: 'nothing' }).ended,
  ])
  expect(engine).toEqual({
    code: 1,
    output: expect.stringContaining('ENGINE must be one of elasticsearch, clickhouse, redis'),
  })
  expect(table).toEqual({ code: 1, output: expect.stringContaining('TABLE must be one of emissions, judged_events') })
})

test('a person is erased from the tables, and shown by no reader of the topics that cannot forget at once', async () => {
  const [whole] = programs as [Program]
  const [cid, uid] = [`browser-${randomUUID()}`, `login-${randomUUID()}`]
  const [ad] = await shown([whole], 1, cid)
  const events = ['VIEW', 'CLICK'].map((type) => ({ type, showId: ad!.showId }))
  await must(whole.call('POST', '/v1/ev/batch', { events }, { cid, uid }))
  const products = [{ shopProductId: ad!.shopProductId, price: ad!.productPrice, quantity: 1 }]
  const order = { eventId: 'erased', kind: 'PURCHASE', shopId: shop.shopId, currency: 'EUR', products }
  await must(whole.call('POST', '/v1/ev/transaction', order, { cid, uid }))

  const analytics = connectClickHouse({ url: addresses.clickhouseUrl, namespace })
  const tables = [
    'emissions',
    'judged_events',
    'transactions',
    'touches',
    'links_by_uid',
    'attributed_lines',
    'credited_lines',
  ]
  const rowsWith = (text: string) =>
    Promise.all(
      tables.map(async (table) => {
        const sql = `SELECT toInt64(count()) AS rows FROM ${table} WHERE position(formatRow('JSONEachRow', *), {text:String}) > 0`
        return (await analytics.query<{ rows: number }>(sql, { text }))[0]!.rows
      }),
    )
  const credit = () =>
    analytics.query(`SELECT outcome, priceMicros FROM attributed_lines FINAL WHERE eventId = 'erased'`)
  const log = withErasures(
    connectKafkaEventLog({
      ...{ brokers: addresses.kafkaBrokers, clientId: 'test', namespace, now: Date.now },
      logger: { warn() {} },
    }),
    Date.now,
  )
  await waitFor(async () => (await rowsWith(cid)).every((rows) => rows > 0))
  // A sale may be attributed before its touches are judged, and is then attributed again.
  await expect.poll(credit).toMatchObject([{ outcome: 'CREDITED' }])
  const before = await credit()

  const erasures = await Promise.all(
    [{ cid }, { uid }].map((person) =>
      must(whole.call<{ pseudonym: string }>('POST', '/v1/panel/erasures', { shopId: shop.shopId, ...person })),
    ),
  )
  const gone = async () => (await Promise.all([cid, uid].map(rowsWith))).flat().every((rows) => rows === 0)
  await waitFor(gone)
  await waitFor(async () => (await rowsWith(erasures[0]!.pseudonym)).every((rows) => rows > 0))
  expect(await credit()).toEqual(before)
  for (const text of [cid, uid]) {
    expect(await recordsWith(log.stored, text)).toBeGreaterThan(0)
    await expect.poll(() => recordsWith(log, text)).toBe(0)
    await expect.poll(() => keysWith(namespace, text)).toEqual([])
  }
  const topic = await log.stored.read('erasures', 0, 0, 100)
  expect(topic.every(({ value }) => !value!.includes(cid) && !value!.includes(uid))).toBe(true)
  await log.close()
  await analytics.close()
})

test('they end in good order when they are told to', async () => {
  await Promise.all(programs.map((program) => program.kill('SIGTERM')))
  expect(programs.map((program) => program.process.exitCode)).toEqual([0, 0])
})

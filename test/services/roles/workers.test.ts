import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dateIn } from '../../date-in.ts'
import { type Ad, type JourneyShop, openShop, type Selection } from '../../journey/shop.ts'
import { must, type Program, startProgram } from '../../program.ts'
import { waitFor } from '../../wait-for.ts'

/** The whole program with three threads that serve HTTP. */

const WORKERS = 3
const REQUESTS = 200
const CAP = 3
const ADDRESS_LIMIT = 200
/** Longer than the half second after which threads tell each other what they have let through. */
const TOLD_AFTER_MS = 700
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const LAMPS = ['red', 'green', 'blue']
const ALL_THEY_MAY_SEE = CAP * LAMPS.length
let program: Program
let shop: JourneyShop

beforeAll(async () => {
  program = await startProgram({
    env: {
      WORKERS: String(WORKERS),
      // All requests come at once, and ads must not be left out because an answer comes late.
      SELECTION_DEADLINE_MS: '5000',
      TRUSTED_PROXIES: 'loopback',
      LIMIT_ADDRESS_REQUESTS_PER_MINUTE: String(ADDRESS_LIMIT),
    },
  })
  shop = await openShop(program, { lamps: LAMPS })
  await must(program.call('PATCH', `/v1/panel/campaigns/${shop.campaignId}`, { capping: CAP }))
  // Every thread knows of the change when none shows anybody more than the cap.
  await waitFor(async () => {
    const counts = await Promise.all(Array.from({ length: 5 }, () => shown(REQUESTS, randomUUID())))
    return counts.every((ads) => ads.length === ALL_THEY_MAY_SEE)
  })
})
afterAll(() => program.stop())

/** Sends requests on as many connections, so that each thread gets some. */
const atOnce = <T>(count: number, ask: () => Promise<T>) => Promise.all(Array.from({ length: count }, ask))

/** The ads shown to a person who sends so many requests at the same time. */
async function shown(requests: number, cid: string): Promise<Ad[]> {
  const targeting = [{ slotHash: shop.slotHash, adCount: 1, searchData: 'desk lamp' }]
  const answers = await atOnce(requests, () =>
    must(program.call<Selection>('POST', '/v1/dsa/raw/batch', { targeting }, { cid })),
  )
  return answers.flatMap(({ data }) => data[0]!.ads)
}

/** The number of sockets that listen on a port of this machine. */
function listenersOn(port: number): number {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const sockets = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  return sockets
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address, , state]) => address === local && state === '0A').length
}

it('listens with each thread on the same port, which it shares with no other program', async () => {
  const port = Number(new URL(program.url).port)
  expect(listenersOn(port)).toBe(WORKERS)
  const second = startProgram({ env: { WORKERS: '2', HTTP_PORT: String(port), LOG_LEVEL: 'silent' } })
  await expect(second).rejects.toThrow('the program ended with 1')
  expect(listenersOn(port)).toBe(WORKERS)
})

it('shows an ad no more often than its cap, and counts every request and event once', async () => {
  const before = await counted()
  const cid = randomUUID()
  const ads = await shown(REQUESTS, cid)
  const times = LAMPS.map((lamp) => ads.filter(({ shopProductId }) => shopProductId === `lamp-${lamp}`).length)
  expect(times).toEqual(LAMPS.map(() => CAP))
  await Promise.all(
    ads.map(({ showId }) =>
      must(program.call('POST', '/v1/dsa/view-event', { showId }, { cid, 'user-agent': BROWSER })),
    ),
  )
  const after = await counted()
  expect(after.requests - before.requests).toBe(REQUESTS)
  expect(after.events - before.events).toBe(ads.length)
  await waitFor(async () => {
    const period = `from=${dateIn(-1)}&to=${dateIn(2)}`
    const report = await shop.get<{ totals: { views: number } }>(
      `/v1/panel/reports?shopId=${shop.shopId}&${period}&metrics=views`,
    )
    return report.totals.views === ads.length
  })
})

async function counted() {
  const metrics = await program.metrics()
  const value = (name: RegExp) => Number(new RegExp(`^${name.source} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0)
  return {
    requests: value(/endcap_http_request_duration_seconds_count\{[^}]*route="\/v1\/dsa\/raw\/batch"[^}]*\}/),
    events: value(/endcap_events_accepted_total\{type="ad-events"\}/),
  }
}

it('counts what an address asks for over all threads', async () => {
  const ask = async (address: string, count: number) => {
    const answers = await atOnce(count, () =>
      program.call('POST', '/v1/dsa/emissionInfo', { showId: 'none' }, { 'x-forwarded-for': address }),
    )
    return answers.filter(({ status }) => status === 429).length
  }
  // Each thread gets more than a twentieth of the limit, after which it looks at what the others have let through.
  const share = ADDRESS_LIMIT / 5
  let passed = 0
  await waitFor(async () => {
    const refused = await ask('8.8.8.8', share)
    passed += share - refused
    await delay(TOLD_AFTER_MS)
    return refused > share / 2
  })
  // Without sharing, each thread would let through the full limit.
  expect(passed).toBeLessThan((WORKERS - 1) * ADDRESS_LIMIT)
  expect(await ask('9.9.9.9', share)).toBe(0)
})

it.each([
  ['GET', '/health/ready'],
  ['GET', '/docs/json'],
  ['GET', '/panel/'],
  ['GET', '/nowhere'],
  ['GET', '/%zz'],
  ['DELETE', '/v1/dsa/raw/batch'],
  ['OPTIONS', '/v1/dsa/raw/batch'],
  ['OPTIONS', '/v1/panel/shops'],
  ['GET', '/v1/panel/shops'],
  ['GET', '/v1/images/none'],
])('answers %s %s alike on every connection', async (method, path) => {
  const answers = await atOnce(30, async () => {
    const { status, body, headers } = await program.call(method, path)
    const { date: _, connection: __, 'keep-alive': ___, 'request-id': id, ...kept } = headers
    return { status, text: withoutNonces(JSON.stringify([body, kept])), hasId: id !== undefined }
  })
  for (const answer of answers) expect(answer).toEqual(answers[0])
})

/** The panel's page, if it is built, and its Content-Security-Policy contain a random nonce. */
const withoutNonces = (text: string) => text.replace(/nonce(=\\?"|-)[\w-]+/g, 'nonce')

it('finishes the requests in progress when it ends', async () => {
  const targeting = [{ slotHash: shop.slotHash, adCount: 1, searchData: 'desk lamp' }]
  const body = JSON.stringify({ targeting })
  const headers = { 'content-type': 'application/json', 'content-length': body.length, cid: randomUUID() }
  const begun = Array.from({ length: 30 }, () => {
    const sent = request(`${program.url}/v1/dsa/raw/batch`, { method: 'POST', headers, agent: false })
    sent.write(body.slice(0, 10))
    return sent
  })
  // Wait until each thread has read what was sent.
  await Promise.all(begun.map((sent) => once(sent, 'socket')))
  await must(program.call('GET', '/health/ready'))
  await delay(300)
  program.process.kill('SIGTERM')
  await delay(50)
  const statuses = await Promise.all(
    begun.map(async (sent) => {
      sent.end(body.slice(10))
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      await text(response)
      return response.statusCode
    }),
  )
  expect(statuses).toEqual(begun.map(() => 200))
  if (program.process.exitCode === null) await once(program.process, 'exit')
  expect(program.process.exitCode).toBe(0)
  expect(listenersOn(Number(new URL(program.url).port))).toBe(0)
})

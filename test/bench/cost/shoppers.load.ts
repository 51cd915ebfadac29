import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { sequence } from '../../../services/demo/sequence.ts'
import { percentile } from '../../program.ts'

/** The task of the process that simulates shoppers. */
export interface Visits {
  url: string
  /** Where events are reported; default: at `url`. */
  eventsUrl?: string
  /** Bodies of ad requests for two units. Each visit sends the next one. */
  bodies: string[]
  shopId: string
  /** The prefix of the shoppers' ids. With the same prefix, the same shoppers come back, and their purchases are repeats. */
  shoppers: string
  visitsPerSecond: number
  seconds: number
}

export interface Visited {
  adRequests: number
  /** Views, clicks and purchases, each reported by a request of its own. */
  events: number
  failed: number
  adP50Ms: number
  adP99Ms: number
  eventP50Ms: number
  eventP99Ms: number
}

interface Answer {
  data: { ads: { showId: string; shopProductId: string }[] }[]
}

const CLICKED_SHARE = 0.2
const BOUGHT_SHARE = 0.4
/** Delays between an answer and its first view event, and between two views: shoppers see one ad after the other as they scroll. */
const SEEN_AFTER_MS = 300
const NEXT_SEEN_AFTER_MS = 50
const SOCKETS_MAX = 256
const TICK_MS = 1

process.once('message', async (visits: Visits) => {
  process.send!(await visit(visits))
  process.disconnect()
})

/** Visits begin at even intervals, even if earlier answers are late. A latency counts from when its request was due. */
async function visit({
  url,
  eventsUrl = url,
  bodies,
  shopId,
  shoppers,
  visitsPerSecond,
  seconds,
}: Visits): Promise<Visited> {
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX })
  const random = sequence(visitsPerSecond).next
  const adMs: number[] = []
  const eventMs: number[] = []
  let failed = 0

  function post(at: string, body: string, cid: string, dueAt: number, latencies: number[]): Promise<string | null> {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), cid }
    return new Promise((resolve) => {
      const fail = () => {
        failed++
        resolve(null)
      }
      const sent = request(at, { method: 'POST', agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('error', fail).once('end', () => {
          if (response.statusCode! >= 300) return fail()
          latencies.push(performance.now() - dueAt)
          resolve(Buffer.concat(chunks).toString())
        })
      })
      sent.once('error', fail)
      sent.end(body)
    })
  }
  const report = (path: string, body: object, cid: string) =>
    post(`${eventsUrl}${path}`, JSON.stringify(body), cid, performance.now(), eventMs)

  async function shop(number: number, dueAt: number): Promise<void> {
    const cid = `${shoppers}-${number}`
    const answer = await post(`${url}/v1/dsa/raw/batch`, bodies[number % bodies.length]!, cid, dueAt, adMs)
    if (answer === null) return
    const ads = (JSON.parse(answer) as Answer).data.flatMap((slot) => slot.ads)
    await sleep(SEEN_AFTER_MS)
    for (const { showId } of ads) {
      await report('/v1/dsa/view-event', { showId }, cid)
      await sleep(NEXT_SEEN_AFTER_MS)
    }
    if (ads.length === 0 || random() > CLICKED_SHARE) return
    const { showId, shopProductId } = ads[Math.floor(random() * ads.length)]!
    await report('/v1/dsa/click-event', { showId }, cid)
    if (random() > BOUGHT_SHARE) return
    const products = [{ shopProductId, price: 19.99, quantity: 1 }]
    await report('/v1/ev/transaction', { eventId: cid, kind: 'PURCHASE', shopId, currency: 'EUR', products }, cid)
  }

  const startedAt = performance.now()
  const underWay: Promise<void>[] = []
  const total = visitsPerSecond * seconds
  while (underWay.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) * visitsPerSecond) / 1_000))
    while (underWay.length < due) {
      underWay.push(shop(underWay.length, startedAt + ((underWay.length + 1) * 1_000) / visitsPerSecond))
    }
    await sleep(TICK_MS)
  }
  await Promise.all(underWay)
  agent.destroy()
  const at = (latencies: number[], share: number) => Math.round(10 * percentile(latencies, share)) / 10
  return {
    adRequests: adMs.length,
    events: eventMs.length,
    failed,
    adP50Ms: at(adMs, 0.5),
    adP99Ms: at(adMs, 0.99),
    eventP50Ms: at(eventMs, 0.5),
    eventP99Ms: at(eventMs, 0.99),
  }
}

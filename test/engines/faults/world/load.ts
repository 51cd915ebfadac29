import { setTimeout as delay } from 'node:timers/promises'
import type { Ad, Selection } from '../../../journey/shop.ts'
import { Ledger, Outage } from './ledger.ts'
import { type Visit, visit } from './visit.ts'

const RETRY_PAUSE_MS = 200
const REQUEST_TIMEOUT_MS = 15_000
/** The most concurrent visits. While intake is away the load waits, like the queue of a shop's backend. */
const VISITS_MAX = 100
const SELECTION_TIMEOUT_MS = 2_000
/** After this many more views, a view is sent once more. For some views, a fault happens in between. */
const TOLD_AGAIN_AFTER = 150

export interface LoadOptions {
  selectionUrl: string
  intakeUrl: string
  shopId: string
  slotHash: string
  eventsPerSecond: number
  /** Events of one batch; at least 5 more than its views. */
  batchEvents: number
  /** Ads that are requested before each batch, and viewed in it. */
  adsPerRequest: number
}

/** What happened between `startLoad` and `finish`. */
export interface LoadResult {
  ledger: Ledger
  intakeOutageMs: number
  selectionOutageMs: number
  /** Answers that no fault may cause: other than 200, 202, or 503 with Retry-After, and refused elements. */
  wrongAnswers: string[]
}

/**
 * Simulates people who ask for ads, and whose batches are sent again with the same ids until they are acknowledged.
 * @param name the prefix of the ids of everything that is sent.
 */
export function startLoad(name: string, options: LoadOptions): { finish(timeoutMs: number): Promise<LoadResult> } {
  const { eventsPerSecond, batchEvents, shopId } = options
  const ledger = new Ledger()
  const intake = new Outage(performance.now.bind(performance))
  const selection = new Outage(performance.now.bind(performance))
  const wrongAnswers: string[] = []
  const underWay = new Set<Promise<void>>()
  let sending = true
  let givenUp = false
  let visits = 0
  const seen: Ad[] = []

  async function selectAds(cid: string): Promise<Ad[]> {
    const targeting = [{ slotHash: options.slotHash, adCount: options.adsPerRequest, searchData: 'desk lamp' }]
    const timeoutMs = SELECTION_TIMEOUT_MS
    const answer = await post(`${options.selectionUrl}/v1/dsa/raw/batch`, { targeting }, { cid, timeoutMs })
    if (!answer) return []
    if (answer.status !== 200) {
      wrongAnswers.push(`selection ${answer.status} ${JSON.stringify(answer.body)}`)
      return []
    }
    selection.good()
    return (answer.body as Selection).data[0]!.ads
  }

  /** Sends a batch until it is acknowledged. */
  async function deliver({ cid, events, names }: Visit): Promise<void> {
    ledger.sent(names)
    while (!givenUp) {
      const timeoutMs = REQUEST_TIMEOUT_MS
      const answer = await post(`${options.intakeUrl}/v1/ev/batch`, { events }, { cid, timeoutMs })
      if (answer?.status === 202) {
        intake.good()
        const { rejected } = answer.body as { rejected: unknown[] }
        if (rejected.length > 0) wrongAnswers.push(`refused ${JSON.stringify(rejected)}`)
        ledger.acknowledged(names)
        return
      }
      if (answer && (answer.status !== 503 || !answer.retryAfter))
        wrongAnswers.push(`intake ${answer.status} ${JSON.stringify(answer.body)}`)
      await delay(RETRY_PAUSE_MS)
    }
  }

  async function person(cid: string): Promise<void> {
    const ads = await selectAds(cid)
    seen.push(...ads)
    const again = seen.length > TOLD_AGAIN_AFTER ? seen.splice(0, 1) : []
    seen.splice(0, seen.length - TOLD_AGAIN_AFTER)
    await deliver(visit({ shopId, cid, ads, again, events: batchEvents, now: Date.now() }))
  }

  async function arrivals(): Promise<void> {
    const intervalMs = (1_000 * batchEvents) / eventsPerSecond
    const startedAt = performance.now()
    for (let turn = 1; sending; turn++) {
      if (underWay.size < VISITS_MAX) {
        const one = person(`${name}/${visits++}`).finally(() => underWay.delete(one))
        underWay.add(one)
      }
      await delay(Math.max(0, startedAt + turn * intervalMs - performance.now()))
    }
  }

  intake.begin()
  selection.begin()
  const arriving = arrivals()
  return {
    /** Ends the arrivals and waits until everything sent has been acknowledged, for at most `timeoutMs`. */
    async finish(timeoutMs) {
      sending = false
      await arriving
      selection.end()
      await Promise.race([Promise.all(underWay), delay(timeoutMs)])
      givenUp = true
      intake.end()
      await Promise.all(underWay)
      return { ledger, intakeOutageMs: intake.longestMs, selectionOutageMs: selection.longestMs, wrongAnswers }
    },
  }
}

/** Null when there was no answer, because the server was away, was cut off or took too long. */
async function post(url: string, body: unknown, { cid, timeoutMs }: { cid: string; timeoutMs: number }) {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cid },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const retryAfter = response.headers.get('retry-after')
    return { status: response.status, retryAfter, body: await response.json() }
  } catch {
    return null
  }
}

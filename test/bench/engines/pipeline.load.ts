import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { createShowIds } from '../../../services/domain/show-id/show-id.ts'
import { claimsOf } from '../../streams/judge/fixtures.ts'

/** The task of a process that reports events. */
export interface PipelineLoad {
  url: string
  secret: string
  shopId: string
  campaigns: { id: string; kind: 'SPONSORED' | 'DISPLAY' }[]
  eventsPerSecond: number
  batchEvents: number
  seconds: number
}

export interface PipelineSent {
  acknowledged: number
  refused: number
  seconds: number
  latenciesMs: number[]
}

const PEOPLE = 50_000
const AD_UNITS = 40
/** The most requests in flight, as in the queue of a shop's backend. */
const UNDER_WAY_MAX = 200
const TIMEOUT_MS = 10_000

/**
 * Sends views and clicks of people at public addresses, each of a different ad, at even intervals. First seals all showIds and
 * sends the message 'sealed'; starts at 'go'.
 */
async function run(load: PipelineLoad): Promise<PipelineSent> {
  const batches = batchesOf(load)
  process.send!('sealed')
  await once(process, 'message')
  const sent: PipelineSent = { acknowledged: 0, refused: 0, seconds: 0, latenciesMs: [] }
  const underWay = new Set<Promise<void>>()
  const intervalMs = (1_000 * load.batchEvents) / load.eventsPerSecond
  const startedAt = performance.now()
  for (const [turn, batch] of batches.entries()) {
    const dueAt = startedAt + turn * intervalMs
    const earlyMs = dueAt - performance.now()
    if (earlyMs > 0) await delay(earlyMs)
    while (underWay.size >= UNDER_WAY_MAX) await Promise.race(underWay)
    const one = report(load.url, batch, dueAt, sent).finally(() => underWay.delete(one))
    underWay.add(one)
  }
  await Promise.all(underWay)
  sent.seconds = (performance.now() - startedAt) / 1_000
  return sent
}

interface Batch {
  body: string
  address: string
  cid: string
  events: number
}

function batchesOf({ secret, shopId, campaigns, eventsPerSecond, batchEvents, seconds }: PipelineLoad): Batch[] {
  const showIds = createShowIds({ keys: [{ id: 1, secret: Buffer.from(secret, 'base64url') }] })
  const slotHash = randomUUID()
  const [accountId, ...adUnits] = Array.from({ length: AD_UNITS + 1 }, () => randomUUID())
  const emittedAt = Date.now()
  return Array.from({ length: Math.round((eventsPerSecond * seconds) / batchEvents) }, (_, turn) => {
    const person = (turn * 7_919) % PEOPLE
    const cid = `c0ffee00-0000-4000-8000-${String(person).padStart(12, '0')}`
    const requestId = randomUUID()
    const events = Array.from({ length: batchEvents }, (_, position) => {
      const { id: campaignId, kind } = campaigns[(turn * batchEvents + position) % campaigns.length]!
      const ad = {
        adId: `p${position}`,
        adUnitId: adUnits[turn % AD_UNITS]!,
        accountId: accountId!,
        slotHash,
        position: position + 1,
        priceMicros: 250_000,
      }
      const showId = showIds.seal(claimsOf({ shopId, campaignId, kind, cid, requestId, emittedAt, ...ad }))
      return { type: position % 10 === 9 ? 'CLICK' : 'VIEW', showId }
    })
    const address = `85.${person >> 12}.${(person >> 4) & 255}.${(person & 15) + 1}`
    return { body: JSON.stringify({ events }), address, cid, events: batchEvents }
  })
}

async function report(url: string, batch: Batch, dueAt: number, sent: PipelineSent): Promise<void> {
  const { body, address, cid, events } = batch
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
    'x-forwarded-for': address,
    cid,
  }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(`${url}/v1/ev/batch`, { method: 'POST', headers, body, signal })
    const { rejected } = (await response.json()) as { rejected: unknown[] }
    if (response.status === 202 && rejected.length === 0) sent.acknowledged += events
    else sent.refused += events
  } catch {
    sent.refused += events
  }
  sent.latenciesMs.push(performance.now() - dueAt)
}

process.once('message', async (load: PipelineLoad) => {
  process.send!(await run(load))
  process.disconnect()
})

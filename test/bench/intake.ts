/**
 * The intake beside its baselines, over the embedded log on this machine's disk:
 * single view events beside a bare Fastify that parses the same body and answers the same, and
 * batches of 1,000 view events beside appending the same encoded records straight to the log.
 */
import { fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { openEmbeddedEventLog } from '../../infra/event-log/embedded.ts'
import type { EventLog } from '../../infra/event-log/port.ts'
import { encode } from '../../schemas/codec.ts'
import { createShowIds } from '../../services/domain/show-id.ts'
import { createHttpServer } from '../../services/http.ts'
import { intakeApp } from '../../services/intake/app.ts'
import { claimsOf, eventOf, snapshotOf } from '../streams/judge.fixtures.ts'
import type { Load } from './intake.load.ts'

const SECONDS = 6
const CONNECTIONS = 64
const BATCH_EVENTS = 1_000
const BATCH_CONNECTIONS = 8
/** Each way is measured this often, in turn; the best of each counts, because the machine is shared. */
const ROUNDS = 3

const showIds = createShowIds({ keys: [{ id: 1, secret: randomBytes(32) }] })
const claims = Array.from({ length: BATCH_EVENTS }, () => {
  const ids = { requestId: randomUUID(), slotHash: randomUUID(), adUnitId: randomUUID(), accountId: randomUUID() }
  return claimsOf({ ...ids, campaignId: randomUUID(), cid: randomUUID(), uid: randomUUID() })
})
const showIdList = claims.map((each) => showIds.seal(each))
const singles = showIdList.map((showId) => JSON.stringify({ showId }))
const batches = [JSON.stringify({ events: showIdList.map((showId) => ({ type: 'VIEW', showId })) })]

interface Measured {
  perSecond: number
  failed: number
  p99Ms: number
}

async function drive(server: FastifyInstance, path: string, load: Omit<Load, 'url' | 'seconds'>): Promise<Measured> {
  await server.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}${path}`
  const child = fork(new URL('./intake.load.ts', import.meta.url))
  child.send({ ...load, url, seconds: SECONDS } satisfies Load)
  const [measured] = (await once(child, 'message')) as [Measured]
  await server.close()
  return measured
}

function bareFastify(): FastifyInstance {
  const server = Fastify({ logger: false })
  server.post('/', async (_, reply) => {
    reply.code(202)
    return { clientId: claims[0]!.cid, accepted: 1, rejected: [] }
  })
  return server
}

function intake(log: EventLog): FastifyInstance {
  const server = createHttpServer({ logger: false })
  server.register(
    intakeApp({
      log,
      metrics: { eventsTaken() {} },
      snapshot: snapshotOf({}),
      showIds,
      now: Date.now,
      uuid: randomUUID,
    }),
  )
  return server as unknown as FastifyInstance
}

/** Events a second when as many callers as there are connections append the same records, one call after the other. */
async function straightToLog(log: EventLog): Promise<Measured> {
  const records = claims.map((each) => {
    const { eventId: _, ...event } = eventOf({ type: 'VIEW', cid: each.cid, uid: each.uid }, each)
    const value = encode('AdEvent', { ...event, eventId: randomUUID() })
    return { topic: 'ad-events' as const, key: each.campaignId, value }
  })
  const from = performance.now()
  let appended = 0
  const caller = async () => {
    while (performance.now() - from < SECONDS * 1_000) {
      await log.append(records)
      appended += records.length
    }
  }
  await Promise.all(Array.from({ length: BATCH_CONNECTIONS }, caller))
  return { perSecond: appended / ((performance.now() - from) / 1_000), failed: 0, p99Ms: Number.NaN }
}

const folder = mkdtempSync(join(tmpdir(), 'bench-intake-'))
const log = await openEmbeddedEventLog({ folder })
const ways = {
  'bare Fastify': () => drive(bareFastify(), '/', { bodies: singles, connections: CONNECTIONS }),
  'single views': () => drive(intake(log), '/v1/dsa/view-event', { bodies: singles, connections: CONNECTIONS }),
  'log alone': () => straightToLog(log),
  'batches of 1,000': async () => {
    const load = { bodies: batches, connections: BATCH_CONNECTIONS }
    const measured = await drive(intake(log), '/v1/ev/batch', load)
    return { ...measured, perSecond: measured.perSecond * BATCH_EVENTS }
  },
}
const best: Record<string, Measured> = {}
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, measure] of Object.entries(ways)) {
    const measured = await measure()
    if (measured.failed > 0) throw new Error(`${name}: ${measured.failed} requests failed`)
    if (!best[name] || measured.perSecond > best[name].perSecond) best[name] = measured
  }
}
await log.close()
rmSync(folder, { recursive: true })

const row = (name: string, baseline: string, target: number) => ({
  measured: name,
  'events/s': Math.round(best[name]!.perSecond),
  'p99 ms': best[name]!.p99Ms,
  baseline,
  'baseline events/s': Math.round(best[baseline]!.perSecond),
  ratio: Number((best[name]!.perSecond / best[baseline]!.perSecond).toFixed(2)),
  target,
})
console.table([row('single views', 'bare Fastify', 0.5), row('batches of 1,000', 'log alone', 0.5)])

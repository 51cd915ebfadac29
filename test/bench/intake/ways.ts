import { fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Appender, NewRecord } from '../../../infra/event-log/port.ts'
import { encode } from '../../../schemas/wire/codec.ts'
import { UNKNOWN_CLIENT } from '../../../services/domain/identity/client-hashes.ts'
import { createShowIds } from '../../../services/domain/show-id/show-id.ts'
import { createHttpServer } from '../../../services/http/server.ts'
import { intakeApp } from '../../../services/intake/app.ts'
import { generousLimits } from '../../generous-limits.ts'
import { requestLimits } from '../../request-limits.ts'
import { claimsOf, eventOf, snapshotOf } from '../../streams/judge/fixtures.ts'
import { reportFigure } from '../summary/figure.ts'
import type { Load, Measured } from './intake.load.ts'

const SECONDS = 6
const CONNECTIONS = 64
const BATCH_EVENTS = 1_000
const BATCH_CONNECTIONS = 8
/** The rate at which the latency of single views is measured. */
const EVENTS_PER_SECOND = 1_000
/** Each way is measured this often, in turn; the best counts, because the machine is shared. */
const ROUNDS = 3

const showIds = createShowIds({ keys: [{ id: 1, secret: randomBytes(32) }] })
const claims = Array.from({ length: BATCH_EVENTS }, () => {
  const ids = { requestId: randomUUID(), slotHash: randomUUID(), adUnitId: randomUUID(), accountId: randomUUID() }
  return claimsOf({ ...ids, campaignId: randomUUID(), cid: randomUUID(), uid: randomUUID() })
})
const showIdList = claims.map((each) => showIds.seal(each))

/** The records that the intake makes from a batch. */
export const batchRecords: readonly NewRecord[] = claims.map((each) => {
  const { eventId: _, ...event } = eventOf({ type: 'VIEW', cid: each.cid, uid: each.uid }, each)
  const value = encode('AdEvent', { ...event, eventId: randomUUID() })
  return { topic: 'ad-events', key: each.campaignId, value }
})

export type Way = () => Promise<Measured>

async function drive(server: FastifyInstance, path: string, load: Omit<Load, 'url' | 'seconds'>): Promise<Measured> {
  await server.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}${path}`
  const child = fork(new URL('./intake.load.ts', import.meta.url))
  child.send({ ...load, url, seconds: SECONDS } satisfies Load)
  const [measured] = (await once(child, 'message')) as [Measured]
  await server.close()
  if (measured.failed > 0) throw new Error(`${path}: ${measured.failed} requests failed`)
  return measured
}

const singles = { bodies: showIdList.map((showId) => JSON.stringify({ showId })), connections: CONNECTIONS }

/** A bare Fastify that parses the same bodies and gives the same answer. */
export const bareFastify: Way = () => {
  const server = Fastify({ logger: false })
  server.post('/', async (_, reply) => {
    reply.code(202)
    return { clientId: claims[0]!.cid, accepted: 1, rejected: [] }
  })
  return drive(server, '/', singles)
}

function intake(log: Appender): FastifyInstance {
  const server = createHttpServer({ logger: false })
  const deps = { log, snapshot: snapshotOf({}), showIds, now: Date.now, uuid: randomUUID }
  const metrics = { eventsTaken() {}, repeatsLeftOut() {} }
  const limits = requestLimits({ ...deps, limits: generousLimits })
  server.register(intakeApp({ ...deps, limits, metrics, clientHasher: { hash: () => UNKNOWN_CLIENT } }))
  return server as unknown as FastifyInstance
}

/** @throws when fewer events were stored than acknowledged: what is left out as a repeat costs next to nothing. */
async function driveIntake(
  log: Appender,
  path: string,
  { eventsEach, ...load }: Parameters<typeof drive>[2] & { eventsEach: number },
): Promise<Measured> {
  let stored = 0
  const append = (records: readonly NewRecord[]) => {
    stored += records.length
    return log.append(records)
  }
  const measured = await drive(intake({ append }), path, load)
  const acknowledged = measured.answered * eventsEach
  if (stored < acknowledged) throw new Error(`${path}: of ${acknowledged} acknowledged events, ${stored} were stored`)
  return { ...measured, perSecond: measured.perSecond * eventsEach }
}

/** View events one by one. */
export const singleViews =
  (log: Appender): Way =>
  () =>
    driveIntake(log, '/v1/dsa/view-event', { ...singles, eventsEach: 1 })

/** View events in batches of a thousand. */
export const viewBatches =
  (log: Appender): Way =>
  () => {
    const bodies = [JSON.stringify({ events: showIdList.map((showId) => ({ type: 'VIEW', showId })) })]
    return driveIntake(log, '/v1/ev/batch', { bodies, connections: BATCH_CONNECTIONS, eventsEach: BATCH_EVENTS })
  }

/** Sends the same records without HTTP: as many callers as the batches have connections, each one call after the other. */
export const straight =
  (send: () => Promise<unknown>): Way =>
  async () => {
    const from = performance.now()
    let sent = 0
    const caller = async () => {
      while (performance.now() - from < SECONDS * 1_000) {
        await send()
        sent += batchRecords.length
      }
    }
    await Promise.all(Array.from({ length: BATCH_CONNECTIONS }, caller))
    return { perSecond: sent / ((performance.now() - from) / 1_000), answered: sent, failed: 0, p99Ms: Number.NaN }
  }

/** Measures all ways in turn and keeps the best of each. */
export async function measureInTurn<Name extends string>(ways: Record<Name, Way>): Promise<Record<Name, Measured>> {
  const best: Partial<Record<Name, Measured>> = {}
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of Object.keys(ways) as Name[]) {
      const measured = await ways[name]()
      const known = best[name]
      if (!known || measured.perSecond > known.perSecond) best[name] = measured
    }
  }
  return best as Record<Name, Measured>
}

/** Reports how long view events take that come one by one at even intervals. The best of some rounds counts. */
export async function reportLatency(name: string, log: Appender, goalMs: number): Promise<void> {
  const p99sMs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const load = { ...singles, rate: EVENTS_PER_SECOND, eventsEach: 1 }
    p99sMs.push((await driveIntake(log, '/v1/dsa/view-event', load)).p99Ms)
  }
  const measure = `Intake, ${EVENTS_PER_SECOND} single views a second, ${name}: p99`
  reportFigure({ measure, value: Math.min(...p99sMs), unit: 'ms', goal: { atMost: goalMs } })
}

/** Reports one line of the final table. */
export function compared(name: string, measured: Measured, baseline: string, base: Measured, goal: number) {
  const ratio = measured.perSecond / base.perSecond
  reportFigure({ measure: `Intake, ${name}`, value: ratio, unit: `of ${baseline}`, goal: { atLeast: goal } })
  return {
    measured: name,
    'events/s': Math.round(measured.perSecond),
    'p99 ms': measured.p99Ms,
    baseline,
    'baseline events/s': Math.round(base.perSecond),
    ratio: Number(ratio.toFixed(2)),
    goal,
  }
}

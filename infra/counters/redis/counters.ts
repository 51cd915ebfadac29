import { openRedisConnection } from '../../redis/connection.ts'
import { chunksOf, runsOf } from '../chunks.ts'
import {
  type Counters,
  CountersBehind,
  CountersUnavailable,
  type Limit,
  type Outcome,
  type Progress,
  type Reservation,
  type Step,
} from '../port.ts'
import { HOLDERS_MAX } from '../reservations.ts'

/** How far back outcomes are kept for each source, in offsets. */
const OUTCOMES_KEPT = 100_000
/**
 * Redis does nothing else while it applies a list: this many take it two or three milliseconds, which is what a read waits at
 * worst. The script unpacks their keys at once, so that there is a limit in the thousands too.
 */
const STEPS_PER_CALL = 50
/**
 * How long Redis keeps a key after its time: how far the judge may be behind the clock before an expiry that Redis measures
 * by its own clock could come before the same expiry measured by the steps' times.
 */
const LAG_MAX_MS = 3 * 86_400_000
/** A reservation reads every other holder of its keys: mostly a few processes. */
const RESERVATIONS_PER_CALL = 100
/** How long Redis keeps an expired reservation: for callers whose clocks are behind its own. */
const RESERVATION_GRACE_MS = 60_000
/** Keys removed at once. */
const CLEAR_PAGE = 1_000

/**
 * Counters in one Redis primary (or what fails over to one): a list of steps names keys of any slot, so not a cluster.
 * Returns at once and connects on first use. What Redis loses, because it was killed, emptied or restored, shows in
 * `positions` and in CountersBehind.
 * @param namespace of lower-case letters, digits and dashes; every key begins with it and a colon.
 */
export function connectRedis({ url, namespace }: { url: string; namespace: string }): Counters {
  const connection = openRedisConnection({
    url,
    scripts: {
      applySteps: new URL('./apply.lua', import.meta.url),
      reserveAmounts: new URL('./reserve.lua', import.meta.url),
    },
    Unavailable: CountersUnavailable,
    errorOf,
  })
  const prefix = `${namespace}:`
  const secretKey = (name: string) => `${prefix}secret:${name}`

  const applyRun = (steps: readonly Step[], { source, after, upTo }: Progress): Promise<Outcome[]> =>
    connection.run((client) =>
      client.applySteps(prefix, source, after, upTo, OUTCOMES_KEPT, LAG_MAX_MS, JSON.stringify(steps.map(tuple))),
    )

  /** All at once: Redis refuses a call if the one before it was not carried out. */
  async function applyInProgress(steps: readonly Step[], progress: Progress): Promise<Outcome[]> {
    const chunks = chunksOf(steps, STEPS_PER_CALL, progress)
    return (await Promise.all(chunks.map((chunk) => applyRun(chunk.steps, chunk.progress!)))).flat()
  }

  return {
    async apply(steps, progress) {
      if (progress) return applyInProgress(steps, progress)
      const outcomes: Outcome[] = []
      for (const run of runsOf(steps)) {
        for (const chunk of chunksOf(run, STEPS_PER_CALL)) {
          outcomes.push(...(await applyRun(chunk.steps, { source: run[0]!.source, after: -1, upTo: -1 })))
        }
      }
      return outcomes
    },
    async reserve(reservations) {
      const granted: number[] = []
      for (let from = 0; from < reservations.length; from += RESERVATIONS_PER_CALL) {
        const list = JSON.stringify(reservations.slice(from, from + RESERVATIONS_PER_CALL).map(reservationTuple))
        const answer = await connection.run((client) =>
          client.reserveAmounts(prefix, HOLDERS_MAX, RESERVATION_GRACE_MS, list),
        )
        granted.push(...answer.map(Number))
      }
      return granted
    },
    async agree(name, proposed, ttlMs) {
      const key = secretKey(name)
      // One command: between two the secret could expire, and the answer would be one that is not kept.
      return (await connection.run((client) => client.set(key, proposed, 'PX', ttlMs, 'NX', 'GET'))) ?? proposed
    },
    async read(keys) {
      if (keys.length === 0) return []
      const [clock, ...values] = await connection.run((client) =>
        client.mget(`${prefix}clock`, ...keys.map((key) => `${prefix}c/${key}`)),
      )
      return values.map((value) => valueAt(value ?? null, Number(clock ?? 0)))
    },
    async positions(sources) {
      if (sources.length === 0) return []
      const offsets = await connection.run((client) => client.mget(sources.map((source) => `${prefix}at:${source}`)))
      return offsets.map((offset) => Number(offset ?? -1))
    },
    async clear() {
      let cursor = '0'
      do {
        const [next, keys] = await connection.run((client) =>
          client.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', CLEAR_PAGE),
        )
        const projected = keys.filter((key) => !key.startsWith(secretKey('')))
        if (projected.length > 0) await connection.run((client) => client.unlink(projected))
        cursor = next
      } while (cursor !== '0')
    },
    close: () => connection.close(),
  }
}

/** The errors that apply.lua answers with. */
function errorOf({ message }: Error): Error | null {
  if (message.startsWith('BEHIND')) return new CountersBehind(message)
  return message.startsWith('FORGOTTEN') ? new Error(`No outcome is kept: ${message}`) : null
}

/** A step in the order that apply.lua unpacks. */
function tuple({ offset, now, once, carry, limits, actor }: Step): unknown[] {
  return [
    offset,
    now,
    once?.key ?? false,
    once?.expiresAt ?? 0,
    carry?.key ?? false,
    carry?.thousandths ?? 0,
    limits.map(limitTuple),
    actor ? [actor.key, actor.knownAfterMs, actor.expiresAt] : false,
  ]
}

function limitTuple(limit: Limit): unknown[] {
  const { name, key, add, max, expiresAt, carries, brief, window, allowances, marks, of, unlessTaken } = limit
  const plain = [name, key, add, max ?? false, expiresAt ?? false, carries ?? false, brief ?? false]
  // Most limits end here: what is left out is nil to the script.
  if (!(window || allowances || marks || of || unlessTaken)) return plain
  const given = (allowances ?? []).map((each) => [each.keys, each.gives, each.per, each.max ?? false])
  return [...plain, window ?? [], given, marks ?? false, of ?? false, unlessTaken ?? false]
}

/** A reservation in the order that reserve.lua unpacks. */
function reservationTuple({
  holder,
  retained,
  requested,
  minimum,
  expiresAt,
  now,
  settledBy,
  limits,
}: Reservation): unknown[] {
  const limitTuples = limits.map(({ key, counted, max }) => [key, counted ?? false, max])
  return [holder, retained, requested, minimum, expiresAt, now, settledBy ?? '', limitTuples]
}

/** Of "value" or "value:expiry", at a time. */
function valueAt(stored: string | null, now: number): number {
  if (stored === null) return 0
  const [value, expiresAt] = stored.split(':')
  return expiresAt === undefined || Number(expiresAt) > now ? Number(value) : 0
}

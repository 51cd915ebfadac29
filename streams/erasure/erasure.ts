import type { EventLog } from '../../infra/event-log/port.ts'
import { HOUR_MS } from '../../schemas/durations.ts'
import type { Erasure } from '../../schemas/records/records.ts'
import { encode } from '../../schemas/wire/codec.ts'
import { type ActiveErasure, type Erasures, NAMED_AFTER_MAX_MS } from '../../services/domain/erasure/erasures.ts'
import { msSince } from '../../services/domain/time/ms-since.ts'
import type { AttributionDeps } from '../attribution/attribution.ts'
import type { NextTurn } from '../runtime/periodic.ts'
import { createErasuresReader } from './erasures-reader.ts'
import { endsOfLog, isLogFree, isStored, type LogEnds, LogSweep, logBeginsAt } from './log-sweep.ts'
import { eraseInTables } from './tables.ts'

/** How many people are erased together, since all of them need the same rows to be read. The others wait. */
const AT_ONCE_MAX = 20
/** By then every process knows of an erasure, and what it had read before that is stored. */
const SETTLED_AFTER_MS = 60_000
/** How often to check whether the log has forgotten erased people. */
const LOG_LOOK_MS = HOUR_MS
/** How often to look for erasures while none waits: a small part of the time in which they settle. */
const IDLE_LOOK_MS = 5_000

export interface ErasureDeps extends AttributionDeps {
  /** The log as it is stored. */
  storedLog: EventLog
  /** Runs work while attribution does not run. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T>
  /** UTC epoch milliseconds. */
  now: () => number
  settledAfterMs?: number
}

/**
 * Erases people, several at a time; each turn does a bounded part of the work. It goes by what is left, not by what it has done, so
 * another process can take over at any point, and doing a step twice changes nothing:
 *
 * 1. Replace identifiers in everything that the log holds now, where its records can be replaced.
 * 2. Once the sink has stored all of that, replace them in its tables, and then in those of attribution.
 * 3. Do both again some time after the erasure was requested, when what was under way at the request has arrived. When that is
 *    done too, the people are erased.
 *
 * Later, when nothing of the person can come or be read any more, the erasure forgets the digest that it knew the identifier by.
 */
export function createErasure(deps: ErasureDeps): () => Promise<NextTurn> {
  const { log, storedLog, exclusively, now, settledAfterMs = SETTLED_AFTER_MS } = deps
  const follow = createErasuresReader(log)
  let work: Work | null = null
  let lookedAt = Number.NEGATIVE_INFINITY

  async function begin(erasures: Erasures, people: readonly ActiveErasure[]): Promise<Work> {
    const sweep = await LogSweep.resume(storedLog, erasures, people)
    return { people, sweep, pass: null, restsUntil: 0 }
  }

  /** @returns whether there is more to do at once. */
  async function erase(work: Work): Promise<boolean> {
    if (work.pass === null && now() < work.restsUntil) return false
    work.pass ??= { begunAt: now(), ends: await endsOfLog(storedLog) }
    const { people, sweep, pass } = work
    if (!(await sweep.advance(pass.ends))) return true
    if (!(await isStored(log, pass.ends))) return false
    if (!(await exclusively(() => eraseInTables(deps, people)))) return false
    work.pass = null
    work.restsUntil = Math.min(...people.map(({ requestedAt }) => requestedAt)) + settledAfterMs
    const settled = people.filter(({ requestedAt }) => pass.begunAt >= requestedAt + settledAfterMs)
    if (settled.length === 0) return false
    const erasedAt = now()
    const logFreeAt = sweep.replaces ? erasedAt : null
    await write(settled.map((each) => ({ ...each, erasedAt, logFreeAt })))
    if (settled.length === people.length) await sweep.forget()
    return true
  }

  const write = (changed: readonly Erasure[]) =>
    log.append(changed.map((each) => ({ topic: 'erasures', key: each.id, value: encode('Erasure', each) })))

  async function forget(erased: readonly ActiveErasure[]): Promise<void> {
    if (erased.length === 0 || msSince(lookedAt, now()) < LOG_LOOK_MS) return
    lookedAt = now()
    const beginsAt = erased.some(({ logFreeAt }) => logFreeAt === null) ? await logBeginsAt(storedLog) : 0
    const freed: Erasure[] = []
    for (const each of erased) {
      if (each.logFreeAt === null && !isLogFree(each, beginsAt)) continue
      const isLate = now() > each.requestedAt + NAMED_AFTER_MAX_MS
      const logFreeAt = each.logFreeAt ?? now()
      if (isLate || each.logFreeAt === null) freed.push({ ...each, logFreeAt, digest: isLate ? null : each.digest })
    }
    if (freed.length > 0) await write(freed)
  }

  return async function turn() {
    const erasures = await follow()
    const active = erasures.active()
    const waiting = active.filter(({ erasedAt }) => erasedAt === null).slice(0, AT_ONCE_MAX)
    // Between two passes, new erasures join those that have not settled.
    if (!work || (work.pass === null && idsOf(work.people) !== idsOf(waiting))) {
      work = waiting.length > 0 ? await begin(erasures, waiting) : null
    }
    if (work !== null) return erase(work)
    await forget(active.filter(({ erasedAt }) => erasedAt !== null))
    return { pauseMs: IDLE_LOOK_MS }
  }
}

const idsOf = (people: readonly Erasure[]) => people.map(({ id }) => id).join()

interface Work {
  people: readonly ActiveErasure[]
  sweep: LogSweep
  /** The pass that is under way: when it began, and where the log ended then. */
  pass: { begunAt: number; ends: LogEnds } | null
  /** Until then there is nothing to do, unless a new erasure comes. UTC epoch milliseconds. */
  restsUntil: number
}

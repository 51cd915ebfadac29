import { setTimeout as delay } from 'node:timers/promises'
import { type Appender, LogUnavailable, type NewRecord } from '../../../infra/event-log/port.ts'
import { within } from '../../../infra/within.ts'
import { msSince } from '../../domain/time/ms-since.ts'
import type { Spool, SpooledBatch } from './spool.ts'

/** How long an append may take before its records go to the spool. They may then end up in the log as well, later. */
const PATIENCE_MS = 2_000
/** How long after a failure the log is not asked, before one request, or the drain, tries it again. */
const OPEN_MS = 1_000
/** How long requests wait for the rest of the spool to be drained, before they use the spool again. */
const HANDOVER_MAX_MS = 500
const CLOSE_MAX_MS = 5_000

export interface SpooledLogDeps {
  log: Appender
  spool: Spool
  /** UTC epoch milliseconds. */
  now: () => number
  /** Called when the log does not take records; they are spooled, or tried again. */
  onError: (error: unknown) => void
  patienceMs?: number
  openMs?: number
}

/** An appender to the log that uses the spool while the log is away. */
export interface SpooledLog extends Appender {
  /** Resolves once the records are in the log or on the disk. @throws LogUnavailable when neither takes them. */
  append(records: readonly NewRecord[]): Promise<void>
  /** The records that wait to be drained. */
  waiting(): { records: number; bytes: number }
  /** Stops draining, and closes the spool. What is not drained stays on the disk until the next start. */
  close(): Promise<void>
}

/**
 * While anything is spooled, everything goes through the spool, so that records of one key keep their order. The drain keeps
 * trying the log. When it has almost caught up, requests wait for the rest to be drained and then go straight to the log.
 *
 * A record can be in the log twice: when its append was given up but succeeded later, and when the process dies between
 * appending a drained batch and writing its position. Readers count an event id once.
 */
export function createSpooledLog(deps: SpooledLogDeps): SpooledLog {
  const { log, spool, now, onError, patienceMs = PATIENCE_MS, openMs = OPEN_MS } = deps
  const closing = new AbortController()
  /** After a failure: since when and for how long the log is not tried again. Null while it works. */
  let open: { since: number; ms: number } | null = null
  let draining: Promise<void> | null = null
  let handover: Promise<unknown> | null = null

  /** @returns whether the log took the records; false when it is away. */
  async function appended(records: readonly NewRecord[]): Promise<boolean> {
    // While this attempt lasts, other requests make none.
    if (open !== null) open = { since: now(), ms: Math.max(openMs, patienceMs) }
    try {
      const late = () => new LogUnavailable(`The log took longer than ${patienceMs} ms`)
      await within(log.append(records), patienceMs, late)
      open = null
      return true
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error
      open = { since: now(), ms: openMs }
      onError(error)
      return false
    }
  }

  const isOpen = () => open !== null && msSince(open.since, now()) < open.ms

  async function drain(): Promise<void> {
    let letGo = () => {}
    let logWorks = false
    while (!closing.signal.aborted) {
      try {
        const batch = await spool.next()
        if (batch === null && spool.waiting().records === 0) break
        if (batch === null) await spool.settled()
        else {
          if (batch.isLast && logWorks && handover === null) letGo = beginHandover()
          await intoLog(batch)
          logWorks = true
        }
      } catch (error) {
        logWorks = false
        letGo()
        onError(error)
        await delay(openMs, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
    // Set before the waiting requests go on, so that they find the spool drained.
    draining = null
    letGo()
  }

  async function intoLog({ records, done }: SpooledBatch): Promise<void> {
    await log.append(records)
    open = null
    await done()
  }

  /** Makes requests wait until the function it returns is called, or until a timeout. */
  function beginHandover(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, HANDOVER_MAX_MS)
    const gate = promise.then(() => {
      clearTimeout(timer)
      if (handover === gate) handover = null
    })
    handover = gate
    return resolve
  }

  function startDraining(): void {
    if (spool.waiting().records > 0) draining ??= drain()
  }

  startDraining()
  return {
    async append(records) {
      while (handover !== null) await handover
      const isStraight = draining === null && !isOpen()
      if (isStraight && (await appended(records))) return
      await spool.append(records)
      startDraining()
    },
    waiting: () => spool.waiting(),
    async close() {
      closing.abort()
      // A hanging append is abandoned: its batch is drained again at the next start.
      await Promise.race([draining, delay(CLOSE_MAX_MS, undefined, { ref: false })])
      await spool.close()
    },
  }
}

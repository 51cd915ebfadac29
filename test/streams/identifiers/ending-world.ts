import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { views } from '../../../infra/analytics/views.ts'
import type { EventLog } from '../../../infra/event-log/port.ts'
import { ATTRIBUTION_GROUP, attribute } from '../../../streams/attribution/attribution.ts'
import { findLookupLosses } from '../../../streams/attribution/lookup-losses.ts'
import { createIdentifierRetention } from '../../../streams/identifiers/identifier-retention.ts'
import { runToEnd } from '../../../streams/runtime/run-to-end.ts'
import { createSink } from '../../../streams/sink/sink.ts'
import { bytesOf, type Happening, keyOf } from '../attribution/happenings.ts'
import { attributedByHand } from '../attribution/oracle.ts'
import { attributedLines, type StoredLine } from '../attribution/world.ts'
import { now as fastClock, silent } from '../erasure/world.ts'
import { DAY, DAYS, ENDED, SETTLED } from './history.ts'

const identifiers = 'cid|uid|emittedCid|emittedUid|addressHash|networkHash|agentHash|gclid'
export const sinkTables = ['emissions', 'judged_events', 'event_corrections', 'transactions', 'page_views']
/** Tables whose rows stay; of some, the last row of a key holds. */
const namingTables = [...sinkTables, 'transactions_by_id FINAL', 'attributed_lines FINAL', 'credited_lines FINAL']
const lookupTables = ['touches', 'transactions_by_person', 'links_by_cid', 'links_by_uid']

export interface Engines {
  analytics: Analytics
  log: EventLog
  shopIds: readonly string[]
}
export type EndingWorld = ReturnType<typeof openEnding>

/** A log and a store, in which the identifiers of people end. */
export function openEnding({ analytics, log, shopIds }: Engines) {
  /** Everything that was appended, by the names of people. */
  const told: Happening[] = []
  /** The lines from before identifiers ended. */
  let settledLines: readonly StoredLine[] = []

  const append = (happenings: readonly Happening[]) =>
    log.append(happenings.map((each) => ({ topic: each.topic, key: keyOf(each), value: bytesOf(each) })))

  async function attributeAll(): Promise<void> {
    while ((await attribute({ log, analytics, runId: randomUUID })) !== null);
  }

  const retention = (at: number, days: number | null = DAYS) =>
    createIdentifierRetention({
      ...{ log, analytics, runId: randomUUID, days, now: () => at },
      exclusively: (work) => work(),
    })

  /** What is deleted with its identifiers is not lost. */
  async function expectNoLoss(): Promise<void> {
    expect(await findLookupLosses(analytics, await log.committed(ATTRIBUTION_GROUP))).toEqual([])
  }

  async function count(from: string, where: string, params = {}): Promise<number> {
    const sql = `SELECT toInt64(count()) AS rows FROM ${from} WHERE ${where}`
    return (await analytics.query<{ rows: number }>(sql, params))[0]!.rows
  }

  return {
    ...{ analytics, log, shopIds, told, append, attributeAll, retention },
    /** Appends what the oracle is told as well. */
    async happen(happenings: readonly Happening[]) {
      told.push(...happenings)
      await append(happenings)
    },
    async storeAll() {
      await runToEnd(createSink({ log, analytics, now: fastClock, logger: silent }))
      await attributeAll()
    },
    async rememberLines() {
      settledLines = await attributedLines(analytics)
      return settledLines
    },
    /** Takes turns until nothing is left. */
    async end(at: number, days: number | null = DAYS) {
      const { turn } = retention(at, days)
      await expect.poll(turn, { timeout: 60_000 }).toEqual({ pauseMs: DAY })
      await expectNoLoss()
    },
    /** Hashes of everything that views and tables hold, without identifiers. */
    async facts() {
      const found: Record<string, unknown> = {}
      for (const from of [...Object.keys(views), ...namingTables]) {
        found[from] = await analytics.query(
          `SELECT count() AS rows, toString(sum(cityHash64(row))) AS hash FROM (
             SELECT formatRowNoNewline('JSONEachRow', COLUMNS('^') EXCEPT ('^(${identifiers}|version)$')) AS row FROM ${from})`,
        )
      }
      return found
    },
    /** How many rows of each table contain a text, without tables that have none. */
    async rowsWith(text: string) {
      const found: Record<string, number> = {}
      for (const from of [...namingTables, ...lookupTables]) {
        const rows = await count(from, "position(formatRowNoNewline('JSONEachRow', *), {text:String}) > 0", { text })
        if (rows > 0) found[from.replace(' FINAL', '')] = rows
      }
      return found
    },
    /** How many rows of the sink's tables from before the end still name somebody. */
    async named() {
      const counts = sinkTables.map((table) => count(table, `occurredAt < ${ENDED} AND cid != ''`))
      return (await Promise.all(counts)).reduce((sum, rows) => sum + rows, 0)
    },
    /** Compares all lines with those of an oracle that knows everybody, except that settled lines keep their credit. */
    async expectCredit() {
      const purchases = told.flatMap((each) => (each.topic === 'transactions' ? [each.value] : []))
      const times = new Map(purchases.map(({ eventId, occurredAt }) => [eventId, occurredAt]))
      const expected = attributedByHand(told).map((line) => {
        const at = times.get(line.eventId)!
        const { returnedQuantity, returnedMicros } = line
        const settled = settledLines.find((each) => each.eventId === line.eventId && each.line === line.line)
        const kept = at < SETTLED ? { ...settled!, returnedQuantity, returnedMicros } : line
        return { ...kept, cid: at < ENDED ? '' : line.cid }
      })
      expect(await attributedLines(analytics)).toEqual(expected)
      expect(new Set(expected.map(({ outcome }) => outcome)).size).toBeGreaterThan(1)
    },
  }
}

import type { Ledger } from './world/ledger.ts'

/** What ClickHouse holds of the events in a ledger. */
export interface Verdict {
  acknowledged: number
  /** The number of acknowledged events that have a row that counts. */
  stored: number
  missing: string[]
  /** Events with two rows for one record of the log, or with two rows that count. */
  duplicates: string[]
  /**
   * Rows of events that came into the log more often than they were sent, because an answer was lost and the event was sent again,
   * or because an append was given up for the spool but carried out all the same. Readers count an event id once.
   */
  repeats: number
}

interface StoredEvent {
  name: string
  rows: number
  /** The number of different positions in the log among these rows. */
  records: number
  /** The number of rows that count; for a view or click, those judged VALID. */
  counted: number
}

/** @param from UTC epoch milliseconds before the first event of the ledger. */
const eventsSince = (from: number) => `
  SELECT concat(type, ' ', requestId, ' ', adId) AS name, toUInt32(count()) AS rows,
    toUInt32(uniqExact(_partition, _offset)) AS records, toUInt32(countIf(verdict = 'VALID')) AS counted
  FROM judged_events WHERE receivedAt >= ${from} GROUP BY name
  UNION ALL
  SELECT concat('TRANSACTION ', eventId), toUInt32(count()), toUInt32(uniqExact(_partition, _offset)), 1
  FROM transactions WHERE receivedAt >= ${from} GROUP BY eventId
  UNION ALL
  SELECT concat('PAGE_VIEW ', id), toUInt32(count()), toUInt32(uniqExact(_partition, _offset)), 1
  FROM page_views WHERE receivedAt >= ${from} GROUP BY id
  FORMAT JSONEachRow`

/** Asks ClickHouse directly, not through the program: `url` is the server, `database` the one with the program's tables. */
export async function compare(
  ledger: Ledger,
  { url, database, from }: { url: string; database: string; from: number },
): Promise<Verdict> {
  const response = await fetch(`${url}/?database=${database}`, { method: 'POST', body: eventsSince(from) })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  const lines = text.split('\n').filter((line) => line !== '')
  const stored = new Map(
    lines.map((line) => {
      const event = JSON.parse(line) as StoredEvent
      return [event.name, event] as const
    }),
  )

  const verdict: Verdict = { acknowledged: 0, stored: 0, missing: [], duplicates: [], repeats: 0 }
  for (const [name, { acknowledged, told }] of ledger.entries) {
    const found = stored.get(name)
    if (found && (found.rows > found.records || found.counted > 1)) verdict.duplicates.push(name)
    if (found) verdict.repeats += Math.max(0, found.records - told)
    if (!acknowledged) continue
    verdict.acknowledged++
    if (found && found.counted === 1) verdict.stored++
    else verdict.missing.push(name)
  }
  return verdict
}

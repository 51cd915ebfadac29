import type { Ledger } from './world/ledger.ts'

/** What ClickHouse holds of the events of a ledger. */
export interface Verdict {
  acknowledged: number
  /** Of those acknowledged, how many have a row that counts. */
  stored: number
  missing: string[]
  /** Events of which one record of the log has two rows, or two rows count. */
  duplicates: string[]
  /**
   * Rows of events that came into the log more often than they were told, because an answer was lost and it was sent again,
   * or an append was given up for the spool and carried out all the same. Readers count an event id once.
   */
  repeats: number
}

interface StoredEvent {
  name: string
  rows: number
  /** Of these, those that lie at a position of the log that no other row has. */
  records: number
  /** Rows that count: of a view or click, those judged VALID. */
  counted: number
}

/** @param from UTC epoch milliseconds; before the first event of the ledger. */
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

/** Asks ClickHouse itself, past the program: `url` names the server, `database` where the program's tables lie. */
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

import type { Analytics } from '../../../infra/analytics/port.ts'
import {
  type TransactionListRow,
  type TransactionPlace,
  transactionListQuery,
} from '../../../infra/analytics/queries/transactions.ts'
import { PAGE_LIMIT_DEFAULT } from '../../../schemas/http/panel/common.ts'
import type { TransactionQuery } from '../../../schemas/http/panel/transactions.ts'
import { fromMicros } from '../../domain/money.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { Principal } from '../auth.ts'
import { toEpochMs, toIso } from '../edge.ts'
import { Findings } from '../findings.ts'
import { reachOf } from '../reports/scope.ts'

const DAY_MS = 86_400_000
const DAYS_DEFAULT = 30
const RANGE_MAX_MS = 400 * DAY_MS

export interface TransactionListDeps {
  analytics: Analytics
  snapshot: Snapshot
  now: () => number
}

/**
 * Purchases, carts and wishlists with what they earned, the latest first. Advertisers see those credited to their
 * campaigns.
 * @throws Problem INVALID, or NOT_FOUND for ids that the caller may not see.
 */
export async function listTransactions(
  { analytics, snapshot, now }: TransactionListDeps,
  { principal, query }: { principal: Principal; query: TransactionQuery },
) {
  const { limit = PAGE_LIMIT_DEFAULT, cursor, shopId, campaignId, kind, credited } = query
  const { shops, accountId } = reachOf(snapshot, principal, { shopId, campaignId })
  const { sql, params } = transactionListQuery({
    ...rangeOf(query, now()),
    ...{ shopIds: shops.map(({ id }) => id), accountId, campaignId, kind, credited },
    after: cursor === undefined ? null : readCursor(cursor),
    // One more tells whether there is another page.
    limit: limit + 1,
  })
  const rows = shops.length === 0 ? [] : await analytics.query<TransactionListRow>(sql, params)
  const shown = rows.slice(0, limit)
  const nextCursor = rows.length > limit ? writeCursor(shown.at(-1)!) : null
  return { items: shown.map((row) => itemOf(snapshot, row)), nextCursor }
}

function itemOf(snapshot: Snapshot, row: TransactionListRow) {
  const { eventId, shopId, kind, occurredAt, currency, lineCount, creditedLineCount } = row
  return {
    eventId,
    shopId,
    shopName: snapshot.getEver('Shop', shopId)?.body.name ?? null,
    kind,
    occurredAt: toIso(occurredAt),
    currency,
    lines: lineCount,
    creditedLines: creditedLineCount,
    amount: fromMicros(Number(row.amountMicros)),
    creditedAmount: fromMicros(Number(row.creditedMicros)),
    campaigns: row.campaignIds.map((id) => ({ id, name: snapshot.getEver('Campaign', id)?.body.name ?? null })),
  }
}

/** UTC epoch milliseconds, [from, to). */
function rangeOf(query: TransactionQuery, now: number): { from: number; to: number } {
  const findings = new Findings()
  const read = (name: 'from' | 'to', otherwise: number) =>
    query[name] === undefined ? otherwise : toEpochMs(query[name], `querystring/${name}`, findings)
  const to = read('to', now)
  const from = read('from', to - DAYS_DEFAULT * DAY_MS)
  findings.raise()
  findings.check(from < to, 'querystring/to', 'must be later than from')
  findings.check(to - from <= RANGE_MAX_MS, 'querystring/from', 'must be at most 400 days before to')
  findings.raise()
  return { from, to }
}

function writeCursor({ occurredAt, shopId, kind, eventId }: TransactionListRow): string {
  return Buffer.from(JSON.stringify([occurredAt, shopId, kind, eventId])).toString('base64url')
}

function readCursor(cursor: string): TransactionPlace {
  const place = placeOf(Buffer.from(cursor, 'base64url').toString())
  const findings = new Findings()
  findings.check(place !== null, 'querystring/cursor', 'is not the nextCursor of a page')
  findings.raise()
  return place!
}

function placeOf(text: string): TransactionPlace | null {
  try {
    const [at, ...ids]: unknown[] = JSON.parse(text)
    const isPlace = Number.isSafeInteger(at) && ids.length === 3 && ids.every((id) => typeof id === 'string')
    return isPlace ? ([at, ...ids] as unknown as TransactionPlace) : null
  } catch {
    return null
  }
}

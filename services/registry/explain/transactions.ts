import type { Analytics } from '../../../infra/analytics/port.ts'
import {
  isOfCredited,
  latestTransactionsQuery,
  type TransactionListRow,
  type TransactionListSpec,
  type TransactionPlace,
  transactionListQuery,
} from '../../../infra/analytics/queries/explain/transactions.ts'
import { PAGE_LIMIT_DEFAULT } from '../../../schemas/http/panel/common.ts'
import type { TransactionQuery } from '../../../schemas/http/panel/reports/transactions.ts'
import { Problem } from '../../domain/errors.ts'
import { dayIn } from '../../domain/money/counter-keys.ts'
import { fromMicros } from '../../domain/money/money.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { scopeOf } from '../reports/scope.ts'
import { toIso } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import type { Principal } from '../rights/auth.ts'
import { type DisplayNames, namesFor, type Pseudonyms } from './pseudonyms.ts'
import { rangeOf } from './range.ts'

/** A table in a file cannot say that it was cut off, so a longer one is refused. */
const CSV_ROWS_MAX = 100_000
/** Names of the columns of the table, in their order. */
export const transactionColumns = [
  ...['eventId', 'shopId', 'shopName', 'kind', 'shopDay', 'occurredAt', 'currency', 'proof', 'unconfirmed', 'lines'],
  ...['creditedLines', 'amount', 'returnedAmount', 'creditedAmount', 'campaigns'],
]
/** Among how many times as many of the latest transactions a page is looked for, before it is among all. */
const LATEST_TIMES = [2, 50]

export interface TransactionListDeps {
  analytics: Analytics
  snapshot: Snapshot
  pseudonyms: Pseudonyms
  now: () => number
  csvRowsMax?: number
}

interface TransactionsCall {
  principal: Principal
  query: TransactionQuery
}

/**
 * Lists purchases, carts and wishlists with what they earned, the latest first. Advertisers see those credited to their
 * campaigns, under pseudonyms.
 * @throws Problem INVALID, or NOT_FOUND for ids that the caller may not see.
 */
export async function listTransactions(deps: TransactionListDeps, call: TransactionsCall) {
  const { snapshot, pseudonyms } = deps
  const { limit = PAGE_LIMIT_DEFAULT, cursor } = call.query
  const after = cursor === undefined ? null : readCursor(cursor, pseudonyms)
  // One row more tells whether there is another page.
  const rows = await readListed(deps, call, { after, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const nextCursor = rows.length > limit ? writeCursor(placeOf(shown.at(-1)!), pseudonyms) : null
  const names = namesFor(call.principal, pseudonyms)
  return { items: shown.map((row) => itemOf(snapshot, names, row)), nextCursor }
}

/**
 * The whole list as the rows of a table. `shopDay` is the day of the reports in which a transaction counts.
 * @throws Problem INVALID, NOT_FOUND for ids that the caller may not see, or TOO_LARGE for more rows than a file may have.
 */
export async function transactionTable(deps: TransactionListDeps, call: TransactionsCall): Promise<Iterable<object>> {
  const { snapshot, pseudonyms, csvRowsMax = CSV_ROWS_MAX } = deps
  const { limit, cursor } = call.query
  const fieldErrors = new FieldErrors()
  const isWhole = limit === undefined && cursor === undefined
  fieldErrors.check(isWhole, 'querystring/format', 'must be json with limit or cursor: a CSV has no pages')
  fieldErrors.throwIfAny()
  const rows = await readListed(deps, call, { after: null, limit: csvRowsMax + 1 })
  if (rows.length > csvRowsMax)
    throw new Problem('TOO_LARGE', `The period has over ${csvRowsMax} transactions: choose a shorter one`)
  const names = namesFor(call.principal, pseudonyms)
  return rows.values().map((row) => {
    const item = itemOf(snapshot, names, row)
    const { timeZone = 'UTC' } = snapshot.getEver('Shop', row.shopId)?.body ?? {}
    const campaigns = item.campaigns.map(({ id, name }) => name ?? id).join('; ')
    return { ...item, shopDay: dayIn(timeZone, row.occurredAt), campaigns }
  })
}

async function readListed(
  { analytics, snapshot, now }: TransactionListDeps,
  { principal, query }: TransactionsCall,
  page: Pick<TransactionListSpec, 'after' | 'limit'>,
): Promise<TransactionListRow[]> {
  const { purchasedProductId, kind, credited, campaignId } = query
  const { shops, accountId } = scopeOf(snapshot, principal, query)
  if (shops.length === 0) return []
  const shopIds = shops.map(({ id }) => id)
  return readTransactions(analytics, {
    ...rangeOf(query, now()),
    shopIds,
    accountId,
    campaignId,
    purchasedProductId,
    kind,
    credited,
    ...page,
  })
}

/**
 * A page of the list. What is credited is stored in the order of time. Other transactions are looked for among the latest first, which reads
 * little of a large shop. When the page is not full then, some of these do not count or are not attributed yet, and it is looked for among
 * more.
 */
export async function readTransactions(analytics: Analytics, spec: TransactionListSpec): Promise<TransactionListRow[]> {
  const read = (from: number, found: Parameters<typeof transactionListQuery>[1]) => {
    const { sql, params } = transactionListQuery({ ...spec, from }, found)
    return analytics.query<TransactionListRow>(sql, params)
  }
  if (isOfCredited(spec)) return read(spec.from, 'CREDITED')
  for (const times of LATEST_TIMES) {
    const latest = latestTransactionsQuery(spec, times * spec.limit)
    const [found] = await analytics.query<{ since: number }>(latest.sql, latest.params)
    const { since } = found!
    const rows = await read(since, 'TRANSACTIONS')
    if (rows.length === spec.limit || since === spec.from) return rows
  }
  return read(spec.from, 'ALL')
}

const placeOf = (row: TransactionListRow) => [row.occurredAt, row.shopId, row.kind, row.eventId] as const

function itemOf(snapshot: Snapshot, names: DisplayNames, row: TransactionListRow) {
  const { shopId, kind, occurredAt, currency, lineCount, creditedLineCount, proof, trust } = row
  return {
    eventId: names.order(row),
    shopId,
    shopName: snapshot.getEver('Shop', shopId)?.body.name ?? null,
    kind,
    occurredAt: toIso(occurredAt),
    currency,
    proof,
    unconfirmed: trust === 'PREFER_SIGNED' && proof === 'ANONYMOUS',
    lines: lineCount,
    creditedLines: creditedLineCount,
    amount: fromMicros(Number(row.amountMicros)),
    returnedAmount: fromMicros(Number(row.returnedMicros)),
    creditedAmount: fromMicros(Number(row.creditedMicros)),
    campaigns: row.campaignIds.map((id) => ({ id, name: snapshot.getEver('Campaign', id)?.body.name ?? null })),
  }
}

/** The cursor for the end of a page of transactions. It is sealed, because it names an order. */
function writeCursor(place: TransactionPlace, { seal }: Pseudonyms): string {
  return seal(JSON.stringify(place))
}

/** @throws Problem INVALID when `writeCursor` did not make the cursor. */
function readCursor(cursor: string, { open }: Pseudonyms): TransactionPlace {
  const text = open(cursor)
  const fieldErrors = new FieldErrors()
  fieldErrors.check(text !== null, 'querystring/cursor', 'is not the nextCursor of a page')
  fieldErrors.throwIfAny()
  return JSON.parse(text!)
}

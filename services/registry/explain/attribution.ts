import { type Analytics, AnalyticsGaveUp } from '../../../infra/analytics/port.ts'
import {
  EXPLAINING_MAX_SECONDS,
  type ExplainedTouch,
  type ExplainNeeds,
  explainQuery,
  type MemberRow,
  membersQuery,
  needsQuery,
  type SenderRow,
  type Senders,
  sendersQuery,
} from '../../../infra/analytics/queries/explain/line.ts'
import {
  type AttributedLineRow,
  attributedLinesQuery,
  type CreditedOrder,
  creditedOrdersQuery,
  type ReturnRow,
  returnsQuery,
  type TransactionRow,
  transactionQuery,
} from '../../../infra/analytics/queries/explain/transaction.ts'
import { readEndedUntil, settledUntilOf } from '../../../infra/analytics/retention/ended-identifiers.ts'
import { Problem } from '../../domain/errors.ts'
import { fromMicros } from '../../domain/money/money.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { toIso } from '../resources/conversions.ts'
import type { Principal } from '../rights/auth.ts'
import { type DisplayNames, namesFor, type OrderName, type Pseudonyms, timeOfOrder } from './pseudonyms.ts'
import { type ExplainedOutcome, whyOutcome, whyTouch } from './reasons.ts'
import { versionViews } from './versions.ts'

/** What is known of one transaction. */
interface Evidence {
  /** The version that counts comes first. */
  versions: TransactionRow[]
  /** Empty until the transaction is attributed. */
  lines: AttributedLineRow[]
  touches: ExplainedTouch[]
  returns: ReturnRow[]
  /** The time before which purchases are settled, if this one is: who saw what is no longer known. UTC epoch milliseconds. */
  settledUntil: number | null
}

interface ExplainDeps {
  analytics: Analytics
  snapshot: Snapshot
  pseudonyms: Pseudonyms
}

interface ExplainCall {
  principal: Principal
  /** The number of the order, or the pseudonym of one for an advertiser. Advertisers know only their own pseudonyms. */
  eventId: string
  shopIds: readonly string[]
}

/**
 * Explains who was credited with each line of a transaction, and why each touch of the person got the credit or not. An id may
 * stand for several transactions: a purchase and a cart, or in several shops.
 * @returns the transactions, and the name under which the caller knows them. Null when the caller may see none.
 */
export async function explainAttribution(deps: ExplainDeps, call: ExplainCall) {
  const isAdvertiser = call.principal.role === 'ADVERTISER'
  const order = (await creditedOrder(deps, call)) ?? (isAdvertiser ? null : call)
  const transactions = order === null ? [] : await explainOrder(deps, call.principal, order)
  if (order === null || transactions.length === 0) return null
  return { eventId: isAdvertiser ? call.eventId : order.eventId, transactions }
}

type Order = Pick<ExplainCall, 'eventId' | 'shopIds'>

async function explainOrder({ analytics, snapshot, pseudonyms }: ExplainDeps, principal: Principal, order: Order) {
  const find = transactionQuery(order)
  const all = await analytics.query<TransactionRow>(find.sql, find.params)
  const stored = attributedLinesQuery(order)
  const lines = all.length > 0 ? await analytics.query<AttributedLineRow>(stored.sql, stored.params) : []
  const touches: ExplainedTouch[] = []
  const settledUntil = settledUntilOf(await readEndedUntil(analytics))
  const isSettled = ({ occurredAt }: { occurredAt: number }) => occurredAt < settledUntil
  for (const shopId of new Set(all.filter((each) => !isSettled(each)).map((each) => each.shopId))) {
    touches.push(...(await touchesOf(analytics, { shopId, eventId: order.eventId }).catch(throwTooSlow)))
  }
  const ofReturns = returnsQuery(order)
  const returns = await analytics.query<ReturnRow>(ofReturns.sql, ofReturns.params)
  const names = namesFor(principal, pseudonyms)
  const byTransaction = Map.groupBy(all, ({ shopId, kind }) => `${shopId} ${kind}`)
  return [...byTransaction.values()].flatMap((versions) => {
    const isOf = (row: { shopId: string; kind: string }) =>
      row.shopId === versions[0]!.shopId && row.kind === versions[0]!.kind
    const back = returns.filter(({ shopId }) => versions[0]!.kind === 'PURCHASE' && shopId === versions[0]!.shopId)
    const settled = isSettled(versions[0]!)
    const evidence = {
      ...{ versions, lines: lines.filter(isOf), touches: settled ? [] : touches.filter(isOf), returns: back },
      settledUntil: settled ? settledUntil : null,
    }
    const view = transactionView({ snapshot, principal, names, pseudonyms }, order.eventId, evidence)
    return view ? [view] : []
  })
}

/** The touches of the persons of the transactions of an id in a shop. */
export async function touchesOf(analytics: Pick<Analytics, 'query'>, id: { shopId: string; eventId: string }) {
  const ofSenders = sendersQuery(id)
  const senders = await analytics.query<SenderRow>(ofSenders.sql, ofSenders.params)
  if (senders.length === 0) return []
  const linesMin = Math.min(...senders.map(({ lineCount }) => lineCount))
  const people = { shopId: id.shopId, cids: [...new Set(senders.map(({ cid }) => cid))] }
  const ofNeeds = needsQuery(people)
  const needs = (await analytics.query<ExplainNeeds>(ofNeeds.sql, ofNeeds.params))[0]!
  const members = await membersOf(analytics, people, needs)
  const { sql, params } = explainQuery(id, { linesMin, members, needs })
  return analytics.query<ExplainedTouch>(sql, params)
}

/** The cids of the persons of some senders. Few persons have links to count places among, and many have none. */
async function membersOf(
  analytics: Pick<Analytics, 'query'>,
  senders: Senders,
  { isCrowded }: ExplainNeeds,
): Promise<MemberRow[]> {
  if (isCrowded === null) return senders.cids.map((cid) => ({ personCid: cid, memberCid: cid }))
  const { sql, params } = membersQuery(senders, isCrowded)
  return analytics.query<MemberRow>(sql, params)
}

function throwTooSlow(error: unknown): never {
  if (!(error instanceof AnalyticsGaveUp)) throw error
  const detail = `To compare the lines with the touches of the person took over ${EXPLAINING_MAX_SECONDS} s: ask again when the load is lower`
  throw new Problem('REPORT_TOO_SLOW', detail, { retryAfterSeconds: 30, cause: error })
}

/**
 * The order behind a pseudonym, among the orders that an advertiser was credited with: the caller, or for others anyone, so that
 * they can look up what an advertiser asks them about.
 */
async function creditedOrder({ analytics, pseudonyms }: ExplainDeps, call: ExplainCall): Promise<Order | null> {
  const { principal, eventId, shopIds } = call
  const occurredAt = timeOfOrder(eventId)
  if (occurredAt === null || shopIds.length === 0) return null
  const accountId = principal.role === 'ADVERTISER' ? principal.accountId : null
  const { sql, params } = creditedOrdersQuery({ accountId, occurredAt, shopIds })
  const orders = await analytics.query<CreditedOrder>(sql, params)
  const found = orders.find((order) => pseudonyms.order(order.accountId, { ...order, occurredAt }) === eventId)
  return found ? { eventId: found.eventId, shopIds: [found.shopId] } : null
}

interface Viewer {
  snapshot: Snapshot
  principal: Principal
  names: DisplayNames
  pseudonyms: Pseudonyms
}

function transactionView(viewer: Viewer, eventId: string, evidence: Evidence) {
  const { snapshot, principal, names } = viewer
  const { versions, lines, touches, returns, settledUntil } = evidence
  const [transaction] = versions as [TransactionRow]
  const isOwn = ownCampaign(snapshot, principal)
  const touchesOf = Map.groupBy(touches, ({ line }) => line)
  const { shopId, kind, occurredAt, cid, uid, currency, imported, proof } = transaction
  const all = transaction.lines.map((item, number) => {
    const stored = lines.find(({ line }) => line === number)
    const seen = (touchesOf.get(number) ?? []).filter(({ campaignId }) => isOwn(campaignId))
    const outcome = outcomeOf(transaction, stored, isOwn)
    return {
      line: number,
      shopProductId: item.shopProductId,
      quantity: item.quantity,
      price: fromMicros(item.priceMicros),
      returnedQuantity: stored?.returnedQuantity ?? 0,
      returnedAmount: fromMicros(stored?.returnedMicros ?? 0),
      outcome,
      why: whyOutcome[outcome],
      credit: stored && outcome === 'CREDITED' ? creditView(snapshot, stored) : null,
      touches: seen.map((touch) => touchView(viewer, touch)),
    }
  })
  // Advertisers see only orders that they were credited with, and of these only the lines of products that they advertised.
  const isAdvertiser = principal.role === 'ADVERTISER'
  if (isAdvertiser && all.every(({ outcome }) => outcome !== 'CREDITED')) return null
  const shown = isAdvertiser ? all.filter(isOfAds) : all
  const [settings] = lines
  return {
    shopId,
    kind,
    occurredAt: toIso(occurredAt),
    clientId: names.person(shopId, cid),
    userId: names.person(shopId, uid),
    currency,
    imported,
    proof,
    unconfirmed: settings?.trust === 'PREFER_SIGNED' && proof === 'ANONYMOUS',
    windows: settings && { clickWindowHours: settings.clickWindowHours, viewWindowHours: settings.viewWindowHours },
    settledUntil: settledUntil === null ? null : toIso(settledUntil),
    lines: shown,
    ...(!isAdvertiser && {
      pseudonyms: pseudonymsOf(viewer, { shopId, eventId, occurredAt }, lines),
      versions: versionViews(versions),
      returns: returns.map(returnedView),
    }),
  }
}

/** The pseudonyms under which the advertisers that are credited with a line see an order. */
function pseudonymsOf({ snapshot, pseudonyms }: Viewer, order: OrderName, lines: readonly AttributedLineRow[]) {
  const accountIds = lines.flatMap(({ outcome, campaignId }) =>
    outcome === 'CREDITED' ? (snapshot.getEver('Campaign', campaignId)?.body.accountId ?? []) : [],
  )
  return [...new Set(accountIds)].map((accountId) => ({
    accountId,
    accountName: snapshot.getEver('Account', accountId)?.body.name ?? null,
    eventId: pseudonyms.order(accountId, order),
  }))
}

/** Whether the caller's ads were of the product of a line, as far as is known. */
const isOfAds = ({
  credit,
  touches,
}: {
  credit: object | null
  touches: readonly { match: string | null }[]
}): boolean => credit !== null || touches.some(({ match }) => match !== null)

function returnedView({ occurredAt, receivedAt, ...told }: ReturnRow) {
  return { ...told, occurredAt: toIso(occurredAt), receivedAt: toIso(receivedAt) }
}

function ownCampaign(snapshot: Snapshot, { role, accountId }: Principal): (campaignId: string) => boolean {
  return (campaignId) => role !== 'ADVERTISER' || snapshot.getEver('Campaign', campaignId)?.body.accountId === accountId
}

function outcomeOf(
  { imported }: TransactionRow,
  stored: AttributedLineRow | undefined,
  isOwn: (campaignId: string) => boolean,
): ExplainedOutcome {
  if (imported) return 'IMPORTED'
  if (!stored) return 'PENDING'
  return stored.outcome === 'CREDITED' && !isOwn(stored.campaignId) ? 'CREDITED_TO_ANOTHER' : stored.outcome
}

function creditView(snapshot: Snapshot, line: AttributedLineRow) {
  const { match, touchType, touchEventId, touchAt, campaignId, adId } = line
  const campaignName = snapshot.getEver('Campaign', campaignId)?.body.name ?? null
  return { campaignId, campaignName, adId, match, touchType, touchEventId, touchAt: toIso(touchAt) }
}

function touchView({ snapshot, names }: Viewer, touch: ExplainedTouch) {
  const { touchEventId, touchType, touchAt, touchCid, verdict, campaignId, adId, match, inWindow, result } = touch
  return {
    eventId: touchEventId,
    type: touchType,
    occurredAt: toIso(touchAt),
    clientId: names.person(touch.shopId, touchCid),
    campaignId,
    campaignName: snapshot.getEver('Campaign', campaignId)?.body.name ?? null,
    adId,
    verdict,
    match: match || null,
    inWindow: Boolean(inWindow),
    result,
    why: whyTouch[result],
  }
}

import type { Analytics } from '../../../infra/analytics/port.ts'
import { type ExplainedTouch, explainQuery } from '../../../infra/analytics/queries/explain-line.ts'
import {
  type AttributedLineRow,
  attributedLinesQuery,
  type TransactionRow,
  transactionQuery,
} from '../../../infra/analytics/queries/explain-transaction.ts'
import { fromMicros } from '../../domain/money.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { Principal } from '../auth.ts'
import { toIso } from '../edge.ts'
import { type LineOutcome, whyOutcome, whyTouch } from './reasons.ts'

/** What is known of one transaction. */
interface Evidence {
  transaction: TransactionRow
  /** As attributed; empty until then. */
  lines: AttributedLineRow[]
  touches: ExplainedTouch[]
}

/**
 * Who was credited with each line of a transaction, and why each touch of the person got the credit or not. An id may
 * stand for several transactions: a purchase and a cart, or in several shops. Empty: none that the caller may see.
 */
export async function explainAttribution(
  { analytics, snapshot }: { analytics: Analytics; snapshot: Snapshot },
  call: { principal: Principal; eventId: string; shopIds: readonly string[] },
) {
  const { principal, eventId, shopIds } = call
  const find = transactionQuery({ eventId, shopIds })
  const transactions = await analytics.query<TransactionRow>(find.sql, find.params)
  const stored = attributedLinesQuery({ eventId, shopIds })
  const lines = transactions.length > 0 ? await analytics.query<AttributedLineRow>(stored.sql, stored.params) : []
  const touches: ExplainedTouch[] = []
  for (const shopId of new Set(transactions.map((each) => each.shopId))) {
    const { sql, params } = explainQuery({ shopId, eventId })
    touches.push(...(await analytics.query<ExplainedTouch>(sql, params)))
  }
  return transactions.flatMap((transaction) => {
    const isOf = (row: { shopId: string; kind: string }) =>
      row.shopId === transaction.shopId && row.kind === transaction.kind
    const view = transactionView(snapshot, principal, {
      transaction,
      lines: lines.filter(isOf),
      touches: touches.filter(isOf),
    })
    return view ? [view] : []
  })
}

function transactionView(snapshot: Snapshot, principal: Principal, { transaction, lines, touches }: Evidence) {
  const isOwn = ownCampaign(snapshot, principal)
  const { shopId, kind, occurredAt, cid, uid, currency, imported } = transaction
  const all = transaction.lines.map((item, number) => {
    const stored = lines.find(({ line }) => line === number)
    const seen = touches.filter(({ line, campaignId }) => line === number && isOwn(campaignId))
    const outcome = outcomeOf(transaction, stored, isOwn)
    return {
      line: number,
      shopProductId: item.shopProductId,
      quantity: item.quantity,
      price: fromMicros(item.priceMicros),
      outcome,
      why: whyOutcome[outcome],
      credit: stored && outcome === 'CREDITED' ? creditView(snapshot, stored) : null,
      touches: seen.map((touch) => touchView(snapshot, touch)),
    }
  })
  // Advertisers see the lines that their ads had to do with, and not who the buyer is.
  const isAdvertiser = principal.role === 'ADVERTISER'
  const shown = isAdvertiser ? all.filter((line) => line.touches.length > 0) : all
  if (shown.length === 0) return null
  const [settings] = lines
  return {
    shopId,
    kind,
    occurredAt: toIso(occurredAt),
    ...(isAdvertiser ? {} : { clientId: cid, userId: uid }),
    currency,
    imported,
    windows: settings && { clickWindowHours: settings.clickWindowHours, viewWindowHours: settings.viewWindowHours },
    lines: shown,
  }
}

function ownCampaign(snapshot: Snapshot, { role, accountId }: Principal): (campaignId: string) => boolean {
  return (campaignId) => role !== 'ADVERTISER' || snapshot.getEver('Campaign', campaignId)?.body.accountId === accountId
}

function outcomeOf(
  { imported }: TransactionRow,
  stored: AttributedLineRow | undefined,
  isOwn: (campaignId: string) => boolean,
): LineOutcome {
  if (imported) return 'IMPORTED'
  if (!stored) return 'PENDING'
  return stored.outcome === 'CREDITED' && !isOwn(stored.campaignId) ? 'CREDITED_TO_ANOTHER' : stored.outcome
}

function creditView(snapshot: Snapshot, line: AttributedLineRow) {
  const { match, touchType, touchEventId, touchAt, campaignId, adId } = line
  const campaignName = snapshot.getEver('Campaign', campaignId)?.body.name ?? null
  return { campaignId, campaignName, adId, match, touchType, touchEventId, touchAt: toIso(touchAt) }
}

function touchView(snapshot: Snapshot, touch: ExplainedTouch) {
  const { touchEventId, touchType, touchAt, touchCid, verdict, campaignId, adId, match, inWindow, result } = touch
  return {
    eventId: touchEventId,
    type: touchType,
    occurredAt: toIso(touchAt),
    clientId: touchCid,
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

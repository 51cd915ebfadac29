import type { RunOutcome } from '../../../../schemas/http/panel/shops/feed-runs.ts'
import type { FeedRun } from '../../../../schemas/records/entities.ts'
import { isCurrency } from '../../../domain/codes.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { toIso } from '../../resources/conversions.ts'
import { issueCodes } from '../issue-codes.ts'

/** Above this share of rejected products, a run counts as mostly rejected: most of the file is not in the shop. */
const MOSTLY_REJECTED_SHARE = 0.5
/** How many causes of a run are listed. */
const CAUSES_MAX = 10

/** The result of a run, for people. The run's status says only how far it went. */
export function outcomeOf(run: FeedRun, shopCurrency: string | null): RunOutcome {
  const { status, total, rejected, warnings, failure, currency } = run
  if (status === 'FAILED') return failure === 'REPLACED' ? 'REPLACED' : 'FAILED'
  if (status !== 'DONE') return status
  if (total === 0) return 'NO_PRODUCTS'
  if (rejected === total) return 'ALL_REJECTED'
  if (rejected > total * MOSTLY_REJECTED_SHARE) return 'MOSTLY_REJECTED'
  if (rejected > 0) return 'PARTLY_REJECTED'
  return warnings > 0 || isOfOtherCurrency(currency, shopCurrency) ? 'SUCCEEDED_WITH_WARNINGS' : 'SUCCEEDED'
}

interface Cause {
  code: string
  /** The currency for CURRENCY_MISMATCH, the field for MISSING_FIELD, otherwise null. */
  value: string | null
  count: number
}

/** Why products were rejected, the most frequent cause first. A product may have several. */
function causesOf({ issueCounts, rejectedCurrencies, missingFields }: FeedRun) {
  const split = { CURRENCY_MISMATCH: rejectedCurrencies, MISSING_FIELD: missingFields }
  const causes = Object.entries(issueCounts).flatMap(([code, count]): Cause[] => {
    if (issueCodes[code as keyof typeof issueCodes]?.severity !== 'REJECTED') return []
    const values = Object.entries(split[code as keyof typeof split] ?? {})
    return values.length > 0
      ? values.map(([value, each]) => ({ code, value, count: each }))
      : [{ code, value: null, count }]
  })
  return causes.sort((a, b) => b.count - a.count).slice(0, CAUSES_MAX)
}

/** The currency that more prices are in than were accepted in the feed's own. Null when changing the currency would not help. */
function betterCurrency({ rejectedCurrencies, total, rejected }: FeedRun): string | null {
  const [most] = Object.entries(rejectedCurrencies).sort(([, a], [, b]) => b - a)
  return most && most[1] > total - rejected && isCurrency(most[0]) ? most[0] : null
}

function isOfOtherCurrency(currency: string | null, shopCurrency: string | null): boolean {
  return currency !== null && shopCurrency !== null && currency !== shopCurrency
}

/** Tells up to which time (UTC epoch ms) all offers are in the product index; asked for a time, so that it need not look if it knows. */
export type IndexedUpTo = (at: number) => Promise<number>

/** Runs as the API shows them. */
export async function runViews(
  { snapshot, indexedUpTo }: { snapshot: Snapshot; indexedUpTo: IndexedUpTo },
  runs: readonly Entity<'FeedRun'>[],
) {
  const upTo = await indexedUpTo(Math.max(0, ...runs.map(({ body }) => body.endedAt ?? 0)))
  return runs.map((run) => runView(snapshot, run, upTo))
}

/** A run as the API shows it, when all offers up to a time are in the product index. */
export function runView(snapshot: Snapshot, { id, body }: Entity<'FeedRun'>, indexedUpTo: number) {
  const { rejectedCurrencies: _currencies, missingFields: _fields, issuesRunId: _issues, ...shown } = body
  const shopCurrency = snapshot.getEver('Shop', body.shopId)?.body.currency ?? null
  return {
    id,
    ...shown,
    outcome: outcomeOf(body, shopCurrency),
    causes: causesOf(body),
    betterCurrency: betterCurrency(body),
    shopCurrency,
    indexed: body.endedAt !== null && body.endedAt <= indexedUpTo,
    queuedAt: toIso(body.queuedAt),
    startedAt: toIso(body.startedAt),
    endedAt: toIso(body.endedAt),
  }
}

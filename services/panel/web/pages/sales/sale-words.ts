import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../../schemas/durations.ts'
import type { Answer, Item } from '../../client/types.ts'
import { t } from '../../messages/pages/sales.ts'

export type ListedSale = Item<'/v1/panel/transactions'>
export type ExplainedTransaction = Answer<'/v1/panel/explain/attribution/{eventId}'>['transactions'][number]
export type ExplainedLine = ExplainedTransaction['lines'][number]
export type Touch = ExplainedLine['touches'][number]

export const kinds = ['PURCHASE', 'CART', 'WISHLIST'] as const
export const kindLabel = (kind: string): string => (kind === 'CART' || kind === 'WISHLIST' ? t(kind) : t('PURCHASE'))

export const proofLabel = (proof: ExplainedTransaction['proof']): string => t(proof)

const verdicts = [
  'BOT',
  'DUPLICATE',
  'EXPIRED',
  'REPLAYED',
  'CAPPED',
  'OVER_BUDGET',
  'INVALID_TRAFFIC',
  'VOIDED',
] as const
/** The reason for which views and clicks of a verdict were filtered out, such as bots. */
function filteredAs(verdict: string): string {
  const known = verdicts.find((each) => each === verdict)
  return known ? t(`filtered${known}`) : verdict.toLowerCase().replaceAll('_', ' ')
}

const results = [
  ...(['WON', 'AFTER_THE_TRANSACTION', 'OUT_OF_WINDOW', 'OTHER_PRODUCT', 'CLICK_GOES_BEFORE_VIEW'] as const),
  ...(['DIRECT_GOES_BEFORE_HALO', 'LATER_TOUCH_GOES_BEFORE', 'GREATER_EVENT_ID_GOES_BEFORE'] as const),
] as const
/** A short label for why a touch got the credit or not. The API adds a sentence. */
export function resultLabel({ result, verdict }: Touch): string {
  if (result === 'NOT_VALID') return t('NOT_VALID', { reason: filteredAs(verdict) })
  const known = results.find((each) => each === result)
  return known ? t(known) : result
}

const outcomes = ['CREDITED', 'CREDITED_TO_ANOTHER', 'NO_TOUCH', 'NO_MATCH', 'UNPROVEN', 'PENDING', 'IMPORTED'] as const

/** The outcome of a line. If no view or click was valid, it says why they were filtered out, because the list below may show some. */
export function outcomeLabel({ outcome, touches }: ExplainedLine): string {
  if (outcome === 'NO_TOUCH' && touches.length > 0) {
    const filtered = touches.filter(({ result }) => result === 'NOT_VALID')
    if (filtered.length === 0) return t('noneInWindow')
    const reasons = new Intl.ListFormat('en').format(new Set(filtered.map(({ verdict }) => filteredAs(verdict))))
    return t('filteredAs', { count: filtered.length, reasons })
  }
  const known = outcomes.find((each) => each === outcome)
  return known ? t(known) : outcome
}

const UNITS: readonly [name: 'day' | 'hour' | 'minute' | 'second', ms: number][] = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', 1_000],
]

/** The distance between two times: 2 days before, 5 minutes after. */
export function distance(at: string, from: string): string {
  const ms = Date.parse(at) - Date.parse(from)
  const [unit, unitMs] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? UNITS.at(-1)!
  const count = Math.round(Math.abs(ms) / unitMs)
  return t(ms > 0 ? 'after' : 'before', { unit, count })
}

export const campaignPath = (campaignId: string): string => `/campaigns/${campaignId}`

export const salePath = ({ shopId, eventId }: { shopId: string; eventId: string }): string =>
  `/sales/${shopId}/${encodeURIComponent(eventId)}`

import type { Answer, Item } from '../../client/types.ts'

export type ListedSale = Item<'/v1/panel/transactions'>
export type ExplainedTransaction = Answer<'/v1/panel/explain/attribution/{eventId}'>['transactions'][number]
export type ExplainedLine = ExplainedTransaction['lines'][number]
export type Touch = ExplainedLine['touches'][number]
export type ExplainedSlot = Answer<'/v1/panel/explain/emission/{requestId}'>['slots'][number]

export const kinds = { PURCHASE: 'Purchase', CART: 'Cart', WISHLIST: 'Wishlist' } as const
export const kindLabel = (kind: string): string => kinds[kind as keyof typeof kinds] ?? kind

/** Short labels for why a touch got the credit or not. The API adds a sentence. */
const results: Record<string, string> = {
  WON: 'Got the credit',
  NOT_VALID: 'Does not count',
  AFTER_THE_TRANSACTION: 'Came afterwards',
  OUT_OF_WINDOW: 'Too long before',
  OTHER_PRODUCT: 'Another product',
  CLICK_GOES_BEFORE_VIEW: 'A click goes first',
  DIRECT_GOES_BEFORE_HALO: 'The product itself goes first',
  LATER_TOUCH_GOES_BEFORE: 'A later one goes first',
  GREATER_EVENT_ID_GOES_BEFORE: 'Another of that moment',
}
export const resultLabel = (result: string): string => results[result] ?? result

const outcomes: Record<string, string> = {
  CREDITED: 'Credited',
  CREDITED_TO_ANOTHER: 'Credited to another',
  NO_TOUCH: 'No views or clicks',
  NO_MATCH: 'No matching ad',
  UNPROVEN: 'Sender unknown',
  PENDING: 'Being attributed',
  IMPORTED: 'Imported',
}
export const outcomeLabel = (outcome: string): string => outcomes[outcome] ?? outcome

const proofs: Record<ExplainedTransaction['proof'], string> = {
  ANONYMOUS: 'Unknown sender',
  SIGNED: 'Signed by the shop',
  TOKEN: "From the shop's server",
}
export const proofLabel = (proof: ExplainedTransaction['proof']): string => proofs[proof]

const reasons: Record<string, string> = {
  OUTRANKED: 'Outranked',
  CAPPED: 'Cap reached',
  DUPLICATE: 'Shown already',
  BUDGET: 'No budget left',
  BELOW_RESERVE: 'Bid too low',
  MIN_AD_COUNT: 'Too few ads',
}
export const reasonLabel = (reason: string): string => reasons[reason] ?? reason

export const matches: Record<string, string> = {
  DIRECT: 'this very product, or a variant of it',
  HALO: "on the campaign's attribution list",
}

const UNITS: readonly [name: string, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
]

/** The distance of a time from another: 2 days before, 5 minutes after. */
export function distance(at: string, from: string): string {
  const ms = Date.parse(at) - Date.parse(from)
  const [unit, unitMs] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? UNITS.at(-1)!
  const count = Math.round(Math.abs(ms) / unitMs)
  return `${count} ${unit}${count === 1 ? '' : 's'} ${ms > 0 ? 'after' : 'before'}`
}

export const salePath = ({ shopId, eventId }: { shopId: string; eventId: string }): string =>
  `/sales/${shopId}/${encodeURIComponent(eventId)}`

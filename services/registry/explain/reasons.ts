import type { VOIDED } from '../../../infra/analytics/queries/corrections.ts'
import type { ExplainedTouch } from '../../../infra/analytics/queries/explain/line.ts'
import type { DropReason, EmittedSlot, Verdict } from '../../../schemas/records/events.ts'

/** Every outcome that an explanation can name, in words. */

const whyDropped: Record<Exclude<DropReason, 'OUTRANKED'>, string> = {
  CAPPED: 'This person had already seen the ad as often as its campaign allows in a day',
  DUPLICATE: 'The same banner, or the same product or a variant of it, was already shown in this request',
  BUDGET: 'The campaign did not have enough budget left at that moment',
  BELOW_RESERVE: "The bid was below the shop's reserve price",
  MIN_AD_COUNT: 'There were fewer ads than the minimum that was requested, so none was shown',
}

export function whyNotShown(reason: DropReason, kind: string): string {
  if (reason !== 'OUTRANKED') return whyDropped[reason]
  return kind === 'DISPLAY' ? 'Outranked: other banners bid more' : 'Outranked: relevance × predicted CTR × bid'
}

export function whyShort(shortfall: NonNullable<EmittedSlot['shortfall']>, ads: number): string {
  if (shortfall !== 'NO_CANDIDATES') return whyFewer[shortfall]
  return ads === 0
    ? 'No running campaign matches this request'
    : 'Fewer ads of running campaigns match the request than it asked for'
}

const whyFewer: Record<Exclude<NonNullable<EmittedSlot['shortfall']>, 'NO_CANDIDATES'>, string> = {
  INACTIVE: 'The ad unit is switched off',
  MIN_AD_COUNT: 'There were fewer ads than the minimum that was requested',
  DEADLINE: 'The time limit for choosing ads was reached',
  NO_REFERENCE: 'The product that the request is about is not in the feed',
}

export const whyVerdict: Record<Verdict | typeof VOIDED, string> = {
  VALID: 'It counts',
  BOT: 'It came from a bot',
  DUPLICATE: 'The same ad of the same request had been counted already',
  EXPIRED: 'It came too long after the ad was served',
  CAPPED: 'This person had already seen the ad as often as its campaign allows in a day',
  OVER_BUDGET: "The campaign's budget was spent",
  REPLAYED: 'It came from a browser that reported many ads of that day that had been served to others',
  INVALID_TRAFFIC: 'It broke a rule against invalid traffic',
  VOIDED: 'It counted at first and was voided later. What had been billed for it was credited back',
}

export const whyTouch: Record<ExplainedTouch['result'], string> = {
  WON: 'It was credited: it was the strongest touch for this product within the attribution window',
  NOT_VALID: 'It does not count: see its verdict',
  AFTER_THE_TRANSACTION: 'It came after the transaction',
  OUT_OF_WINDOW: 'It was too long before the transaction, outside the attribution window',
  OTHER_PRODUCT: "It was of another product, and this one is not on the campaign's attribution list",
  CLICK_GOES_BEFORE_VIEW: 'Another touch was a click, which takes precedence over a view',
  DIRECT_GOES_BEFORE_HALO: 'Another touch was of this very product, which takes precedence over the attribution list',
  LATER_TOUCH_GOES_BEFORE: 'Another touch of the same kind was later',
  GREATER_EVENT_ID_GOES_BEFORE:
    'Another touch of the same kind happened at the same moment and has the greater event id',
}

export const whyOutcome = {
  CREDITED: 'A campaign was credited with this line',
  CREDITED_TO_ANOTHER: "Another advertiser's campaign was credited with this line",
  NO_TOUCH: 'The person had no valid view or click in the window before it',
  NO_MATCH: 'The person had views or clicks in the window, but none of an ad that this product can be credited to',
  UNPROVEN: 'The shop credits only purchases whose sender proved itself, and the sender of this one did not',
  PENDING: 'It is stored, and will be attributed within seconds',
  IMPORTED: 'Imported history feeds bestsellers and recommendations, and is never attributed',
} as const
export type ExplainedOutcome = keyof typeof whyOutcome

import { DAY_MS } from '../../../schemas/durations.ts'

/**
 * Which touch gets the credit for a line of a transaction.
 *
 * A touch is a valid impression or click of the person who bought (`LINK_PLACES`), in the same shop, that was not voided.
 * It is a candidate for the line when no `DISQUALIFICATIONS` applies: it came before the transaction, by no more than
 * its window, and its ad matches the product. Of the candidates, the first by `TOUCH_PRECEDENCE` gets the credit.
 * Imported transactions earn no credit, and have no attributed lines.
 *
 * The rules are stated here as data and are executed as SQL, which `infra/analytics/queries/attribution` makes of them.
 * Attribution, reports under another model and explanations all use the same SQL.
 */

/**
 * Increase this number with every change to a rule in this folder, to the lookup tables of people and transactions, or to what is
 * stored of a line. Attribution then fills those tables again and recomputes all lines.
 */
export const CREDIT_RULES_VERSION = 6

/**
 * The attribution windows of shops that set none: the longest time, inclusive, from a touch to a transaction that it may
 * get credit for; 0 hours for never. A change of a shop's windows applies to past transactions too.
 */
export const DEFAULT_WINDOWS = { clickWindowHours: 14 * 24, viewWindowHours: 24 } as const

/**
 * How an ad matches the product of a line.
 * DIRECT: it is a sponsored ad of this product, or an ad of one of its item groups.
 * HALO: the product was on the attribution list of the ad's campaign when it was bought. The list is taken from the last
 * version of the campaign made by then, or from the first version when the purchase came before it.
 */
export type Match = 'DIRECT' | 'HALO'

/** Why a touch is no candidate for a line. The first that applies is reported. */
export const DISQUALIFICATIONS = [
  /** It was judged invalid, or was voided later. */
  'NOT_VALID',
  'AFTER_THE_TRANSACTION',
  'OUT_OF_WINDOW',
  /** It matches neither DIRECT nor HALO. */
  'OTHER_PRODUCT',
] as const

export type Disqualification = (typeof DISQUALIFICATIONS)[number]

/**
 * Which of two candidates gets the credit: the first criterion in which they differ decides. `prefers` is GREATEST, or
 * the value that wins over any other. `loserTold` is the result reported for the losing touch.
 */
export const TOUCH_PRECEDENCE = [
  { field: 'touchType', prefers: 'CLICK', loserTold: 'CLICK_GOES_BEFORE_VIEW' },
  { field: 'match', prefers: 'DIRECT', loserTold: 'DIRECT_GOES_BEFORE_HALO' },
  /** Last touch. */
  { field: 'touchAt', prefers: 'GREATEST', loserTold: 'LATER_TOUCH_GOES_BEFORE' },
  /** For two touches of the same millisecond, any fixed choice will do. */
  { field: 'touchEventId', prefers: 'GREATEST', loserTold: 'GREATER_EVENT_ID_GOES_BEFORE' },
] as const

/** The result of a touch for a line: it got the credit, or the first reason why not. */
export type TouchResult = 'WON' | Disqualification | (typeof TOUCH_PRECEDENCE)[number]['loserTold']

/** What became of a line: the first of these that applies. */
export const ATTRIBUTION_OUTCOMES = [
  /** The shop wants proof of purchases, and the sender gave none: `UNPROVEN` in `transactions.ts`. */
  'UNPROVEN',
  /** A candidate got the credit. */
  'CREDITED',
  /** The person has valid touches in the window, but none of them matches the product. */
  'NO_MATCH',
  'NO_TOUCH',
] as const

export type AttributionOutcome = (typeof ATTRIBUTION_OUTCOMES)[number]

/**
 * How a what-if report divides the credit of a line. LAST_TOUCH follows `TOUCH_PRECEDENCE` and is what attribution
 * stores. The others divide the credit among all candidates by their time alone, as Google Analytics did with its models.
 */
export type AttributionModel = 'LAST_TOUCH' | 'FIRST_TOUCH' | 'LINEAR' | 'TIME_DECAY' | 'POSITION'

/** TIME_DECAY: a touch that is this much older weighs half as much. Seven days is the usual choice. */
export const HALF_LIFE_MS = 7 * DAY_MS

/** POSITION: the first and the last touch get this share each; those between divide the rest equally. */
export const END_SHARE = 0.4

/** Places per uid. Three browsers that forget their cid every week have 171 cids in the 400 days that the log keeps. */
export const CIDS_PER_UID_MAX = 200

/** Places per cid: enough for a family that shares a tablet and has members who registered twice. */
export const UIDS_PER_CID_MAX = 20

/**
 * Which cids are one person: two cids of a shop are the same person when both were seen with the same uid and both pairs
 * of cid and uid have a place.
 *
 * Places keep strangers from growing a person without bound. Each uid has places for the cids that it was seen with
 * first, each cid for the uids that it was seen with first; a later pair adds nothing and displaces nothing. Pairs
 * reported by a proven sender have as many places of their own, so that strangers who fill the others cannot keep them
 * out. "First" is by the clock of the intake, then by the id, and never by the order of arrival.
 */
export const LINK_PLACES = {
  uid: { takenBy: 'cid', max: CIDS_PER_UID_MAX },
  cid: { takenBy: 'uid', max: UIDS_PER_CID_MAX },
} as const

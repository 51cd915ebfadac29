/**
 * Limits of what people enter in the panel. The API refuses what exceeds them, and the forms of the panel do not accept it.
 * This file imports nothing, so that the panel is built with the numbers alone and not with the schemas.
 */

/** Limit of a name or a note. */
export const NAME_CHARS_MAX = 200
/** Limit of an id that a shop gives to an event, a product, a browser or a person. */
export const ID_CHARS_MAX = 256
export const URL_CHARS_MAX = 2_000
export const PASSWORD_CHARS_MIN = 10
/** Entries of a list on one page. */
export const PAGE_LIMIT_MAX = 1_000
/** The longest period of a report or a search. */
export const PERIOD_DAYS_MAX = 400

/** The least amount above 0: amounts have at most six decimals. */
export const AMOUNT_MIN = 0.000001
export const CAMPAIGN_PRODUCT_IDS_MAX = 10_000
/** Brands, categories and other values in one part of a campaign's product rule. */
export const RULE_VALUES_MAX = 1_000
/** Impressions per person and day. */
export const CAPPING_MAX = 1_000
/** Sellers in one answer, and ids of sellers in one query. */
export const SELLERS_MAX = 1_000

export const BANNERS_MAX = 100
/** Values of one kind in the targeting of a display campaign. */
export const TARGETING_VALUES_MAX = 1_000
/** Size of an upload, and of a stored image, which must fit into one record of the log. */
export const IMAGE_BYTES_MAX = 900_000
export const REJECTION_CHARS_MAX = 1_000

export const FORMAT_IMAGES_MAX = 10
export const FORMAT_TEXT_FIELDS_MAX = 20
export const FORMAT_SIDE_PIXELS_MAX = 4_096
export const TEXT_FIELD_CHARS_MAX = 1_000
/** Ads in one slot. */
export const ADS_MAX = 100

export const CLICK_WINDOW_HOURS_MAX = 2_160
export const VIEW_WINDOW_HOURS_MAX = 720
/** The same for a report with windows of its own. */
export const REPORT_WINDOW_HOURS_MAX = 2_160
/** The number that a rule against invalid traffic allows. */
export const TRAFFIC_RULE_MAX = 1_000_000

export const FEED_USERNAME_CHARS_MAX = 200
export const FEED_PASSWORD_CHARS_MAX = 1_000
export const SYNONYMS_CHARS_MAX = 100_000
export const PHRASES_PREVIEWED_MAX = 20
export const PHRASE_CHARS_MAX = 200
/** Lines of one answer of attributed sales. */
export const SALES_LIMIT_MAX = 10_000

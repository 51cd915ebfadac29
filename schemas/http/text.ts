/** What \s matches, without control characters. */
const BLANKS = ' \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'

/** Text that is not blank, on one or more lines. */
export const TEXT_LINES_PATTERN = '\\S'
/** Text that is not blank, without control characters. Linear: no blank can be the first letter, so a matcher never backtracks. */
export const TEXT_PATTERN = `^[${BLANKS}]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$`
/** Text without control characters, perhaps empty. */
export const NO_CONTROL_PATTERN = '^[^\\u0000-\\u001f\\u007f]*$'
/** In upper or lower case. */
export const UUID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'
/** ISO 4217. */
export const CURRENCY_PATTERN = '^[A-Za-z]{3}$'
export const CAPITAL_CURRENCY_PATTERN = '^[A-Z]{3}$'
/** ISO 3166-1 alpha-2. */
export const COUNTRY_PATTERN = '^[A-Za-z]{2}$'
export const CAPITAL_COUNTRY_PATTERN = '^[A-Z]{2}$'
/** Language and country, or empty. */
export const LOCALE_PATTERN = '^([A-Za-z]{2,3}_[A-Za-z]{2})?$'

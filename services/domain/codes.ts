/** Standard codes that the API uses. Case matters: each has one spelling. */

const currencies = new Set(Intl.supportedValuesOf('currency'))

/** ISO 3166-1 alpha-2, officially assigned. */
export const countries: ReadonlySet<string> = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
    'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO ' +
    'FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE ' +
    'JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO ' +
    'MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW ' +
    'PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM ' +
    'TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
  ).split(' '),
)

/** ISO 4217: EUR. */
export function isCurrency(code: string): boolean {
  return currencies.has(code)
}

/** ISO 3166-1 alpha-2: PL. */
export function isCountry(code: string): boolean {
  return countries.has(code)
}

/** An IANA name in its exact spelling: Europe/Warsaw. UTC offsets are not time zones, because they have no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Z][\w+-]*(\/[A-Z][\w+-]*)*$/.test(name)) return false
  try {
    const resolved = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
    // An alias resolves to another name. A name that resolves to itself in another case is a misspelling.
    return resolved === name || resolved.toLowerCase() !== name.toLowerCase()
  } catch {
    return false
  }
}

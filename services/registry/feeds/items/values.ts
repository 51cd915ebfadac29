import { OFFER_LIMITS } from '../../../domain/catalogue/offer.ts'

/** Readers of single values. Each returns null for a value that has none of the accepted forms. */

/** A map, because an object has names such as constructor, too. */
const AVAILABILITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    instock: 'in_stock',
    availablefororder: 'in_stock',
    limitedavailability: 'in_stock',
    outofstock: 'out_of_stock',
    soldout: 'out_of_stock',
    discontinued: 'out_of_stock',
    preorder: 'preorder',
    backorder: 'backorder',
  }),
)
const SCHEMA_ORG = /^https?:\/\/schema\.org\//

/** in_stock, out_of_stock, preorder or backorder; spaces, dashes, case and schema.org's names do not matter. */
export function readAvailability(text: string): string | null {
  const name = text
    .toLowerCase()
    .replace(SCHEMA_ORG, '')
    .replace(/[\s_-]/g, '')
  return AVAILABILITIES.get(name) ?? null
}

export function readCondition(text: string): string | null {
  const condition = text
    .toLowerCase()
    .replace(SCHEMA_ORG, '')
    .replace(/condition$/, '')
  return oneOf(['new', 'refurbished', 'used'], condition)
}

export function readAgeGroup(text: string): string | null {
  return oneOf(['newborn', 'infant', 'toddler', 'kids', 'adult', 'all ages'], text.toLowerCase())
}

export function readGender(text: string): string | null {
  return oneOf(['male', 'female', 'unisex'], text.toLowerCase())
}

export function readEnergyClass(text: string): string | null {
  return /^([A-G]|A\+{1,3})$/.test(text.toUpperCase()) ? text.toUpperCase() : null
}

export function readBoolean(text: string): boolean | null {
  if (/^(yes|true|1)$/i.test(text)) return true
  return /^(no|false|0)$/i.test(text) ? false : null
}

export function readCountry(text: string): string | null {
  return /^[a-z]{2}$/i.test(text) ? text.toUpperCase() : null
}

/** The path's levels joined by " > ", without empty levels. Null when no level is left. */
export function readCategoryPath(text: string): string | null {
  const levels = text
    .split('>')
    .map((level) => level.trim())
    .filter((level) => level !== '')
  return levels.length > 0 ? levels.join(' > ') : null
}

/** The characters that RFC 3986 allows, and |. */
const URL_CHARACTERS = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%|]+$/

/** An absolute http or https URL. Characters that a URL may not have are percent-encoded. */
export function readWebUrl(text: string): string | null {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  if (!url) return null
  return URL_CHARACTERS.test(text) ? text : url.href
}

/** Schemes that run code or open a file instead of an application. */
const UNSAFE_SCHEMES = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:'])

/** An absolute URL that an application may open. */
export function readDeepLink(text: string): string | null {
  const url = text.length <= OFFER_LIMITS.urlChars ? URL.parse(text) : null
  return url && !UNSAFE_SCHEMES.has(url.protocol) ? text : null
}

const DATE = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2})?)(Z|[+-]\d{2}:?\d{2})?)?$/i

/** An ISO 8601 period like `2026-11-01T08:00+0100/2026-11-30`: UTC without an offset, the whole day without a time. Epoch ms. */
export function readPeriod(text: string): { from: number; to: number } | null {
  const [start, end, ...more] = text.split('/').map((part) => part.trim())
  const from = readDate(start ?? '', '00:00')
  const to = readDate(end ?? '', '23:59:59')
  return from === null || to === null || to <= from || more.length > 0 ? null : { from, to }
}

/** A date like `2026-11-30T20:00+0100`: UTC without an offset, the end of the day without a time. Epoch ms. */
export const readExpiry = (text: string): number | null => readDate(text, '23:59:59')

function readDate(text: string, timeOfDay: string): number | null {
  const match = DATE.exec(text)
  if (!match) return null
  const [, day, time = timeOfDay, zone = 'Z'] = match
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  const at = Date.parse(`${day}T${time}${offset}`)
  return Number.isNaN(at) ? null : at
}

/**
 * The digits (8, 12, 13 or 14) of a GTIN. Null when the text is not the GTIN of a product: wrong length, wrong check digit, or a
 * range that is not for products (02, 04, 2: in-store numbers; 98, 99: coupons). These are the rules of Google Merchant Center.
 * Check digit: GS1 General Specifications, section 7.9.
 */
export function readGtin(text: string): string | null {
  const digits = text.replace(/[\s-]/g, '')
  if (!/^(\d{8}|\d{12,14})$/.test(digits) || /^0+$/.test(digits)) return null
  let sum = 0
  for (let i = 0; i < digits.length - 1; i++) {
    const weight = (digits.length - i) % 2 === 0 ? 3 : 1
    sum += Number(digits[i]) * weight
  }
  if ((10 - (sum % 10)) % 10 !== Number(digits.at(-1))) return null
  if (digits.length > 8 && /^(2|02|04|98|99)/.test(digits.padStart(14, '0').slice(1))) return null
  return digits
}

function oneOf<T extends string>(allowed: readonly T[], value: string): T | null {
  return (allowed as readonly string[]).includes(value) ? (value as T) : null
}

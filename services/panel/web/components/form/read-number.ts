/** How a field writes its number. The style decides the separators: some locales write money differently from counts. */
export interface NumberStyle {
  /** BCP 47; default: the locale of the browser. */
  locale?: string
  /** ISO 4217, for an amount of money. */
  currency?: string
}

export interface NumberRules extends NumberStyle {
  /** The most digits after the decimal separator. */
  decimalsMax: number
  isNegativeAllowed?: boolean
}

export type NumberReading =
  | { kind: 'empty' }
  | { kind: 'number'; value: number }
  /** The text is not written as in the locale, and makes sense as either of two numbers. */
  | { kind: 'ambiguous'; readings: [number, number] }
  /** The text names a currency other than the field's. */
  | { kind: 'otherCurrency' }
  | { kind: 'tooManyDecimals' }
  | { kind: 'negative' }
  /** More digits than a number can hold without rounding. */
  | { kind: 'tooLong' }
  | { kind: 'unreadable' }

/** The most digits that are exact in a double. */
const DIGITS_MAX = 15
const BIDI_MARKS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g
const SPACES = /[\s\u00a0\u2007\u2009\u202f]+/g
const APOSTROPHES = /[\u2019\u02bc\u00b4`]/g
const MINUS = /^\s*[-\u2212\u2012\u2013]\s*/
const CURRENCY_AT_END =
  /^(\p{Sc}|[\p{L}.$€]*\p{L}[\p{L}.$€]*\p{Sc}?)\s*(?=[-\u2212\d])|(?<=\d)\s*([^\s\d]*[\p{L}\p{Sc}][^\s\d]*)$/u

/**
 * Reads a number as people of a locale write it: with its digits, decimal and group separators, and also with spaces or apostrophes
 * between groups. A text that contradicts the locale, such as 1,50 in English, is never a number.
 */
export function readNumber(text: string, rules: NumberRules): NumberReading {
  const plain = plainText(text, rules)
  if (plain === '') return { kind: 'empty' }
  const { number, isNegative, currency } = partsOf(plain)
  if (currency !== '' && !(rules.currency !== undefined && namesOf(rules.currency, rules.locale).has(fold(currency))))
    return { kind: rules.currency !== undefined ? 'otherCurrency' : 'unreadable' }
  const digits = inLocale(number, rules)
  if (digits === null) return otherReadings(number)
  if (isNegative && !rules.isNegativeAllowed) return { kind: 'negative' }
  const [whole = '', decimals = ''] = digits.split('.')
  if (decimals.replace(/0+$/, '').length > rules.decimalsMax) return { kind: 'tooManyDecimals' }
  if (`${whole}${decimals}`.replace(/^0+/, '').length > DIGITS_MAX) return { kind: 'tooLong' }
  const value = Number(digits)
  return { kind: 'number', value: isNegative && value !== 0 ? -value : value }
}

/** The text of a number as a field shows it: as in the locale, without the currency. */
export function writeNumber(value: number, style: NumberStyle, decimalsMax: number): string {
  const isWhole = Number.isInteger(value)
  return formatOf(style, { maximumFractionDigits: decimalsMax, ...(isWhole && { minimumFractionDigits: 0 }) })
    .formatToParts(value)
    .filter(({ type }) => type !== 'currency' && type !== 'literal')
    .map((part) => part.value)
    .join('')
    .trim()
}

export function formatOf({ locale, currency }: NumberStyle, options: Intl.NumberFormatOptions = {}) {
  const style: Intl.NumberFormatOptions = currency === undefined ? {} : { style: 'currency', currency }
  return new Intl.NumberFormat(locale, { ...style, ...options })
}

/** Splits off the sign and the text of a currency, on either side. */
function partsOf(text: string): { number: string; isNegative: boolean; currency: string } {
  let rest = text.replace(MINUS, '')
  let isNegative = rest !== text
  const [found = ''] = CURRENCY_AT_END.exec(rest) ?? []
  if (found !== '') rest = rest.replace(found, '')
  const number = rest.replace(MINUS, '')
  isNegative ||= number !== rest
  return { number: number.trim(), isNegative, currency: found.trim() }
}

interface Separators {
  decimal: string
  groups: readonly [string, ...string[]]
  /** Digits in the last group and in those before it: 3 and 2 in India. */
  sizes: readonly [last: number, others: number]
}

/** The number with a decimal point and without groups, or null when it is not written as in the locale. */
function inLocale(text: string, style: NumberStyle): string | null {
  const { decimal, groups, sizes } = separatorsOf(style)
  const [whole = '', decimals = '', ...more] = text.split(decimal)
  if (more.length > 0 || !/^\d*$/.test(decimals)) return null
  const ungrouped = ungroup(whole, groups, sizes)
  if (ungrouped === null || (ungrouped === '' && decimals === '')) return null
  return `${ungrouped || '0'}${decimals === '' ? '' : `.${decimals}`}`
}

function ungroup(whole: string, groups: readonly string[], [last, others]: Separators['sizes']): string | null {
  if (/^\d*$/.test(whole)) return whole
  const group = groups.find((each) => whole.includes(each))
  if (group === undefined) return null
  const [first = '', ...rest] = whole.split(group)
  const isGrouped =
    /^[1-9]\d*$/.test(first) &&
    first.length <= others &&
    rest.every((digits, at) => /^\d+$/.test(digits) && digits.length === (at === rest.length - 1 ? last : others))
  return isGrouped ? first + rest.join('') : null
}

/** The numbers that the text can mean in other locales. */
function otherReadings(text: string): NumberReading {
  if (!/^[\d., ']+$/.test(text) || !/\d/.test(text)) return { kind: 'unreadable' }
  const readings = ['.', ','].flatMap((decimal) => {
    const [whole = '', decimals = '', ...more] = text.split(decimal).map((part) => part.replace(/\D/g, ''))
    return more.length > 0 ? [] : [Number(`${whole || '0'}.${decimals || '0'}`)]
  })
  const [one, other] = readings.sort((a, b) => a - b)
  return one === undefined || other === undefined || one === other
    ? { kind: 'unreadable' }
    : { kind: 'ambiguous', readings: [one, other] }
}

function separatorsOf(style: NumberStyle): Separators {
  const parts = formatOf(style, { minimumFractionDigits: 1, maximumFractionDigits: 1 }).formatToParts(123_456_789.5)
  const decimal = ascii(parts.find(({ type }) => type === 'decimal')?.value ?? '.')
  const group = ascii(parts.find(({ type }) => type === 'group')?.value ?? ' ')
  const lengths = parts.filter(({ type }) => type === 'integer').map(({ value }) => [...value].length)
  return {
    decimal,
    groups: [group, ' ', "'"],
    sizes: lengths.length < 2 ? [3, 3] : [lengths.at(-1)!, lengths.at(-2)!],
  }
}

/** Turns Arabic separators into English ones, and all kinds of spaces and apostrophes into the plain ones. */
const ascii = (separator: string) =>
  plainSpaces(separator.replace('\u066b', '.').replace('\u066c', ',')).replace(APOSTROPHES, "'")
const plainSpaces = (text: string) => text.replace(BIDI_MARKS, '').replace(SPACES, ' ')

/** Turns the digits of the locale, of Arabic and of Persian into 0 to 9, and the unambiguous Arabic separators into the locale's own. */
function plainText(text: string, style: NumberStyle): string {
  const { decimal, groups } = separatorsOf(style)
  const systems = [
    new Intl.NumberFormat(style.locale).resolvedOptions().numberingSystem,
    ...['arab', 'arabext', 'fullwide'],
  ]
  const plain = new Map(
    systems.flatMap((numberingSystem) => {
      const format = new Intl.NumberFormat('en', { numberingSystem, useGrouping: false })
      return Array.from({ length: 10 }, (_, digit) => [format.format(digit), String(digit)] as const)
    }),
  )
  plain.set('\u066b', decimal).set('\u066c', groups[0])
  const chars = [...text].map((char) => plain.get(char) ?? char)
  return plainSpaces(chars.join('')).replace(APOSTROPHES, "'").trim()
}

/** All ways to write a currency: its code, and its symbols in the locale and in English. */
function namesOf(currency: string, locale: string | undefined): ReadonlySet<string> {
  const names = [locale, 'en'].flatMap((each) =>
    (['code', 'symbol', 'narrowSymbol'] as const).map(
      (currencyDisplay) =>
        new Intl.NumberFormat(each, { style: 'currency', currency, currencyDisplay })
          .formatToParts(1)
          .find(({ type }) => type === 'currency')?.value ?? currency,
    ),
  )
  return new Set(names.map(fold))
}

const fold = (name: string) => plainSpaces(name).trim().toLowerCase()

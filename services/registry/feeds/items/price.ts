import { AMOUNT_MAX, toMicros } from '../../../domain/money/money.ts'
import { type ItemReader, shown, type Value } from './item-reader.ts'
import { readPeriod } from './values.ts'

export type Price =
  | {
      tag: 'PRICE'
      micros: number
      /** ISO 4217; null when the text names none. */
      currency: string | null
      /** Whether the text has the form that Google asks for: 1234.56 EUR. */
      standard: boolean
    }
  | { tag: 'INVALID' }
  | { tag: 'ZERO' }
  | { tag: 'AMBIGUOUS' }

/** A map, because an object has names such as constructor, too. */
const SYMBOLS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    '€': ['EUR'],
    '£': ['GBP'],
    $: ['USD', 'CAD', 'AUD', 'NZD', 'SGD', 'HKD', 'MXN', 'ARS', 'CLP', 'COP'],
    US$: ['USD'],
    R$: ['BRL'],
    '¥': ['JPY', 'CNY'],
    zł: ['PLN'],
    kč: ['CZK'],
    kr: ['SEK', 'NOK', 'DKK', 'ISK'],
    '₺': ['TRY'],
    tl: ['TRY'],
    '₹': ['INR'],
    rs: ['INR'],
    '₴': ['UAH'],
    грн: ['UAH'],
    ft: ['HUF'],
    lei: ['RON'],
    лв: ['BGN'],
    '₽': ['RUB'],
    '₩': ['KRW'],
    '₪': ['ILS'],
  }),
)
/** Currencies whose smallest unit is a thousandth: a point before three digits is their decimal point, not a thousands separator. */
const THREE_DECIMALS = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'])

const PARTS = /^(?<before>[^\d\s.,'-]*)\s*(?<amount>\d(?:[\d.,'’ ]*\d)?)\s*(?<after>[^\d\s,'-]*)$/u
const STANDARD = /^\d+(\.\d+)? [A-Z]{3}$/

/**
 * Reads a price. Google's form is an amount with a decimal point, a space and a currency. The currency may also come first, be in
 * lower case or be a symbol. The amount may have a decimal comma, and thousands separated by comma, point, space or apostrophe.
 * @param feedCurrency decides which currency a symbol of several currencies means.
 */
export function parsePrice(text: string, feedCurrency: string): Price {
  const plain = text.replace(/[\s\u00a0\u2009\u202f]+/g, ' ').trim()
  const parts = PARTS.exec(plain)?.groups
  if (!parts || (parts.before !== '' && parts.after !== '')) return { tag: 'INVALID' }
  const currency = readCurrency(parts.before || parts.after || '', feedCurrency)
  if (currency === 'INVALID') return { tag: 'INVALID' }
  const amount = readAmount(parts.amount!, THREE_DECIMALS.has(currency ?? feedCurrency))
  if (amount === 'AMBIGUOUS') return { tag: 'AMBIGUOUS' }
  if (amount === 'INVALID' || amount > AMOUNT_MAX) return { tag: 'INVALID' }
  if (amount === 0) return { tag: 'ZERO' }
  const micros = toMicros(amount)
  if (micros === 0) return { tag: 'INVALID' }
  return { tag: 'PRICE', micros, currency, standard: STANDARD.test(plain) }
}

function readCurrency(text: string, feedCurrency: string): string | null | 'INVALID' {
  if (text === '') return null
  const symbol = text.replace(/\.$/, '')
  const currencies = SYMBOLS.get(symbol) ?? SYMBOLS.get(symbol.toLowerCase())
  if (currencies) return currencies.includes(feedCurrency) ? feedCurrency : currencies[0]!
  return /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : 'INVALID'
}

function readAmount(text: string, threeDecimals: boolean): number | 'AMBIGUOUS' | 'INVALID' {
  // 1.234 is ambiguous: Google reads the point as decimal, but many shops mean a thousand.
  if (/^[1-9]\d{0,2}\.\d{3}$/.test(text) && !threeDecimals) return 'AMBIGUOUS'
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  if (/^\d{1,3}([, '’]\d{3})+(\.\d+)?$/.test(text)) return Number(text.replace(/[, '’]/g, ''))
  if (/^\d{1,3}([. '’]\d{3})+(,\d+)?$/.test(text)) return Number(text.replace(/[. '’]/g, '').replace(',', '.'))
  if (/^\d+,(\d{1,2}|\d{4,})$/.test(text) || /^0,\d+$/.test(text)) return Number(text.replace(',', '.'))
  return 'INVALID'
}

/** The required price in micros. Null when the item is rejected for it. */
export function readPrice(reader: ItemReader, currency: string): { micros: number } | null {
  const value = reader.value('price')
  if (!value) {
    reader.report('MISSING_FIELD', 'price', 'Every product needs a price')
    return null
  }
  const price = parsePrice(value.text, currency)
  switch (price.tag) {
    case 'INVALID':
      reader.report(
        'INVALID_PRICE',
        'price',
        `${shown(value.written)} is not a price like 12.50 ${currency}`,
        value.line,
      )
      return null
    case 'ZERO':
      reader.report('INVALID_PRICE', 'price', `${shown(value.written)} is not more than 0`, value.line)
      return null
    case 'AMBIGUOUS':
      reader.report(
        'AMBIGUOUS_PRICE',
        'price',
        `${shown(value.written)} is ambiguous: it could mean a thousand or three decimals`,
        value.line,
      )
      return null
    case 'PRICE':
      if (price.currency !== null && price.currency !== currency) {
        const message = `${shown(value.written)} is in ${price.currency}, but the feed is in ${currency}`
        reader.reportCurrency(price.currency, message, value.line)
        return null
      }
      reportForm(reader, price, { value, currency })
      return price
  }
}

function reportForm(
  reader: ItemReader,
  price: Extract<Price, { tag: 'PRICE' }>,
  { value, currency }: { value: Value; currency: string },
): void {
  if (price.currency === null) {
    reader.report(
      'MISSING_CURRENCY',
      'price',
      `${shown(value.written)} has no currency and is read as ${currency}`,
      value.line,
    )
  } else if (!price.standard) {
    const taken = `${price.micros / 1_000_000} ${currency}`
    reader.report('PRICE_FORMAT', 'price', `${shown(value.written)} is read as ${taken}`, value.line)
  }
}

/** The sale price that is in force now, if any, and when that changes. */
export function readSalePrice(
  reader: ItemReader,
  price: { micros: number },
  feed: { currency: string; now: number },
): { micros: number | null; staleAt: number | null } {
  const none = { micros: null, staleAt: null }
  const value = reader.value('sale_price')
  if (!value) return none
  const sale = parsePrice(value.text, feed.currency)
  const invalid = saleFault(sale, price, feed.currency)
  if (invalid !== null || sale.tag !== 'PRICE') {
    reader.report('INVALID_SALE_PRICE', 'sale_price', `${shown(value.written)} ${invalid}`, value.line)
    return none
  }
  const dates = reader.value('sale_price_effective_date')
  if (!dates) return { micros: sale.micros, staleAt: null }
  const period = readPeriod(dates.text)
  if (!period) {
    const message = `${shown(dates.text)} is not a period like 2026-11-01T08:00+0100/2026-11-30T20:00+0100`
    reader.report('INVALID_SALE_DATES', 'sale_price_effective_date', message, dates.line)
    return none
  }
  if (feed.now < period.from) return { micros: null, staleAt: period.from }
  return feed.now < period.to ? { micros: sale.micros, staleAt: period.to } : none
}

function saleFault(sale: Price, price: { micros: number }, currency: string): string | null {
  if (sale.tag === 'AMBIGUOUS') return 'could be a thousand or three decimals'
  if (sale.tag === 'ZERO') return 'is not more than 0'
  if (sale.tag === 'INVALID') return `is not a price like 12.50 ${currency}`
  if (sale.currency !== null && sale.currency !== currency)
    return `is in ${sale.currency}, but the feed is in ${currency}`
  return sale.micros < price.micros ? null : 'is not below the price'
}

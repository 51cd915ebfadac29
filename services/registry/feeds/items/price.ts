import { AMOUNT_MAX, toMicros } from '../../../domain/money/money.ts'

export type Price =
  | {
      tag: 'PRICE'
      micros: number
      /** ISO 4217; null when the text names none. */
      currency: string | null
      /** Of the form that Google asks for: 1234.56 EUR. */
      standard: boolean
    }
  | { tag: 'INVALID' }
  | { tag: 'AMBIGUOUS' }

const SYMBOLS: Readonly<Record<string, readonly string[]>> = {
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
}
/** Their smallest unit is a thousandth, so three decimals are no thousands. */
const THREE_DECIMALS = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'])

const PARTS = /^(?<before>[^\d\s.,'-]*)\s*(?<amount>\d(?:[\d.,'’ ]*\d)?)\s*(?<after>[^\d\s,'-]*)$/u
const STANDARD = /^\d+(\.\d+)? [A-Z]{3}$/

/**
 * Reads a price. Google's form is an amount with a decimal point, a space and a currency; also read are the currency
 * first, lower case, or as a symbol, a decimal comma, and thousands set off by comma, point, space or apostrophe.
 * @param feedCurrency says which of its currencies a symbol means.
 */
export function parsePrice(text: string, feedCurrency: string): Price {
  const plain = text.replace(/[\s\u00a0\u2009\u202f]+/g, ' ').trim()
  const parts = PARTS.exec(plain)?.groups
  if (!parts || (parts.before !== '' && parts.after !== '')) return { tag: 'INVALID' }
  const currency = readCurrency(parts.before || parts.after || '', feedCurrency)
  if (currency === 'INVALID') return { tag: 'INVALID' }
  const amount = readAmount(parts.amount!, THREE_DECIMALS.has(currency ?? feedCurrency))
  if (amount === 'AMBIGUOUS') return { tag: 'AMBIGUOUS' }
  if (amount === 'INVALID' || amount <= 0 || amount > AMOUNT_MAX) return { tag: 'INVALID' }
  return { tag: 'PRICE', micros: toMicros(amount), currency, standard: STANDARD.test(plain) }
}

function readCurrency(text: string, feedCurrency: string): string | null | 'INVALID' {
  if (text === '') return null
  const currencies = SYMBOLS[text.replace(/\.$/, '')] ?? SYMBOLS[text.toLowerCase().replace(/\.$/, '')]
  if (currencies) return currencies.includes(feedCurrency) ? feedCurrency : currencies[0]!
  return /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : 'INVALID'
}

function readAmount(text: string, threeDecimals: boolean): number | 'AMBIGUOUS' | 'INVALID' {
  // 1.234: a thousand or a little over one? Google reads the point as decimal, many shops mean a thousand.
  if (/^[1-9]\d{0,2}\.\d{3}$/.test(text) && !threeDecimals) return 'AMBIGUOUS'
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  if (/^\d{1,3}([, '’]\d{3})+(\.\d+)?$/.test(text)) return Number(text.replace(/[, '’]/g, ''))
  if (/^\d{1,3}([. '’]\d{3})+(,\d+)?$/.test(text)) return Number(text.replace(/[. '’]/g, '').replace(',', '.'))
  if (/^\d+,(\d{1,2}|\d{4,})$/.test(text) || /^0,\d+$/.test(text)) return Number(text.replace(',', '.'))
  return 'INVALID'
}

import type { ItemReader, Value } from './item-reader.ts'
import { shown } from './item-reader.ts'
import { type Price, parsePrice } from './price.ts'
import { readPeriod } from './values.ts'

/** The required price, in micros. Null: rejected. */
export function readPrice(reader: ItemReader, currency: string): { micros: number } | null {
  const value = reader.value('price')
  if (!value) {
    reader.report('MISSING_FIELD', 'price', 'Every product needs a price')
    return null
  }
  const price = parsePrice(value.text, currency)
  switch (price.tag) {
    case 'INVALID':
      reader.report('INVALID_PRICE', 'price', `${shown(value.text)} is no price like 12.50 ${currency}`, value.line)
      return null
    case 'AMBIGUOUS':
      reader.report('AMBIGUOUS_PRICE', 'price', `${shown(value.text)}: a thousand, or three decimals?`, value.line)
      return null
    case 'PRICE':
      if (price.currency !== null && price.currency !== currency) {
        const message = `${shown(value.text)} is in ${price.currency}, the feed in ${currency}`
        reader.report('CURRENCY_MISMATCH', 'price', message, value.line)
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
    reader.report('MISSING_CURRENCY', 'price', `${shown(value.text)} is taken to be in ${currency}`, value.line)
  } else if (!price.standard) {
    const taken = `${price.micros / 1_000_000} ${currency}`
    reader.report('PRICE_FORMAT', 'price', `${shown(value.text)} is taken as ${taken}`, value.line)
  }
}

/** The sale price that holds now, if any, and when that changes. */
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
    reader.report('INVALID_SALE_PRICE', 'sale_price', `${shown(value.text)} ${invalid}`, value.line)
    return none
  }
  const dates = reader.value('sale_price_effective_date')
  if (!dates) return { micros: sale.micros, staleAt: null }
  const period = readPeriod(dates.text)
  if (!period) {
    const message = `${shown(dates.text)} is no period like 2026-11-01T08:00+0100/2026-11-30T20:00+0100`
    reader.report('INVALID_SALE_DATES', 'sale_price_effective_date', message, dates.line)
    return none
  }
  if (feed.now < period.from) return { micros: null, staleAt: period.from }
  return feed.now < period.to ? { micros: sale.micros, staleAt: period.to } : none
}

function saleFault(sale: Price, price: { micros: number }, currency: string): string | null {
  if (sale.tag === 'AMBIGUOUS') return 'could be a thousand or three decimals'
  if (sale.tag === 'INVALID') return `is no price like 12.50 ${currency}`
  if (sale.currency !== null && sale.currency !== currency) return `is in ${sale.currency}, the feed in ${currency}`
  return sale.micros < price.micros ? null : 'is not below the price'
}

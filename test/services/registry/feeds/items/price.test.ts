import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePrice } from '../../../../../services/registry/feeds/items/price.ts'

const read = (text: string, feedCurrency = 'EUR') => {
  const price = parsePrice(text, feedCurrency)
  return price.tag === 'PRICE' ? [price.micros / 1e6, price.currency, price.standard] : price.tag
}

describe('a price', () => {
  it.each([
    ['12.50 EUR', 12.5, 'EUR', true],
    ['799 INR', 799, 'INR', true],
    ['0.839 USD', 0.839, 'USD', true],
    ['1234.567 USD', 1234.567, 'USD', true],
    ['12.50 eur', 12.5, 'EUR', false],
    ['12.50EUR', 12.5, 'EUR', false],
    ['EUR 12.50', 12.5, 'EUR', false],
    ['12,50 EUR', 12.5, 'EUR', false],
    ['1,234.56 USD', 1234.56, 'USD', false],
    ['1,234 USD', 1234, 'USD', false],
    ['1,234,567 USD', 1_234_567, 'USD', false],
    ['1.234.567 EUR', 1_234_567, 'EUR', false],
    ['1.234,56 EUR', 1234.56, 'EUR', false],
    ["1'234.50 CHF", 1234.5, 'CHF', false],
    ['1 234,50 PLN', 1234.5, 'PLN', false],
    ['1\u00a0234,50\u00a0zł', 1234.5, 'PLN', false],
    ['€12.50', 12.5, 'EUR', false],
    ['₺1.100,00', 1100, 'TRY', false],
    ['1.234 KWD', 1.234, 'KWD', true],
    ['12.50', 12.5, null, false],
  ])('reads %s', (text, amount, currency, standard) => {
    expect(read(text)).toEqual([amount, currency, standard])
  })

  it('takes a symbol that several currencies share for that of the feed, if it is one of them', () => {
    expect(read('$5', 'CAD')).toEqual([5, 'CAD', false])
    expect(read('$5', 'EUR')).toEqual([5, 'USD', false])
    expect(read('5 kr', 'NOK')).toEqual([5, 'NOK', false])
  })

  it.each(['1.234 EUR', '999.999 EUR', '12.345'])('does not guess whether %s has thousands or decimals', (text) => {
    expect(read(text)).toBe('AMBIGUOUS')
  })

  it.each([
    '',
    'EUR',
    'free',
    '-5 EUR',
    'constructor 5',
    '5 toString',
    '__proto__ 5',
    '5 EUR or 6 EUR',
    'from 5 EUR',
    '5 EUR / kg',
    'EUR 5 EUR',
    '1,23,4 EUR',
    '12.34.56 EUR',
    '1e3 EUR',
    '٥ EUR',
    '5 euros',
    '1000000001 EUR',
    '.5 EUR',
    '5. EUR',
    '0.0000004 EUR',
  ])('does not read "%s"', (text) => {
    expect(read(text)).toBe('INVALID')
  })

  it.each(['0 EUR', '0.00 EUR', '0,00 €'])('tells "%s", which is nothing, from what cannot be read', (text) => {
    expect(read(text)).toBe('ZERO')
  })

  it('reads back every amount to the cent, however it is written', () => {
    const cents = fc.integer({ min: 1, max: 99_999_999_999 })
    const styles = fc.constantFrom('en-US', 'de-DE', 'pl-PL', 'de-CH', 'fr-FR')
    fc.assert(
      fc.property(cents, styles, (amount, style) => {
        const text = new Intl.NumberFormat(style, { minimumFractionDigits: 2 }).format(amount / 100)
        expect(parsePrice(`${text} EUR`, 'EUR')).toMatchObject({ micros: amount * 10_000, currency: 'EUR' })
      }),
    )
  })

  it('answers any text at once', () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => parsePrice(text, 'EUR').tag.length > 0))
    expect(read(`1${' 1'.repeat(100_000)}x y`)).toBe('INVALID')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type NumberRules, readNumber, writeNumber } from '../../../services/panel/web/components/form/read-number.ts'

const LOCALES = [
  ...[
    'en-US',
    'en-GB',
    'en-IN',
    'de-DE',
    'de-AT',
    'de-CH',
    'fr-FR',
    'fr-CH',
    'pl-PL',
    'es-ES',
    'pt-PT',
    'pt-BR',
    'sv-SE',
  ],
  ...['tr-TR', 'ru-RU', 'cs-CZ', 'ja-JP', 'zh-CN', 'ar', 'ar-EG', 'fa-IR', 'he-IL', 'hi-IN', 'bn-BD', 'nl-NL', 'it-IT'],
]
const CURRENCIES = ['EUR', 'USD', 'PLN', 'GBP', 'INR', 'SAR', 'CHF', 'TRY', 'SEK']
const money = (locale: string, currency = 'EUR'): NumberRules => ({ locale, currency, decimalsMax: 6 })
const numberOf = (text: string, rules: NumberRules) => {
  const reading = readNumber(text, rules)
  return reading.kind === 'number' ? reading.value : reading.kind
}
const anyLocale = fc.constantFrom(...LOCALES)
const micros = fc.oneof(
  fc.integer({ min: 0, max: 2_000_000 }),
  fc.integer({ min: 0, max: 9_000_000_000 }),
  fc.integer({ min: 0, max: 900_000_000_000_000 }),
  fc.integer({ min: 0, max: 900_000_000 }).map((units) => units * 1_000_000),
)

describe('a number as it is typed', () => {
  it('is what the locale writes for it', () => {
    fc.assert(
      fc.property(
        anyLocale,
        fc.constantFrom(...CURRENCIES),
        micros,
        fc.boolean(),
        (locale, currency, each, grouped) => {
          const amount = each / 1_000_000
          const digits = { maximumFractionDigits: 6, useGrouping: grouped }
          const rules = money(locale, currency)
          for (const currencyDisplay of ['symbol', 'narrowSymbol', 'code'] as const) {
            const text = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay, ...digits })
            expect(numberOf(text.format(amount), rules)).toBe(amount)
          }
          expect(numberOf(writeNumber(amount, rules, 6), rules)).toBe(amount)
          const count = { locale, decimalsMax: 6, isNegativeAllowed: true }
          expect(numberOf(new Intl.NumberFormat(locale, digits).format(-amount), count)).toBe(
            amount === 0 ? 0 : -amount,
          )
          expect(numberOf(new Intl.NumberFormat(locale, digits).format(amount), count)).toBe(amount)
        },
      ),
    )
  })

  it('is never accepted in the writing of another locale, unless this one reads it as its own', () => {
    fc.assert(
      fc.property(anyLocale, anyLocale, micros, (written, reader, each) => {
        const format = new Intl.NumberFormat(written, { maximumFractionDigits: 6 })
        // Arabic separators mean the same in every locale.
        const [group, decimal] = separatorsOf(reader)
        const text = format
          .format(each / 1_000_000)
          .replaceAll('\u066c', group)
          .replaceAll('\u066b', decimal)
        const reading = readNumber(text, { locale: reader, decimalsMax: 6 })
        if (reading.kind !== 'number') return
        // Whatever is accepted has the same digits when the reader's locale writes it, with or without groups.
        const style = { locale: reader }
        const own = [true, false].map((useGrouping) =>
          new Intl.NumberFormat(reader, {
            useGrouping,
            minimumFractionDigits: decimalsOf(text, reader),
            maximumFractionDigits: 6,
          }).format(reading.value),
        )
        expect([...own, writeNumber(reading.value, style, 6)].map(bare)).toContain(bare(text))
      }),
    )
  })

  it.each([
    ['de-DE', '1.500,00', 1500],
    ['de-DE', '1.500', 1500],
    ['de-DE', '1500,5', 1500.5],
    ['de-DE', '1 500,50 €', 1500.5],
    ['de-DE', "1'500", 1500],
    ['de-DE', '€ 0,125', 0.125],
    ['de-DE', '1,500.00', 'ambiguous'],
    ['de-DE', '1.50', 'ambiguous'],
    ['de-DE', '1.500 $', 'otherCurrency'],
    ['en-US', '1,500', 1500],
    ['en-US', '.5', 0.5],
    ['en-US', '1500.', 1500],
    ['en-US', '€1,500.25', 1500.25],
    ['en-US', '1500 EUR', 1500],
    ['en-US', 'eur 1500', 1500],
    ['en-US', '$1,500', 'otherCurrency'],
    ['en-US', '1500 PLN', 'otherCurrency'],
    ['en-US', '1,50', 'ambiguous'],
    ['en-US', '1.500,00', 'ambiguous'],
    ['en-US', '1,50,000', 'unreadable'],
    ['en-US', '0.1234567', 'tooManyDecimals'],
    ['en-US', '0.1000000', 0.1],
    ['en-US', '-5', 'negative'],
    ['en-US', '1234567890123456', 'tooLong'],
    ['en-US', '1e5', 'unreadable'],
    ['en-US', '12 5', 'unreadable'],
    ['en-US', '1.2.3', 'unreadable'],
    ['en-US', '.', 'unreadable'],
    ['en-US', '€', 'unreadable'],
    ['en-US', 'a lot', 'unreadable'],
    ['en-US', ' ', 'empty'],
    ['pl-PL', '1\u00a0500,50', 1500.5],
    ['pl-PL', '1500,50 zł', 'otherCurrency'],
    ['fr-FR', '1\u202f500,5', 1500.5],
    ['fr-FR', '1.500', 'ambiguous'],
    ['de-CH', '1’500.50', 1500.5],
    ['en-IN', '1,50,000', 150000],
    ['ar-EG', '١٬٥٠٠٫٢٥', 1500.25],
    ['ar', '١٥٠٠٫٢٥', 1500.25],
    ['ar', '1500', 1500],
    ['fa-IR', '۱٬۵۰۰', 1500],
  ])('in %s, %s is %s', (locale, text, expected) => {
    expect(numberOf(text, money(locale))).toBe(expected)
  })

  it('says both numbers that it can be', () => {
    expect(readNumber('1,500.00', money('de-DE'))).toEqual({ kind: 'ambiguous', readings: [1.5, 1500] })
    expect(readNumber('1,50', money('en-US'))).toEqual({ kind: 'ambiguous', readings: [1.5, 150] })
  })
})

/** Removes what cannot be misunderstood: digits become plain ones, spaces and apostrophes are dropped. */
const bare = (text: string) =>
  [
    ...text
      .replace(/[\p{Cf}]/gu, '')
      .replace(/\u066b/g, '.')
      .replace(/\u066c/g, ','),
  ]
    .map((char) => (/\p{Nd}/u.test(char) ? digitOf(char) : char))
    .join('')
    .replace(/[\s\u00a0\u202f'’]/gu, '')
const digitOf = (char: string) => {
  for (const system of ['latn', 'arab', 'arabext', 'deva', 'beng'])
    for (let digit = 0; digit < 10; digit++)
      if (new Intl.NumberFormat(`en-u-nu-${system}`).format(digit) === char) return String(digit)
  return char
}
const separatorsOf = (locale: string): [group: string, decimal: string] => {
  const parts = new Intl.NumberFormat(locale).formatToParts(123_456.5)
  const of = (type: string) => parts.find((part) => part.type === type)!.value
  return [of('group'), of('decimal')]
}
const decimalsOf = (text: string, locale: string) => bare(text).split(bare(separatorsOf(locale)[1]))[1]?.length ?? 0

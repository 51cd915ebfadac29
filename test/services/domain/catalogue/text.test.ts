import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { analyze, fold, indexTerms, textIndexer } from '../../../../services/domain/catalogue/text.ts'
import { tries } from '../../../effort.ts'

const finds = (text: string, phrase: string, lang: string | null = 'en') =>
  analyze(phrase, lang).every((term) => indexTerms(text, lang).includes(term))

describe('text analysis', () => {
  test('folds case, accents, ligatures and letters that do not decompose', () => {
    expect(fold('ÀÉÎõü ŁÓDŹ Straße Øre ÆON ﬁn ı İ')).toBe('aeiou lodz strasse ore aeon fin i i')
    expect(fold('Core™2 Intel®')).toBe('core 2 intel ')
  })

  test.each([
    ['16 GB', '16gb'],
    ['16-GB', '16gb'],
    ['17"', '17in'],
    ['17 inch', '17in'],
    ['17-inch', '17in'],
    ['17″', '17in'],
    ['2,5"', '2.5in'],
    ['1,000 W', '1000w'],
    ['5.0', '5'],
    ['43,2 cm', '43.2cm'],
    ['12,345,678', '12345678'],
    ['3000 mAh', '3000mah'],
  ])('writes %s as %s', (text, term) => {
    expect(analyze(text, 'en')).toEqual([term])
  })

  test('a unit needs its number: words that look like units stay words', () => {
    expect(analyze('iphone 11 in black', 'en')).toEqual(['iphon', '11', 'black'])
    expect(analyze('w lamp', 'en')).toEqual(['w', 'lamp'])
  })

  test.each([
    ['HP dv7-1211ea', 'dv7'],
    ['HP dv7-1211ea', 'dv7-1211ea'],
    ['HP dv7-1211ea', 'dv71211ea'],
    ['HP dv7-1211ea', '1211ea dv7'],
    ['Brother TN-2110 toner', 'tn2110'],
    ['RTX 2060', 'rtx2060'],
    ['RTX2060', 'rtx 2060'],
    ['Wi-Fi router', 'wifi'],
    ['WiFi router', 'wi-fi'],
    ['USB C cable', 'usb-c'],
    ['T Shirt', 't-shirt'],
    ["L'Oréal", 'loreal'],
    ["L'Oréal", "l'oreal"],
    ["Men's shoes", 'men shoe'],
    ['Running shoes', 'run shoe'],
    ['3 in 1 charger', '3-in-1'],
  ])('%s is found by %s', (text, phrase) => {
    expect(finds(text, phrase)).toBe(true)
  })

  test('a phrase is asked for without stop words, unless there is nothing else', () => {
    expect(analyze('case for the phone', 'en')).toEqual(['case', 'phone'])
    expect(analyze('The Who', 'en')).toEqual(['who'])
    expect(analyze('of the', 'en')).toEqual(['of', 'the'])
    expect(finds('Made of the best', 'of the')).toBe(true)
  })

  test('words are stemmed by language; a region does not matter; no stemmer leaves them whole', () => {
    expect(finds('Häuser', 'haus', 'de-DE')).toBe(true)
    expect(finds('chevaux', 'cheval', 'fr')).toBe(true)
    expect(analyze('lampy', 'pl')).toEqual(['lampy'])
    expect(analyze('lamps', null)).toEqual(['lamp'])
    expect(analyze('lamps', 'xx')).toEqual(['lamps'])
  })

  test.each([
    ['ワイヤレスマウス 無線2.4GHz', 'ja', 'ワイヤレス マウス 無線 2.4ghz'],
    ['ﾜｲﾔﾚｽﾏｳｽ', 'ja', 'ワイヤレス マウス'],
    ['大きなバッグのパック', 'ja', '大きな バッグ パック'],
    ['手机充电器5000mAh', 'zh', '手机 充电 器 5000mah'],
    ['64GB的内存卡 USB-C', 'zh', '64gb 内存 卡 usbc'],
    ['เมาส์ไร้สายสำหรับเกม', 'th', 'เมาส์ ไร้ สาย เกม'],
    ['무선 마우스', 'ko', '무선 마우스'],
  ])('cuts %s into words', (text, lang, terms) => {
    expect(analyze(text, lang).join(' ').normalize('NFC')).toBe(terms.normalize('NFC'))
  })

  test('keeps apart words of such scripts that differ by a mark', () => {
    expect(analyze('バッグ', 'ja')).not.toEqual(analyze('ハック', 'ja'))
    expect(analyze('เสื้อ', 'th')).not.toEqual(analyze('เสือ', 'th'))
    expect(analyze('コーヒー', 'ja')).toEqual(analyze('ｺｰﾋｰ', 'ja'))
  })

  test('each word is asked for once, in order; nothing comes of nothing', () => {
    expect(analyze('mouse Mice mouse pad', 'en')).toEqual(['mous', 'mice', 'pad'])
    expect(analyze(' ?! ', 'en')).toEqual([])
    expect(indexTerms('', 'en')).toEqual([])
  })

  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          '16',
          'GB',
          'wi-fi',
          "men's",
          '1,000',
          '5.0',
          '17"',
          'x',
          'dv7',
          '-',
          "'",
          '.',
          ' ',
          'Łódź',
          'ß',
          '½',
          '゛',
          'か',
          'สี',
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join('')),
  )
  const lang = fc.constantFrom(null, 'en', 'de', 'pl', 'fr', 'tr', 'ru')

  test('every text is found by itself', () => {
    fc.assert(
      fc.property(text, lang, (some, language) => {
        const terms = new Set(indexTerms(some, language))
        for (const term of analyze(some, language)) expect(terms.has(term)).toBe(true)
      }),
      { numRuns: tries(1_000, 10_000) },
    )
  })

  test('terms hold letters, digits and inner points, so that a split at spaces gives them back', () => {
    fc.assert(
      fc.property(text, lang, (some, language) => {
        const terms = indexTerms(some, language)
        for (const term of terms)
          expect(term).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(\.[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*$/u)
        expect(terms.join(' ').split(' ').filter(Boolean)).toEqual(terms)
        // The second time, the indexer answers from its cache.
        for (const _ of [1, 2]) expect(textIndexer(language)(some)).toBe(terms.join(' '))
      }),
      { numRuns: tries(1_000, 10_000) },
    )
  })

  test('long hostile texts take no longer than long plain ones', () => {
    for (const unit of ["'", '-', '1,', '9', 'a-', '1.', '" ', "a'"]) indexTerms(unit.repeat(50_000), 'en')
  })
})

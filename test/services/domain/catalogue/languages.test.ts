import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  algorithms,
  languageFor,
  languageOf,
  snowballStemmer,
  stemmerOf,
  stemOf,
  stopWords,
} from '../../../../services/domain/catalogue/languages.ts'
import { analyze, fold } from '../../../../services/domain/catalogue/text.ts'

/** Word beginnings and endings that stemmers of several languages know, and letters that they treat specially. */
const pieces = [
  ...'abcdefghijklmnopqrstuvwxyz',
  ...['un', 'ge', 'ver', 'pre', 'sch', 'qu', 'gu', 'aa', 'oo', 'bb', 'dd', 'll', 'ss', 'tt', 'yy'],
  ...['ing', 'ed', 'ly', 'ies', 'sses', 'ational', 'fulness', 'iveness', 'ization', 'ability', 'ement', 'ism', 'ists'],
  ...['keit', 'heit', 'ung', 'isch', 'lich', 'ern', 'est', 'erna', 'heter', 'lojt', 'fullt', 'ende', 'andet', 'elig'],
  ...[
    'issement',
    'ations',
    'euses',
    'ivement',
    'amente',
    'azione',
    'mente',
    'logie',
    'abile',
    'iranno',
    'uccia',
    'ssimo',
  ],
  ...['ando', 'iendo', 'aciones', 'idades', 'ava', 'eria', 'illo', 'ito', 'area', 'ului', 'elor', 'ndu', 'ssa', 'sta'],
  ...['lla', 'ksi', 'tten', 'jen', 'kaan', 'nak', 'ban', 'val', 'okat', 'lar', 'ler', 'dan', 'mis', 'lik', 'siniz'],
]
const cyrillic = [
  ...'абвгдежзиклмнопрстуфхцчшщъыьэюя',
  'ость',
  'ения',
  'ами',
  'ого',
  'ться',
  'ейш',
  'нн',
  'ировать',
  'ишь',
]
const arabic = [...'ابتثجحخدذرزسشصضطظعغفقكلمنهوي', 'ال', 'ون', 'ات', 'ها', 'كم', 'وال', 'ين', 'تم']

function wordsOf(algorithm: string) {
  const of = algorithm === 'russian' ? cyrillic : algorithm === 'arabic' ? arabic : pieces
  return fc.array(fc.constantFrom(...of), { minLength: 1, maxLength: 9 }).map((parts) => parts.join(''))
}

describe('the stemmer in use', () => {
  it.each([...new Set(Object.values(algorithms))])('gives the stems of Snowball: %s', (algorithm) => {
    const [stem, oracle] = [stemmerOf(algorithm), snowballStemmer(algorithm)]
    fc.assert(
      fc.property(wordsOf(algorithm), (word) => {
        expect(stem(word)).toBe(oracle(word))
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('stop words', () => {
  it.each(Object.keys(algorithms))('are known in each language that has a stemmer: %s', (lang) => {
    expect(stopWords(lang).size).toBeGreaterThan(5)
    for (const word of stopWords(lang)) expect(fold(word)).toBe(word)
  })

  it.each([
    ['ru', 'чехол для телефона', 'чехол телефона'],
    ['ro', 'husă pentru telefon', 'husă telefon'],
    ['hu', 'táska és tok', 'táska tok'],
    ['fi', 'laukku ja kotelo', 'laukku kotelo'],
    ['tr', 'telefon için kılıf', 'telefon kılıf'],
    ['ca', 'funda per al mòbil', 'funda mòbil'],
    ['sl', 'torba za telefon', 'torba telefon'],
    ['nb', 'deksel til telefon', 'deksel telefon'],
    ['ar', 'غطاء من الجلد', 'غطاء الجلد'],
  ])('do not narrow a phrase: %s', (lang, phrase, without) => {
    expect(analyze(phrase, lang)).toEqual(analyze(without, lang))
  })
})

describe('languages', () => {
  it.each(['xx', 'tlh', 'XY-latn', 'und'])(
    'without rules of their own are one, whatever they are called: %s',
    (lang) => {
      expect(languageFor(languageOf(lang))).toBe(languageFor(languageOf('zz')))
    },
  )

  it('with a stemmer or stop words are told apart', () => {
    const codes = ['en', 'de', 'pl', 'ja', 'nb']
    expect(codes.map((code) => languageOf(`${code}-GB`))).toEqual(codes)
    expect(new Set(codes.map(languageFor)).size).toBe(codes.length)
  })

  it('have a number of cached stems together', () => {
    const codes = Object.keys(algorithms).slice(0, 10)
    const letters = (n: number) => String.fromCharCode(...[...n.toString(26)].map((digit) => 97 + parseInt(digit, 26)))
    for (let n = 0; n < 150_000; n++) stemOf(letters(n), languageFor(codes[n % codes.length]!))
    expect(codes.reduce((sum, code) => sum + languageFor(code).stems.size, 0)).toBeLessThanOrEqual(100_000)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { algorithms, snowballStemmer, stemmerOf } from '../../../../services/domain/catalogue/languages.ts'

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

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { readSynonyms, shopSynonymsOf } from '../../../../services/domain/catalogue/shop-synonyms.ts'
import { analyze, indexTerms } from '../../../../services/domain/catalogue/text.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

function heapBytes(): number {
  gc()
  return process.memoryUsage().heapUsed
}

/** A word of 13 letters, another one for each number. */
const word = (n: number) =>
  `abcdefgh${(n + 26 ** 4).toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)}`
const FILLING = '! '.repeat(490)
/** Two or three letters, others for each number. */
const language = (n: number) => word(n).slice(-3)
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'no']
const synonyms = readSynonyms(Array.from({ length: 200 }, (_, i) => `a${i}, b${i}, c${i}`).join('\n'))

it.each<[string, (n: number) => void]>([
  ['words that each stood in a long phrase', (n) => analyze(word(n) + FILLING, 'en')],
  ['words of a thousand letters', (n) => analyze(word(n) + 'x'.repeat(987), 'de')],
  ['words that each stood in a long text of an offer', (n) => indexTerms(word(n) + FILLING, 'fr')],
  ['words of a thousand letters in texts of offers', (n) => indexTerms(word(n) + 'x'.repeat(987), 'es')],
  ['words in languages that nobody speaks', (n) => indexTerms(word(n), language(n))],
  ['synonyms in languages that nobody speaks', (n) => n < 500 && shopSynonymsOf(synonyms, language(n))],
])('what is cached of %s takes as little as what is cached of ordinary words', (_, analyse) => {
  const before = heapBytes()
  for (let n = 0; n < 15_000; n++) analyse(n)
  expect(heapBytes() - before).toBeLessThan(9_000_000)
})

it('words of texts in many languages take no more than those in a few', () => {
  const before = heapBytes()
  for (let n = 0; n < 200_000; n++) indexTerms(word(n), LANGUAGES[n % LANGUAGES.length]!)
  expect(heapBytes() - before).toBeLessThan(45_000_000)
})

it('synonyms of many shops take no more than those of some', () => {
  const [SOME, MORE] = [900, 100]
  const shops = Array.from({ length: SOME + MORE }, () => [...synonyms])
  const grown = (some: typeof shops) => {
    const before = heapBytes()
    for (const each of some) shopSynonymsOf(each, 'en')
    return heapBytes() - before
  }
  const [some, more] = [grown(shops.slice(0, SOME)), grown(shops.slice(SOME))]
  expect(more).toBeLessThan((some * MORE) / SOME / 2)
})

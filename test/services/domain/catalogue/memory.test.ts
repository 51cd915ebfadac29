import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
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

it.each<[string, (n: number) => void]>([
  ['words that each stood in a long phrase', (n) => analyze(word(n) + FILLING, 'en')],
  ['words of a thousand letters', (n) => analyze(word(n) + 'x'.repeat(987), 'de')],
  ['words that each stood in a long text of an offer', (n) => indexTerms(word(n) + FILLING, 'fr')],
  ['words of a thousand letters in texts of offers', (n) => indexTerms(word(n) + 'x'.repeat(987), 'es')],
])('what is cached of %s takes as little as what is cached of ordinary words', (_, analyse) => {
  const before = heapBytes()
  for (let n = 0; n < 15_000; n++) analyse(n)
  expect(heapBytes() - before).toBeLessThan(9_000_000)
})

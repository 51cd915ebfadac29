import { hash } from 'node:crypto'
import { analyze } from '../catalogue/text.ts'

/** 48 bits: a safe integer in JavaScript. */
const ID_BYTES = 6

/**
 * A number that identifies the words of a phrase in a shop, in any order and form; 0 for a phrase without words. The program
 * learns from what people search for by this number, without keeping the phrase itself.
 */
export function phraseId(shopId: string, { text, lang }: { text: string; lang: string | null }): number {
  const terms = analyze(text, lang)
  if (terms.length === 0) return 0
  return hash('sha256', JSON.stringify([shopId, ...terms.sort()]), 'buffer').readUIntBE(0, ID_BYTES)
}

import { hash } from 'node:crypto'
import { analyze } from '../catalogue/text.ts'

/** 48 bits: a whole number in JavaScript, too. */
const ID_BYTES = 6

/**
 * A number that stands for the words of a phrase in a shop, in any order and form; 0 for a phrase without words. Behind it, what
 * people search for is learnt from without being kept.
 */
export function phraseId(shopId: string, { text, lang }: { text: string; lang: string | null }): number {
  const terms = analyze(text, lang)
  if (terms.length === 0) return 0
  return hash('sha256', JSON.stringify([shopId, ...terms.sort()]), 'buffer').readUIntBE(0, ID_BYTES)
}

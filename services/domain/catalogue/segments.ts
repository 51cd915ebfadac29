/**
 * Words of scripts that are written without spaces. Japanese, Chinese, Thai, Lao, Khmer and Burmese are segmented by the
 * dictionaries of ICU, which ship with Node. Korean has spaces.
 */

const letters = '[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]'
const unspaced = new RegExp(letters, 'u')
const unspacedRuns = new RegExp(`${letters}+`, 'gu')

const halfWidthKana = /[\uff65-\uff9f]+/g

/** One segmenter serves all languages: ICU picks the dictionary by the script. */
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** Whether a text has a script that is written without spaces. */
export const isUnspaced = (text: string): boolean => unspaced.test(text)

/** The text in NFC with spaces around the words of such scripts. A text without such a script is returned as it is. */
export function segmented(text: string): string {
  if (!isUnspaced(text)) return text
  return text
    .replace(halfWidthKana, (kana) => kana.normalize('NFKC'))
    .normalize('NFC')
    .replace(unspacedRuns, (run) => ` ${wordsOf(run).join(' ')} `)
}

function wordsOf(run: string): string[] {
  return Array.from(segmenter.segment(run), ({ segment }) => segment)
}

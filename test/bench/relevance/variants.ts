import { phraseWords } from '../../../services/domain/catalogue/text.ts'

/** The ways in which shoppers type a query less carefully; null when a way does not apply. The query keeps its judgments. */
export const variants: Readonly<Record<string, (query: string) => string | null>> = {
  'as judged': (query) => query,
  'letter left out': (query) => changeLongest(query, (word, at) => word.slice(0, at) + word.slice(at + 1)),
  'letter doubled': (query) => changeLongest(query, (word, at) => word.slice(0, at) + word[at] + word.slice(at)),
  'letters exchanged': (query) =>
    changeLongest(query, (word, at) => word.slice(0, at - 1) + word[at] + word[at - 1] + word.slice(at + 1)),
  'wrong letter': (query) => changeLongest(query, (word, at) => `${word.slice(0, at)}q${word.slice(at + 1)}`),
  'words joined': (query) => (isTwoWords(query) ? query.replace(' ', '') : null),
  'words reversed': (query) => (query.includes(' ') ? query.split(' ').reverse().join(' ') : null),
  'plural or singular': (query) => (/[^s]s$/.test(query) ? query.slice(0, -1) : `${query}s`),
  'with stop words': (query) => (query.includes(' ') ? `the ${query.replace(' ', ' for ')}` : `a ${query}`),
  'units apart': (query) => {
    const apart = query.replace(/([a-z])(\d)|(\d)([a-z])/g, '$1$3-$2$4')
    return apart === query ? null : apart
  },
}

const isTwoWords = (query: string) => /^[a-z]{3,} [a-z]{3,}$/.test(query)

/** Applies the change in the middle of the longest word; null if that word has fewer than five letters. */
function changeLongest(query: string, change: (word: string, at: number) => string): string | null {
  const [longest] = phraseWords(query, 'en')
    .map(({ word }) => word)
    .filter((word) => /^[a-z]{5,}$/.test(word))
    .sort((a, b) => b.length - a.length)
  return longest === undefined ? null : query.replace(longest, (word) => change(word, Math.floor(word.length / 2)))
}

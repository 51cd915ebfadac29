/** Letters that have no decomposition into a base letter and a mark. */
const BASE_LETTERS: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
}
const MARKS = /\p{M}/gu
const SPECIAL = /[łøđðþßæœı]/g
const WORD_CHARACTER = /[\p{L}\p{N}]/u

/** How a text contains a word, from the best match to the worst. */
const WHOLE_WORD = 0
const WORD_BEGINNING = 1
const INSIDE = 2

/** Fewer characters begin the ids of many rows by chance: '42' is somewhere in the id of every tenth row. */
const ID_BEGINNING_MIN = 8

/** What a row is found by. */
export interface Searchable<T> {
  textOf: (row: T) => string
  /** A UUID. Only its beginning is looked for, of at least `ID_BEGINNING_MIN` characters. */
  idOf?: (row: T) => string
}

/**
 * The rows that contain every typed word, or have an id that begins with the only one: first those with whole words and those meant
 * by their id, then those with beginnings of words, then the others. Rows of one rank keep their order. Case and diacritics do not
 * matter.
 */
export function searched<T>(rows: readonly T[], { textOf, idOf }: Searchable<T>, typed: string): readonly T[] {
  const words = fold(typed).split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  const isMeant = (row: T) =>
    words.length === 1 && words[0]!.length >= ID_BEGINNING_MIN && idOf?.(row).startsWith(words[0]!)
  return rows
    .map((row) => ({ row, rank: isMeant(row) ? WHOLE_WORD : rankOf(fold(textOf(row)), words) }))
    .filter((each): each is { row: T; rank: number } => each.rank !== null)
    .sort((a, b) => a.rank - b.rank)
    .map(({ row }) => row)
}

/** The rank of the word that matches worst; null when a word is missing. */
function rankOf(text: string, words: readonly string[]): number | null {
  let worst = WHOLE_WORD
  for (const word of words) {
    const rank = rankOfWord(text, word)
    if (rank === null) return null
    worst = Math.max(worst, rank)
  }
  return worst
}

function rankOfWord(text: string, word: string): number | null {
  let best: number | null = null
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const begins = !isWordCharacter(text, at - 1)
    const ends = !isWordCharacter(text, at + word.length)
    const rank = begins && ends ? WHOLE_WORD : begins ? WORD_BEGINNING : INSIDE
    if (rank === WHOLE_WORD) return rank
    best = Math.min(best ?? INSIDE, rank)
  }
  return best
}

const isWordCharacter = (text: string, at: number): boolean => at >= 0 && WORD_CHARACTER.test(text.charAt(at))

function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(MARKS, '')
    .replace(SPECIAL, (letter) => BASE_LETTERS[letter] ?? letter)
}

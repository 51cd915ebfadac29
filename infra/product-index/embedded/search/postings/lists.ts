import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { textFields } from '../../../document.ts'
import { bytesOf, NOT_IN_TITLE, type TextPostings } from './posting-list.ts'

/** Limit of the cache of decoded posting lists. An evicted list is read from the full-text index again. */
const CACHE_BYTES_MAX = 64 * 1024 * 1024

/**
 * The occurrences of a token as numbers in a single string, because a row for each takes three times as long. The lowest three
 * bits of a number are the field's index in `textFields`, the next eight the place in the field, the rest the document.
 */
const OCCURRENCES = `SELECT group_concat(
  (doc * 256 + min(offset, ${NOT_IN_TITLE - 1})) * 8 + CASE col ${textFields.map((field, at) => `WHEN '${field}' THEN ${at}`).join(' ')} END
) AS occurrences FROM text_instances WHERE term = ?`

/** Reads the full-text index, and caches the posting lists of all shops. The least recently used ones are evicted. */
export class Lists {
  readonly cached = new LRUCache<string, TextPostings>({ maxSize: CACHE_BYTES_MAX, sizeCalculation: bytesOf })
  readonly #occurrences
  readonly #facets
  readonly #tokens

  constructor(db: DatabaseSync) {
    db.exec('CREATE VIRTUAL TABLE temp.text_tokens USING fts5vocab (main, texts, row)')
    this.#occurrences = db.prepare(OCCURRENCES)
    this.#facets = db.prepare('SELECT group_concat(rowid) AS rowids FROM facets WHERE facets MATCH ?')
    this.#tokens = db.prepare(
      'SELECT term AS token, cnt AS occurrences FROM temp.text_tokens WHERE term > ? AND term < ? ORDER BY term LIMIT ?',
    )
  }

  /** Whether the cache has room for lists that are read ahead. */
  get hasRoom(): boolean {
    return this.cached.calculatedSize < CACHE_BYTES_MAX / 4
  }

  /** Calls back for each occurrence of a token in texts, ascending by document; `fieldAt` is the field's index in `textFields`. */
  occurrences(token: string, found: (rowid: number, fieldAt: number, place: number) => void): void {
    const { occurrences } = this.#occurrences.get(token) as { occurrences: string | null }
    for (const packed of numbersOf(occurrences)) {
      found(Math.floor(packed / 2048), packed % 8, Math.floor(packed / 8) % 256)
    }
  }

  /** The documents with a facet, ascending. */
  rowids(token: string): number[] {
    const { rowids } = this.#facets.get(`"${token}"`) as { rowids: string | null }
    return numbersOf(rowids)
  }

  /** The tokens of texts between `after` and `before`, in order, with how often they occur. */
  tokens(after: string, before: string, limit: number): { token: string; occurrences: number }[] {
    return this.#tokens.all(after, before, limit) as { token: string; occurrences: number }[]
  }
}

const numbersOf = (list: string | null) => (list === null ? [] : list.split(',').map(Number))

import type { DatabaseSync } from 'node:sqlite'
import { textFields } from '../document.ts'
import type { Words } from './rows.ts'

const wordFields = [...textFields, 'facets'] as const

/** A document's tokens before and after a change; null: no offer then. */
export interface ChangedTokens {
  rowid: number
  /** By its number. */
  shop: number
  before: Words | null
  after: Words | null
}

/** A token is a term or facet of one shop: lists of documents by token are those of one shop, however many shops there are. */
export const tokenOf = (shop: number, word: string): string => `${shop}:${word}`
export const wordOf = (token: string): string => token.slice(token.indexOf(':') + 1)

/** The tokens of a text, or of the words of one. */
export const listed = (text: string): string[] => (text === '' ? [] : text.split(' '))

function tokensOf(shop: number, words: Words): Words {
  const tokens = { ...words }
  for (const field of wordFields) {
    if (words[field] !== '') tokens[field] = tokenOf(shop, words[field].replaceAll(' ', ` ${tokenOf(shop, '')}`))
  }
  return tokens
}

/** The full-text tables of a file, and how many offers of all shops have each term. */
export class FullText {
  readonly #sql
  readonly #shops = new Map<string, number>()
  /** By token, how many more offers have it; not stored yet. */
  readonly #gained = new Map<string, number>()

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db)
  }

  /** The number of a shop, which it is given at its first document. */
  shopNumber(shopId: string): number {
    const known = this.#shops.get(shopId)
    if (known !== undefined) return known
    this.#sql.addShop.run(shopId)
    const { number } = this.#sql.shop.get(shopId) as { number: number }
    this.#shops.set(shopId, number)
    return number
  }

  /** Stores the words of a document that has none. */
  add(rowid: number, shopId: string, words: Words): ChangedTokens {
    const shop = this.shopNumber(shopId)
    const after = tokensOf(shop, words)
    this.#store(rowid, after)
    return { rowid, shop, before: null, after }
  }

  /** @param words null: the offer is removed. @returns null: they are the same, and the tables were left alone. */
  replace(rowid: number, shopId: string, words: Words | null): ChangedTokens | null {
    const shop = this.shopNumber(shopId)
    const before = (this.#sql.tokens.get(rowid) as Words | undefined) ?? null
    const after = words && tokensOf(shop, words)
    if (wordFields.every((field) => before?.[field] === after?.[field])) return null
    if (before) {
      this.#sql.dropTexts.run(rowid)
      this.#sql.dropFacets.run(rowid)
      this.#count(before, -1)
    }
    if (after) this.#store(rowid, after)
    return { rowid, shop, before, after }
  }

  /** Stores how many offers have each term; to be called before each commit. */
  storeCounts(): void {
    for (const [token, offers] of this.#gained) {
      if (offers === 0) continue
      const term = wordOf(token)
      this.#sql.addOffers.run(term, offers)
      if (offers < 0) this.#sql.dropTerm.run(term)
    }
    this.#gained.clear()
  }

  /** Forgets what is not stored, after a transaction that was rolled back or has removed everything. */
  forget(): void {
    this.#gained.clear()
    this.#shops.clear()
  }

  #store(rowid: number, tokens: Words): void {
    this.#sql.addTexts.run(rowid, ...textFields.map((field) => tokens[field]))
    this.#sql.addFacets.run(rowid, tokens.facets)
    this.#count(tokens, 1)
  }

  #count(tokens: Words, offers: 1 | -1): void {
    const distinct = new Set<string>()
    for (const field of textFields) for (const token of listed(tokens[field])) distinct.add(token)
    for (const token of distinct) this.#gained.set(token, (this.#gained.get(token) ?? 0) + offers)
  }
}

function prepare(db: DatabaseSync) {
  return {
    addShop: db.prepare('INSERT INTO shops (shopId) VALUES (?) ON CONFLICT DO NOTHING'),
    shop: db.prepare('SELECT number FROM shops WHERE shopId = ?'),
    tokens: db.prepare(
      `SELECT title, brand, categories, attributes, description, tokens AS facets
       FROM texts JOIN facets ON facets.rowid = texts.rowid WHERE texts.rowid = ?`,
    ),
    dropTexts: db.prepare('DELETE FROM texts WHERE rowid = ?'),
    addTexts: db.prepare(
      'INSERT INTO texts (rowid, title, brand, categories, attributes, description) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    dropFacets: db.prepare('DELETE FROM facets WHERE rowid = ?'),
    addFacets: db.prepare('INSERT INTO facets (rowid, tokens) VALUES (?, ?)'),
    addOffers: db.prepare(
      'INSERT INTO terms (term, offers) VALUES (?, ?) ON CONFLICT DO UPDATE SET offers = offers + excluded.offers',
    ),
    dropTerm: db.prepare('DELETE FROM terms WHERE term = ? AND offers = 0'),
  }
}

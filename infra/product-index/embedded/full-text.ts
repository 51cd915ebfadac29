import type { DatabaseSync } from 'node:sqlite'
import { textFields } from '../document.ts'
import type { Words } from './rows.ts'

const wordFields = [...textFields, 'facets'] as const

/** A document's tokens before and after a change; null when there was no offer at that time. */
export interface ChangedTokens {
  rowid: number
  /** The shop's number. */
  shop: number
  before: Words | null
  after: Words | null
}

/** A token is a term or facet with its shop's number, so the posting list of a token holds documents of that shop only. */
export const tokenOf = (shop: number, word: string): string => `${shop}:${word}`
export const wordOf = (token: string): string => token.slice(token.indexOf(':') + 1)

/** Splits a space-separated list of tokens or words. */
export const listed = (text: string): string[] => (text === '' ? [] : text.split(' '))

function tokensOf(shop: number, words: Words): Words {
  const tokens = { ...words }
  for (const field of wordFields) {
    if (words[field] !== '') tokens[field] = tokenOf(shop, words[field].replaceAll(' ', ` ${tokenOf(shop, '')}`))
  }
  return tokens
}

/** Writes the full-text tables of a file, and the number of offers of all shops that have each term. */
export class FullText {
  readonly #sql
  readonly #shops = new Map<string, number>()
  /** By token: by how much its number of offers has changed, until that is stored. */
  readonly #gained = new Map<string, number>()

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db)
  }

  /** The number of a shop. The first document of a shop gives it one. */
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

  /** @param words null when the offer is removed. @returns null when the words are the same; the tables are then left alone. */
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

  /** Stores the changed numbers of offers. To be called before each commit. */
  storeCounts(): void {
    for (const [token, offers] of this.#gained) {
      if (offers === 0) continue
      const term = wordOf(token)
      this.#sql.addOffers.run(term, offers)
      if (offers < 0) this.#sql.dropTerm.run(term)
    }
    this.#gained.clear()
  }

  /** Forgets unstored changes and the shops' numbers, after a transaction that was rolled back or has removed everything. */
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

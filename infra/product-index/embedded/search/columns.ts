import type { ProductOffer } from '../../../../schemas/records/records.ts'
import { hashOf } from '../../../../services/domain/auction/auction.ts'
import { effectivePriceMicros } from '../../../../services/domain/campaign/promotion.ts'
import { pathKey } from '../../../../services/domain/catalogue/categories.ts'
import { primaryLang } from '../../../../services/domain/catalogue/languages.ts'
import type { DocumentTexts, TextField } from '../../document.ts'
import { popularityRelevance } from '../../relevance.ts'
import { lowerBound } from './sorted-sets.ts'

/** The part of an offer that the search thread keeps in memory. It is stored next to the offer in SQLite. */
export interface DocumentSummary {
  priceMicros: number
  /** Normalised category paths. */
  paths: string[]
  /** The number of terms in each text whose length counts in ranking. */
  lengths: { title: number; attributes: number; description: number }
  profile: Profile
}

/** Values that many offers share, so that a filter is evaluated only once for each combination of them. */
export interface Profile {
  feedId: string
  available: boolean
  /** Upper case. */
  currency: string
  /** Primary language. Null when the offer names none; it then passes every filter by language. */
  lang: string | null
  /** Upper case. Empty when the offer's shipping names no country; it then passes every filter by country. */
  countries: string[]
}

export function summarize(offer: ProductOffer, texts: DocumentTexts): DocumentSummary {
  const countries = offer.shipping.flatMap(({ country }) => (country === null ? [] : [country.toUpperCase()]))
  return {
    priceMicros: effectivePriceMicros(offer),
    paths: offer.productTypes.map(pathKey),
    lengths: {
      title: termCount(texts.title),
      attributes: termCount(texts.attributes),
      description: termCount(texts.description),
    },
    profile: {
      feedId: offer.feedId,
      available: offer.isAvailable,
      currency: offer.currency.toUpperCase(),
      lang: offer.lang === null ? null : primaryLang(offer.lang),
      countries: [...new Set(countries)].sort(),
    },
  }
}

function termCount(terms: string): number {
  if (terms === '') return 0
  let count = 1
  for (let at = terms.indexOf(' '); at !== -1; at = terms.indexOf(' ', at + 1)) count++
  return count
}

export interface DocumentRow {
  rowid: number
  shopId: string
  id: string
  summary: string | null
  campaigns: string
  popularity: number | null
  views: number | null
  clicks: number | null
  changed: number
}

/** Gives numbers to distinct values. Values are equal when their JSON is. */
class Dictionary<T> {
  readonly values: T[] = []
  readonly #numbers = new Map<string, number>()

  number(value: T): number {
    const key = JSON.stringify(value)
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.values.length)
    return this.values.push(value) - 1
  }
}

/** The profile of a document without an offer. */
export const ABSENT = -1
const INITIAL_CAPACITY = 64
const NO_ROWID = 2 ** 31 - 1

/**
 * The documents of a shop as columns, about 75 bytes per document, so that filters and ranking need no disk access. A shop's documents
 * are numbered from 0, in the order of their rowids. Rowids are unique in the file, which all shops share.
 * Dictionaries only grow. They are small compared with the documents, and are rebuilt at each start.
 */
export class Columns {
  readonly profiles = new Dictionary<Profile>()
  /** Lists of category paths, each path as its levels. */
  readonly pathLists = new Dictionary<string[][]>()
  readonly campaigns = new Dictionary<string>()
  /** Lists of campaigns, each campaign as its number in `campaigns`. */
  readonly promotionLists = new Dictionary<number[]>()

  /** The number of documents. Every document's own number is below it. */
  size = 0
  /** Changes whenever the views or clicks of a document change. */
  signalsVersion = 0
  /** Ascending. */
  rowid = new Int32Array(INITIAL_CAPACITY).fill(NO_ROWID)
  profile = new Int32Array(INITIAL_CAPACITY).fill(ABSENT)
  paths = new Int32Array(INITIAL_CAPACITY)
  promotions = new Int32Array(INITIAL_CAPACITY)
  priceMicros = new Float64Array(INITIAL_CAPACITY)
  /** The value of `popularityRelevance`. */
  popularity = new Float64Array(INITIAL_CAPACITY)
  views = new Float64Array(INITIAL_CAPACITY)
  clicks = new Float64Array(INITIAL_CAPACITY)
  /** Hash of the offer's id, for breaking ties. */
  idHash = new Uint32Array(INITIAL_CAPACITY)
  titleLength = new Uint16Array(INITIAL_CAPACITY)
  attributesLength = new Uint16Array(INITIAL_CAPACITY)
  descriptionLength = new Uint16Array(INITIAL_CAPACITY)
  /** The write batch that last changed the document, modulo 2^32. */
  changed = new Uint32Array(INITIAL_CAPACITY)

  /** Sets a document's values. New documents must be set in the order of their rowids. */
  set({ rowid, id, summary, campaigns, popularity, views, clicks, changed }: DocumentRow): void {
    const doc = this.docOf(rowid) ?? this.#add(rowid)
    if (summary === null) {
      this.profile[doc] = ABSENT
      return
    }
    const { priceMicros, paths, lengths, profile } = JSON.parse(summary) as DocumentSummary
    const campaignIds = JSON.parse(campaigns) as string[]
    this.profile[doc] = this.profiles.number(profile)
    this.paths[doc] = this.pathLists.number(paths.map((path) => path.split('>')))
    this.promotions[doc] = this.promotionLists.number(campaignIds.map((each) => this.campaigns.number(each)).sort())
    this.priceMicros[doc] = priceMicros
    this.popularity[doc] = popularityRelevance(popularity ?? 0)
    if (this.views[doc] !== (views ?? 0) || this.clicks[doc] !== (clicks ?? 0)) this.signalsVersion++
    this.views[doc] = views ?? 0
    this.clicks[doc] = clicks ?? 0
    this.idHash[doc] = hashOf(id)
    this.titleLength[doc] = lengths.title
    this.attributesLength[doc] = lengths.attributes
    this.descriptionLength[doc] = lengths.description
    this.changed[doc] = changed
  }

  /** The campaigns that promote the offer. */
  campaignsOf(doc: number): string[] {
    return this.promotionLists.values[this.promotions[doc]!]!.map((number) => this.campaigns.values[number]!)
  }

  /** The document with a rowid. Null when the shop has no such document, or when it has not been read yet. */
  docOf(rowid: number): number | null {
    const doc = lowerBound(this.rowid, rowid, 0)
    return this.rowid[doc] === rowid ? doc : null
  }

  /** Returns a `docOf` that must be called with rowids in ascending order. */
  docsInOrder(): (rowid: number) => number | null {
    let doc = 0
    return (rowid) => {
      doc = lowerBound(this.rowid, rowid, doc)
      return this.rowid[doc] === rowid ? doc : null
    }
  }

  /** The number of terms in a text; 0 for texts whose length does not count. */
  textLength(field: TextField, doc: number): number {
    if (field === 'title') return this.titleLength[doc]!
    if (field === 'attributes') return this.attributesLength[doc]!
    return field === 'description' ? this.descriptionLength[doc]! : 0
  }

  #add(rowid: number): number {
    const doc = this.size++
    if (doc === this.rowid.length) this.#grow(doc * 2)
    this.rowid[doc] = rowid
    return doc
  }

  #grow(capacity: number): void {
    this.rowid = grown(new Int32Array(capacity).fill(NO_ROWID), this.rowid)
    this.profile = grown(new Int32Array(capacity).fill(ABSENT), this.profile)
    this.paths = grown(new Int32Array(capacity), this.paths)
    this.promotions = grown(new Int32Array(capacity), this.promotions)
    this.priceMicros = grown(new Float64Array(capacity), this.priceMicros)
    this.popularity = grown(new Float64Array(capacity), this.popularity)
    this.views = grown(new Float64Array(capacity), this.views)
    this.clicks = grown(new Float64Array(capacity), this.clicks)
    this.idHash = grown(new Uint32Array(capacity), this.idHash)
    this.titleLength = grown(new Uint16Array(capacity), this.titleLength)
    this.attributesLength = grown(new Uint16Array(capacity), this.attributesLength)
    this.descriptionLength = grown(new Uint16Array(capacity), this.descriptionLength)
    this.changed = grown(new Uint32Array(capacity), this.changed)
  }
}

function grown<T extends { set(from: T): void }>(into: T, from: T): T {
  into.set(from)
  return into
}

/** The place of a document among ties: a hash of the id's hash and the seed (the finaliser of MurmurHash3). */
export function tieOrder(idHash: number, seed: number): number {
  let value = idHash ^ Math.imul(seed | 0, 0x9e3779b1)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

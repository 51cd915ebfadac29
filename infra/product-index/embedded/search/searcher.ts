import { DatabaseSync } from 'node:sqlite'
import type { SynonymRules } from '../../../../services/domain/catalogue/shop-synonyms.ts'
import { editsIn } from '../../../../services/domain/catalogue/spelling.ts'
import type {
  CampaignGroups,
  Filter,
  Lifts,
  ProductQuery,
  ScanRequest,
  SellerCount,
  SellersRequest,
  SimilarTerm,
} from '../../port.ts'
import { databaseFile, type Touched } from '../writer.ts'
import { Columns, type DocumentRow, tieOrder } from './columns.ts'
import { KnownTerms } from './known-terms.ts'
import { Matcher } from './matcher.ts'
import { Phrases } from './phrases.ts'
import { Postings } from './postings.ts'
import { bestOffers } from './ranking/best-offers.ts'
import { ClickRates } from './ranking/click-rates.ts'
import { Ranker } from './ranking/ranker.ts'
import type { Scored } from './ranking/top.ts'
import { CampaignSet, Weights } from './ranking/weights.ts'
import type { Docs } from './sorted-sets.ts'

/** A query without what the client sends ahead. */
export type PlainQuery = Omit<ProductQuery, 'campaigns' | 'synonyms'>

/** A query that names its campaigns and synonyms by the numbers under which the client sent them. */
export type NumberedQuery = PlainQuery & {
  campaignSet: number | null
  synonymSet?: number | undefined
}

/** A result as document numbers; the client loads the products that it has not cached. */
export interface NumberedResult {
  /** How many of `docs` are hits; one more is the runner-up. */
  hits: number
  docs: Int32Array
  /** For each of `docs`: differs whenever its content does. */
  changed: Uint32Array
  relevance: Float64Array
  bestFit: number
  truncated: boolean
}

/** A document as stored: JSON texts. */
export interface StoredProduct {
  doc: number
  changed: number
  /** Without the product details. */
  offer: string
  details: string
  campaigns: string
  signals: string | null
}

/** Lists are read once and kept; beside them it reads single documents, which take no longer than from a cache of 64 MB. */
const PAGE_CACHE_KIB = 8_192

const NO_LIFTS: ReadonlyMap<number, number> = new Map()

const ROWS = `SELECT doc, d.shopId, d.id, summary, campaigns, popularity, changed,
    signals ->> 'views' AS views, signals ->> 'clicks' AS clicks
  FROM documents d LEFT JOIN signals s ON s.shopId = d.shopId AND s.id = d.id`
const PRODUCTS = `SELECT doc, changed, offer, details, campaigns, signals
  FROM documents d LEFT JOIN signals s ON s.shopId = d.shopId AND s.id = d.id`

/** The reading side of the index of a folder, as of the last `refresh`. Its calls block the thread. */
export function openIndexSearcher({ folder }: { folder: string }) {
  const db = new DatabaseSync(databaseFile(folder), { readOnly: true })
  db.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`)
  const sql = {
    changedSince: db.prepare(`${ROWS} WHERE changed > ?`),
    load: db.prepare(`${PRODUCTS} WHERE doc IN (SELECT value FROM json_each(?)) AND offer IS NOT NULL`),
    find: db.prepare(
      `${PRODUCTS} WHERE doc IN (
         SELECT doc FROM documents WHERE shopId = :shopId AND id IN (SELECT value FROM json_each(:ids))
         UNION SELECT doc FROM documents WHERE shopId = :shopId AND productId IN (SELECT value FROM json_each(:ids)))
       AND offer IS NOT NULL ORDER BY feedId, d.id`,
    ),
    docsOf: db.prepare(
      `SELECT doc, id FROM documents WHERE shopId = ? AND id IN (SELECT value FROM json_each(?)) AND offer IS NOT NULL ORDER BY doc`,
    ),
    byKey: db.prepare(
      'SELECT doc FROM documents WHERE shopId = ? AND (feedId, id) > (?, ?) AND offer IS NOT NULL ORDER BY feedId, id',
    ),
    byKeyOf: db.prepare(
      `SELECT doc FROM json_each(?) CROSS JOIN documents ON doc = value
       WHERE (feedId, documents.id) > (?, ?) AND offer IS NOT NULL ORDER BY feedId, documents.id LIMIT ?`,
    ),
    sellers: db.prepare(
      `SELECT sellerId, offers FROM sellers
       WHERE shopId = :shopId AND instr(lower(sellerId), lower(:contains)) > 0
         AND (:anyOf IS NULL OR sellerId IN (SELECT value FROM json_each(:anyOf)))
       ORDER BY offers DESC, sellerId LIMIT :limit`,
    ),
    digests: db.prepare(
      `SELECT id, digest FROM documents WHERE shopId = ? AND feedId = ? AND id > ? AND offer IS NOT NULL
       ORDER BY id LIMIT ?`,
    ),
    shops: db.prepare('SELECT DISTINCT shopId FROM documents WHERE offer IS NOT NULL ORDER BY shopId'),
  }
  const known = new KnownTerms(db)
  /** Terms whose lists are read next. */
  const common: string[] = []
  let columns: Columns, clickRates: ClickRates, postings: Postings, phrases: Phrases, matcher: Matcher, ranker: Ranker
  let seen = { changed: 0, epoch: 0 }
  forgetAll(0)

  function forgetAll(epoch: number) {
    columns = new Columns()
    clickRates = new ClickRates(columns)
    postings = new Postings(db, columns, known)
    phrases = new Phrases(postings)
    matcher = new Matcher(db, columns, postings, phrases)
    ranker = new Ranker(columns, postings, phrases)
    seen = { changed: 0, epoch }
  }

  function load(docs: readonly number[]): StoredProduct[] {
    return sql.load.all(JSON.stringify(docs)) as unknown as StoredProduct[]
  }

  /** The first of a shop's matching documents after a key; reads what costs less, each of them or the next of the shop. */
  function nextPage(shopId: string, matching: Docs, after: [feedId: string, id: string], limit: number): number[] {
    if (matching.length ** 2 < limit * columns.size) {
      const rows = sql.byKeyOf.all(JSON.stringify([...matching]), ...after, limit) as { doc: number }[]
      return rows.map(({ doc }) => doc)
    }
    const wanted = new Set(matching)
    const page: number[] = []
    for (const row of sql.byKey.iterate(shopId, ...after) as Iterable<unknown>) {
      const { doc } = row as { doc: number }
      if (page.length >= limit) break
      if (wanted.has(doc)) page.push(doc)
    }
    return page
  }

  function liftsByDoc(shopId: string, lifts: Lifts | undefined): ReadonlyMap<number, number> {
    if (lifts === undefined || lifts.size === 0) return NO_LIFTS
    const rows = sql.docsOf.all(shopId, JSON.stringify([...lifts.keys()])) as { doc: number; id: string }[]
    // The table may be ahead of what searches see.
    const seen = rows.filter(({ doc }) => doc < columns.size)
    return new Map(seen.map(({ doc, id }) => [doc, lifts.get(id)!]))
  }

  /** @param set null: any offer, each with the weight 1. */
  function search(query: PlainQuery, set: CampaignSet | null, synonyms?: SynonymRules): NumberedResult {
    const matching = matcher.match(query.shopId, query.filters, synonyms)
    const fit = ranker.fit(query.rank, synonyms)
    const tieOf = (doc: number) => tieOrder(columns.idHash[doc]!, query.tieSeed)
    const { priorClickRate } = query
    const lifts = liftsByDoc(query.shopId, query.lifts)
    const weights = new Weights(clickRates, columns, { set, priorClickRate, lifts })
    // One more than wanted: it tells whether there are more.
    const best = bestOffers({ matching, fit, weights, tieOf, limit: query.limit + 1 })
    const hits = best.slice(0, query.limit)
    const next = best[query.limit] ?? null
    const runnerUp = set === null || hits.length === 0 || next === null ? null : runnerUpOf(hits, next)
    const listed = runnerUp ? [...hits, runnerUp] : hits
    const bestFit = listed.reduce((max, { relevance }) => Math.max(max, relevance), 0)
    return {
      hits: hits.length,
      docs: Int32Array.from(listed, ({ doc }) => doc),
      changed: Uint32Array.from(listed, ({ doc }) => columns.changed[doc]!),
      relevance: Float64Array.from(listed, ({ relevance }) => relevance / bestFit),
      bestFit,
      truncated: next !== null,
    }

    /** The best that is no hit, leaving out the campaign that the last hit belongs to. */
    function runnerUpOf(hits: readonly Scored[], next: Scored): Scored | null {
      const leading = weights.leadingCampaign(hits.at(-1)!.doc)
      if (leading === null || !columns.campaignsOf(next.doc).includes(leading)) return next
      const without = new Weights(clickRates, columns, { set, priorClickRate, lifts, except: leading })
      const except = new Set(hits.map(({ doc }) => doc))
      return bestOffers({ matching, fit, weights: without, tieOf, limit: 1, except })[0] ?? null
    }
  }

  return {
    /** @param touched the changes that the writer reports at the time of the call. */
    refresh(touched: Touched): void {
      if (touched.epoch !== seen.epoch) forgetAll(touched.epoch)
      if (touched.changed === seen.changed && touched.words?.length === 0) return
      for (const row of sql.changedSince.iterate(seen.changed) as Iterable<unknown>) {
        columns.set(row as DocumentRow)
        seen.changed = Math.max(seen.changed, (row as DocumentRow).changed)
      }
      if (touched.words) postings.update(touched.words)
      else postings.forget()
      phrases.forget()
    },
    /**
     * Takes a step of at most some 20 ms towards quick answers: reads terms, or the list of a common one. The first
     * search that asks for such a list would take tens of milliseconds.
     * @returns whether there may be more to do.
     */
    readAhead(): boolean {
      const term = common.pop()
      if (term !== undefined) {
        postings.readAhead(term)
        return true
      }
      const found = known.readSome(columns.size)
      common.push(...(found ?? []))
      return found !== null
    },
    campaignSet: (groups: CampaignGroups) => new CampaignSet(groups),
    search,
    load,
    get: (shopId: string, ids: readonly string[]) =>
      sql.find.all({ shopId, ids: JSON.stringify(ids) }) as unknown as StoredProduct[],
    count: (shopId: string, filters: readonly Filter[]) => matcher.match(shopId, filters).docs().length,
    scan({ shopId, filters, after, limit }: ScanRequest): StoredProduct[] {
      const [feedId, ...id] = (after ?? '').split('/')
      const page = nextPage(shopId, matcher.match(shopId, filters).docs(), [feedId!, id.join('/')], limit)
      const stored = new Map(load(page).map((product) => [product.doc, product]))
      return page.flatMap((doc) => stored.get(doc) ?? [])
    },
    similarTerms: (term: string): SimilarTerm[] =>
      editsIn(term) === 0 || postings.frequency(term) > 0 ? [] : known.similarTo(term),
    sellers: ({ anyOf, ...request }: SellersRequest) =>
      sql.sellers.all({ ...request, anyOf: anyOf && JSON.stringify(anyOf) }) as unknown as SellerCount[],
    digests: (shopId: string, feedId: string, after: string | null, limit: number) =>
      sql.digests.all(shopId, feedId, after ?? '', limit) as unknown as { id: string; digest: string }[],
    shops: () => (sql.shops.all() as unknown as { shopId: string }[]).map(({ shopId }) => shopId),
    close(): void {
      db.close()
    },
  }
}

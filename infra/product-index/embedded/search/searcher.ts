import { DatabaseSync } from 'node:sqlite'
import type { SynonymRules } from '../../../../services/domain/catalogue/shop-synonyms.ts'
import type { CampaignGroups, Filter, ScanRequest, SellerCount, SellersRequest, SimilarTerm } from '../../port.ts'
import type { ChangedTokens } from '../full-text.ts'
import { databaseFile, type IndexState, type Touched } from '../writer.ts'
import type { DocumentRow } from './columns.ts'
import { prepareIds } from './ids.ts'
import { createPhraseCache } from './phrases.ts'
import { Lists } from './postings/lists.ts'
import { Sums } from './ranking/sums.ts'
import { CampaignSet } from './ranking/weights.ts'
import { Revisions } from './revisions.ts'
import { type NumberedResult, nothingFound, type PlainQuery, type SharedByShops, ShopSearch } from './shop-search.ts'
import { TermCounts } from './term-counts.ts'

/** A query that names its campaigns and synonyms by the numbers under which the client sent them. */
export type NumberedQuery = PlainQuery & {
  campaignSet: number | null
  synonymSet?: number | undefined
}

/** A document as stored: JSON texts. */
export interface StoredProduct {
  rowid: number
  changed: number
  offerVersion: number
  /** Without the product details. */
  offer: string
  details: string
  campaigns: string
  signals: string | null
}

/** Small, because posting lists are read once and cached. Apart from them, single documents are read: no faster with 64 MB. */
const PAGE_CACHE_KIB = 8_192

const ROWS = `SELECT doc AS rowid, d.shopId, d.id, summary, campaigns, popularity, changed,
    signals ->> 'views' AS views, signals ->> 'clicks' AS clicks
  FROM documents d LEFT JOIN signals s ON s.shopId = d.shopId AND s.id = d.id`
const PRODUCTS = `SELECT doc AS rowid, changed, offerVersion, offer, details, campaigns, signals
  FROM documents d LEFT JOIN signals s ON s.shopId = d.shopId AND s.id = d.id`

/** Opens the index of a folder for reading. Searches see the state of the last `refresh`. Calls block the thread. */
export function openIndexSearcher({ folder }: { folder: string }) {
  const db = new DatabaseSync(databaseFile(folder), { readOnly: true })
  db.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`)
  const sql = {
    changedSince: db.prepare(`${ROWS} WHERE doc IN (SELECT doc FROM documents WHERE changed > ?) ORDER BY doc`),
    shopNumber: db.prepare('SELECT number FROM shops WHERE shopId = ?'),
    load: db.prepare(`${PRODUCTS} WHERE doc IN (SELECT value FROM json_each(?)) AND offer IS NOT NULL`),
    find: db.prepare(
      `${PRODUCTS} WHERE doc IN (
         SELECT doc FROM documents WHERE shopId = :shopId AND id IN (SELECT value FROM json_each(:ids)))
       AND offer IS NOT NULL ORDER BY feedId, d.id`,
    ),
    byKey: db.prepare(
      'SELECT doc AS rowid FROM documents WHERE shopId = ? AND (feedId, id) > (?, ?) AND offer IS NOT NULL ORDER BY feedId, id',
    ),
    byKeyOf: db.prepare(
      `SELECT doc AS rowid FROM json_each(?) CROSS JOIN documents ON doc = value
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
  const shared: SharedByShops = {
    terms: new TermCounts(db),
    lists: new Lists(db),
    phraseCache: createPhraseCache(),
    ids: prepareIds(db),
    sums: new Sums(),
  }
  const { terms, lists, phraseCache, ids } = shared
  const revisions = new Revisions()
  const shops = new Map<string, ShopSearch>()
  const shopsByNumber = new Map<number, ShopSearch>()
  /** Shops whose common terms are read ahead, because somebody searches there. */
  const searched = new Set<ShopSearch>()
  let seen: IndexState = { changed: -1, epoch: 0 }
  /** The last write batch of which documents were read. It may be later than `seen`: batches arrive between a report and the read. */
  let readTo = 0

  function forgetAll() {
    revisions.addToAll()
    for (const map of [shops, shopsByNumber, searched, lists.cached]) map.clear()
    terms.documents = 0
    readTo = 0
  }

  function shopOf(shopId: string): ShopSearch {
    const known = shops.get(shopId)
    if (known) return known
    const { number } = sql.shopNumber.get(shopId) as { number: number }
    const shop = new ShopSearch(shopId, number, shared)
    shops.set(shopId, shop)
    shopsByNumber.set(number, shop)
    return shop
  }

  function dropLists() {
    revisions.addToAll()
    phraseCache.clear()
    lists.cached.clear()
    terms.forget()
    for (const shop of searched) shop.postings.wantCommon()
  }

  function updateLists(changes: readonly ChangedTokens[]) {
    // Views and clicks change all the time, and no words with them.
    if (changes.length === 0) return
    phraseCache.clear()
    terms.update(changes)
    for (const [number, ofShop] of Map.groupBy(changes, ({ shop }) => shop)) {
      const shop = shopsByNumber.get(number)!
      shop.postings.update(ofShop)
      revisions.add([shop.shopId])
    }
  }

  function load(rowids: readonly number[]): StoredProduct[] {
    return sql.load.all(JSON.stringify(rowids)) as unknown as StoredProduct[]
  }

  /** The first matching documents of a shop after a key. Reads all matching ones, or the shop's documents by key: whichever costs less. */
  function nextPage({ shopId, filters, after, limit }: ScanRequest): number[] {
    const shop = shops.get(shopId)
    if (!shop) return []
    const [feedId, ...id] = (after ?? '').split('/')
    const key = [feedId!, id.join('/')] as const
    const matching = shop.rowidsOf(shop.matching(filters))
    if (matching.length ** 2 < limit * shop.columns.size) {
      const rows = sql.byKeyOf.all(JSON.stringify([...matching]), ...key, limit) as { rowid: number }[]
      return rows.map(({ rowid }) => rowid)
    }
    const wanted = new Set(matching)
    const page: number[] = []
    for (const row of sql.byKey.iterate(shopId, ...key) as Iterable<unknown>) {
      const { rowid } = row as { rowid: number }
      if (page.length >= limit) break
      if (wanted.has(rowid)) page.push(rowid)
    }
    return page
  }

  return {
    /** How often each shop has changed. */
    revisions,
    /** The state that searches see: that of the last `refresh` that did not throw. */
    seen: (): IndexState => seen,
    /** @param touched the changes since `seen`, as the writer reports them at the time of the call. */
    refresh({ tokens, ...state }: Touched): void {
      if (state.epoch !== seen.epoch) forgetAll()
      if (state.changed === seen.changed && tokens?.length === 0) return
      ids.cached.clear()
      let changed = readTo
      const changedShops = new Set<string>()
      for (const each of sql.changedSince.iterate(readTo) as Iterable<unknown>) {
        const row = each as DocumentRow
        shopOf(row.shopId).columns.set(row)
        changedShops.add(row.shopId)
        changed = Math.max(changed, row.changed)
        terms.documents = Math.max(terms.documents, row.rowid + 1)
      }
      readTo = changed
      if (tokens) updateLists(tokens)
      else dropLists()
      seen = state
      revisions.add(changedShops)
    },
    /**
     * Takes a step of at most some 20 ms: reads terms, or the posting list of a common term of a shop that is searched. Without
     * reading ahead, the first search for such a term would take tens of milliseconds.
     * @returns whether there may be more to do.
     */
    readAhead(): boolean {
      return terms.readSome() || searched.values().some((shop) => shop.postings.readAhead())
    },
    campaignSet: (groups: CampaignGroups) => new CampaignSet(groups),
    /** @param set null to find any offer, each with the weight 1. */
    search(query: PlainQuery, set: CampaignSet | null, synonyms?: SynonymRules): NumberedResult {
      const shop = shops.get(query.shopId)
      if (!shop) return nothingFound()
      if (!searched.has(shop)) {
        searched.add(shop)
        shop.postings.wantCommon()
      }
      return shop.search(query, set, synonyms)
    },
    load,
    get: (shopId: string, ids: readonly string[]) =>
      sql.find.all({ shopId, ids: JSON.stringify(ids) }) as unknown as StoredProduct[],
    count: (shopId: string, filters: readonly Filter[]) => shops.get(shopId)?.matching(filters).length ?? 0,
    scan(request: ScanRequest): StoredProduct[] {
      const page = nextPage(request)
      const stored = new Map(load(page).map((product) => [product.rowid, product]))
      return page.flatMap((rowid) => stored.get(rowid) ?? [])
    },
    similarTerms: (term: string): SimilarTerm[] => terms.similarTo(term),
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

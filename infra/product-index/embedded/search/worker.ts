import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { SynonymRules } from '../../../../services/domain/catalogue/shop-synonyms.ts'
import { connect, type Remote } from '../../../threads/calls.ts'
import { serveConnections } from '../../../threads/worker.ts'
import {
  type CampaignGroups,
  type Filter,
  IndexUnavailable,
  type ScanRequest,
  type SellersRequest,
  type SimilarTerm,
} from '../../port.ts'
import { phrasesOf, prepareSynonyms } from '../../searched-phrases.ts'
import type { Touched } from '../writer.ts'
import type { CampaignSet } from './ranking/weights.ts'
import { type NumberedQuery, openIndexSearcher, type StoredProduct } from './searcher.ts'
import type { NumberedResult } from './shop-search.ts'

/** A write becomes visible to searches after this time without a call of `refresh`, together with the writes that follow it until then. */
const REFRESH_MS = 500
/** Of how many products a client's last version is remembered, some 50 bytes each. Beyond it, all are sent again. */
const SENT_REMEMBERED_MAX = 50_000

/** The results of a search, with the products that the client has not been sent yet. */
export interface Found {
  results: NumberedResult[]
  products: StoredProduct[]
}

const searcher = openIndexSearcher(workerData as { folder: string })
searcher.refresh({ ...searcher.seen(), tokens: null })

let writer: Remote | null = null
let refreshing: Promise<void> = Promise.resolve()

/**
 * Refreshes run one at a time, because the writer reports each change only once. If a report was lost, the next one says that any
 * document may have changed.
 */
function refresh(): Promise<void> {
  const before = refreshing.catch(() => {})
  refreshing = before.then(async () => {
    if (writer) searcher.refresh(await writer.call<Touched>('touched', [searcher.seen()]))
  })
  return refreshing
}

const stopping = new AbortController()
let isReading = false

/** Reads ahead in steps. Searches are answered between them. */
async function readAhead(): Promise<void> {
  if (isReading) return
  isReading = true
  try {
    // The answer to the current search is sent first.
    do await nextTurn()
    while (!stopping.signal.aborted && searcher.readAhead())
  } catch {
    // Searches read what is missing themselves, and report the error. Here it would end the worker.
  } finally {
    isReading = false
  }
}

/**
 * Makes writes visible until the writer's port closes. Each wait names the state that searches see. So a write between a refresh
 * and the next wait is not missed, and a refresh that failed is repeated.
 */
async function followWrites(writer: Remote): Promise<void> {
  while (!stopping.signal.aborted) {
    await writer.call('changedFrom', [searcher.seen()])
    await delay(REFRESH_MS, undefined, { signal: stopping.signal })
    await refresh().catch(() => {})
    void readAhead()
  }
}

/** Each client has its own numbers for lists of campaigns and synonyms, and its own cache of products. */
const methodsOf = () => {
  const sets: CampaignSet[] = []
  const synonyms: SynonymRules[] = []
  /** By rowid: the number of the last change of the version that the client was sent. */
  const sent = new Map<number, number>()

  /** Also notes the products as sent: the client asks for those that it no longer has. */
  function unsent(results: readonly NumberedResult[]): number[] {
    if (sent.size > SENT_REMEMBERED_MAX) sent.clear()
    const found: number[] = []
    for (const { rowids, changed } of results) {
      rowids.forEach((rowid, at) => {
        if (sent.get(rowid) === changed[at]) return
        sent.set(rowid, changed[at]!)
        found.push(rowid)
      })
    }
    return found
  }

  return {
    revisions: () => searcher.revisions.counts,
    follow(port: MessagePort) {
      writer = connect(port, {}, () => new IndexUnavailable('The product index has been closed'))
      followWrites(writer).catch(() => {})
    },
    attach: (port: MessagePort) => writer!.call<void>('attach', [port], [port]),
    refresh,
    setCampaigns(number: number, groups: CampaignGroups) {
      sets[number] = searcher.campaignSet(groups)
    },
    setSynonyms(number: number, rules: SynonymRules) {
      synonyms[number] = rules
    },
    async search(queries: NumberedQuery[]): Promise<Found> {
      // The client may give a number to another list while synonyms are analysed.
      const asked = queries.map(({ campaignSet, synonymSet, ...query }) => ({
        query,
        set: campaignSet === null ? null : sets[campaignSet]!,
        rules: synonymSet === undefined ? undefined : synonyms[synonymSet],
      }))
      await prepareSynonyms(
        asked.flatMap(({ query, rules }) => (rules ? phrasesOf(query.filters, query.rank, rules) : [])),
      )
      const results = asked.map(({ query, set, rules }) => searcher.search(query, set, rules))
      // The first search for an unknown word requests that terms are read. That must not wait for the next write, hours later perhaps.
      void readAhead()
      const missing = unsent(results)
      return { results, products: missing.length > 0 ? searcher.load(missing) : [] }
    },
    load: (docs: number[]) => searcher.load(docs),
    get: (shopId: string, ids: string[]) => searcher.get(shopId, ids),
    count: (shopId: string, filters: Filter[]) => searcher.count(shopId, filters),
    async similarTerms(terms: string[]) {
      const found: SimilarTerm[][] = []
      for (const term of terms) {
        found.push(searcher.similarTerms(term))
        // Searches are answered in between.
        await nextTurn()
      }
      return found
    },
    sellers: (request: SellersRequest) => searcher.sellers(request),
    scan: (request: ScanRequest) => searcher.scan(request),
    shops: () => searcher.shops(),
    digests: (...args: Parameters<typeof searcher.digests>) => searcher.digests(...args),
  }
}

serveConnections(parentPort!, methodsOf, async () => {
  stopping.abort()
  await refreshing.catch(() => {})
  writer?.close()
  searcher.close()
})

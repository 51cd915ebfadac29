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
import type { Touched } from '../writer.ts'
import type { CampaignSet } from './ranking/weights.ts'
import { type NumberedQuery, openIndexSearcher } from './searcher.ts'

/** A write becomes visible to searches after this time without a call of `refresh`, together with the writes that follow it until then. */
const REFRESH_MS = 500

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

/** Each client has its own numbers for lists of campaigns and synonyms. */
const methodsOf = () => {
  const sets: CampaignSet[] = []
  const synonyms: SynonymRules[] = []
  return {
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
    search(queries: NumberedQuery[]) {
      const results = queries.map(({ campaignSet, synonymSet, ...query }) =>
        searcher.search(
          query,
          campaignSet === null ? null : sets[campaignSet]!,
          synonymSet === undefined ? undefined : synonyms[synonymSet],
        ),
      )
      // The first search for an unknown word requests that terms are read. That must not wait for the next write, hours later perhaps.
      void readAhead()
      return results
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

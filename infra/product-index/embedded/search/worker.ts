import { setImmediate as nextTurn } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { SynonymRules } from '../../../../services/domain/catalogue/shop-synonyms.ts'
import { connect, type Remote, serveConnections } from '../../../thread.ts'
import {
  type CampaignGroups,
  type Filter,
  IndexUnavailable,
  type ScanRequest,
  type SellersRequest,
  type SimilarTerm,
} from '../../port.ts'
import type { Touched } from '../writer.ts'
import { type CampaignSet, type NumberedQuery, openIndexSearcher } from './searcher.ts'

/** How often writes become visible to searches without a call of `refresh`. */
const REFRESH_MS = 500

const searcher = openIndexSearcher(workerData as { folder: string })
searcher.refresh({ changed: -1, epoch: 0, words: null })

let writer: Remote | null = null
let refreshing = Promise.resolve()

/** One at a time, because the writer reports each change once. */
function refresh(): Promise<void> {
  refreshing = refreshing
    .catch(() => {})
    .then(async () => {
      if (writer) searcher.refresh(await writer.call<Touched>('touched', []))
    })
  return refreshing
}

let stopped = false
let isReading = false

/** In steps, between which searches are answered. */
async function readAhead(): Promise<void> {
  if (isReading) return
  isReading = true
  try {
    while (!stopped && searcher.readAhead()) await nextTurn()
  } finally {
    isReading = false
  }
}

const timer = setInterval(
  () =>
    refresh()
      .then(readAhead)
      .catch(() => {}),
  REFRESH_MS,
)

/** Each client has its own numbers for lists of campaigns and synonyms. */
const methodsOf = () => {
  const sets: CampaignSet[] = []
  const synonyms: SynonymRules[] = []
  return {
    follow(port: MessagePort) {
      writer = connect(port, {}, () => new IndexUnavailable('The product index has been closed'))
    },
    attach: (port: MessagePort) => writer!.call<void>('attach', [port], [port]),
    refresh,
    setCampaigns(number: number, groups: CampaignGroups) {
      sets[number] = searcher.campaignSet(groups)
    },
    setSynonyms(number: number, rules: SynonymRules) {
      synonyms[number] = rules
    },
    search: (queries: NumberedQuery[]) =>
      queries.map(({ campaignSet, synonymSet, ...query }) =>
        searcher.search(
          query,
          campaignSet === null ? null : sets[campaignSet]!,
          synonymSet === undefined ? undefined : synonyms[synonymSet],
        ),
      ),
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
  clearInterval(timer)
  stopped = true
  await refreshing.catch(() => {})
  writer?.close()
  searcher.close()
})

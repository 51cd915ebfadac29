import { LRUCache } from 'lru-cache'
import type { Filter, ProductIndex } from '../../../infra/product-index/port.ts'
import { sharedCall } from '../../../infra/together.ts'
import type { Traffic } from '../../replicas/traffic-follower.ts'
import type { Campaigns } from '../eligibility/campaigns.ts'
import type { Candidate } from './candidate.ts'
import { checkOf } from './filter-check.ts'

/** How often the bestsellers are refreshed while the index answers. */
const REFRESH_MS = 10_000
/** About 0.4 MB each. */
const SHOPS_MAX = 200
const BESTSELLERS_MAX = 200

/** The bestsellers of each shop that ads are requested for, kept in memory for when the index does not answer. */
export interface BestsellerFallback {
  /** The shop's bestsellers that pass the filters; null when none are known, or when only the index can apply the filters. */
  bestsellers(shopId: string, filters: readonly Filter[], limit: number): Candidate[] | null
  /** Fetches the bestsellers of the shops requested since the last refresh. On failure a shop keeps its old ones. */
  refresh(): Promise<void>
  start(onError: (error: unknown) => void): void
  close(): void
  /** Notes that ads of this shop are requested. */
  note(shopId: string): void
}

export function createBestsellerFallback(deps: {
  search: ProductIndex['search']
  campaigns: Pick<Campaigns, 'running'>
  traffic: Pick<Traffic, 'clickRate'>
  candidatesOf: (hits: Awaited<ReturnType<ProductIndex['search']>>[number]['hits']) => Candidate[]
}): BestsellerFallback {
  const known = new LRUCache<string, readonly Candidate[]>({ max: SHOPS_MAX })
  const requested = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  async function refreshShop(shopId: string): Promise<void> {
    const campaigns = (['PAID', 'AUTO_PROMO'] as const).flatMap((kind) => deps.campaigns.running(shopId, kind).groups)
    if (campaigns.length === 0) return void known.delete(shopId)
    const filters: Filter[] = [{ kind: 'available' }]
    const query = {
      shopId,
      filters,
      rank: { by: 'popularity' } as const,
      campaigns,
      priorClickRate: deps.traffic.clickRate(shopId),
      limit: BESTSELLERS_MAX,
      tieSeed: 0,
    }
    const [found] = await deps.search([query])
    known.set(shopId, deps.candidatesOf(found!.hits))
  }

  /**
   * Ends at the first failure, for the next shop would probably fail too, and goes on there the next time. A slow index is not asked
   * for more at the same time.
   */
  const refresh = sharedCall(async () => {
    for (const shopId of [...requested]) {
      requested.delete(shopId)
      try {
        await refreshShop(shopId)
      } catch (error) {
        // Behind the others, which one shop that always fails would hold up.
        requested.add(shopId)
        throw error
      }
    }
  })

  return {
    bestsellers(shopId, filters, limit) {
      const candidates = known.get(shopId)
      const passes = candidates && checkOf(filters)
      return passes ? candidates.filter(({ product }) => passes(product)).slice(0, limit) : null
    },
    refresh,
    start(onError) {
      timer = setInterval(() => refresh().catch(onError), REFRESH_MS).unref()
    },
    close() {
      clearInterval(timer)
    },
    note(shopId) {
      if (requested.size < SHOPS_MAX) requested.add(shopId)
    },
  }
}

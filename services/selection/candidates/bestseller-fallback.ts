import type { Filter, ProductIndex } from '../../../infra/product-index/port.ts'
import type { Traffic } from '../../replicas/traffic-follower.ts'
import type { Campaigns } from '../eligibility/campaigns.ts'
import { checkOf } from '../eligibility/holds.ts'
import type { Candidate } from './candidate.ts'

/** How old the bestsellers may be while the index answers. */
const REFRESH_MS = 10_000
/** Shops asked for since the last refresh; about 0.4 MB each. */
const SHOPS_MAX = 200
const BESTSELLERS_MAX = 200

/** The bestsellers of each shop that ads are asked for, kept at hand for when the index does not answer. */
export interface Standby {
  /** The shop's bestsellers that hold the filters; null when none are known, or only the index can tell. */
  bestsellers(shopId: string, filters: readonly Filter[], limit: number): Candidate[] | null
  /** Of the shops asked for since the last refresh. A shop whose bestsellers cannot be had keeps the old ones. */
  refresh(): Promise<void>
  start(onError: (error: unknown) => void): void
  close(): void
  /** Notes that ads of this shop are asked for. */
  ask(shopId: string): void
}

export function createStandby(deps: {
  search: ProductIndex['search']
  campaigns: Pick<Campaigns, 'running'>
  traffic: Pick<Traffic, 'clickRate'>
  candidatesOf: (hits: Awaited<ReturnType<ProductIndex['search']>>[number]['hits']) => Candidate[]
}): Standby {
  const known = new Map<string, readonly Candidate[]>()
  const asked = new Set<string>()
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
    known.delete(shopId)
    known.set(shopId, deps.candidatesOf(found!.hits))
    for (const oldest of known.keys()) {
      if (known.size <= SHOPS_MAX) break
      known.delete(oldest)
    }
  }

  async function refresh(): Promise<void> {
    const shops = [...asked]
    asked.clear()
    for (const shopId of shops) await refreshShop(shopId)
  }

  return {
    bestsellers(shopId, filters, limit) {
      const candidates = known.get(shopId)
      const holds = candidates && checkOf(filters)
      return holds ? candidates.filter(({ product }) => holds(product)).slice(0, limit) : null
    },
    refresh,
    start(onError) {
      timer = setInterval(() => refresh().catch(onError), REFRESH_MS).unref()
    },
    close() {
      clearInterval(timer)
    },
    ask(shopId) {
      if (asked.size < SHOPS_MAX) asked.add(shopId)
    },
  }
}

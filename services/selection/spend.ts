import type { Counters } from '../../infra/counters/port.ts'
import type { Campaign } from '../../schemas/entities.ts'
import { dailySpendKey, dayIn, spendKey } from '../domain/counter-keys.ts'
import type { Entity, Snapshot } from '../domain/snapshot.ts'
import type { Spend } from '../domain/standing.ts'
import { readWhole } from './known-views.ts'

/** How old the view may be: what selection gives away beyond a budget is what is clicked in this time. */
const REFRESH_MS = 200
const KEYS_PER_READ = 1000
/**
 * How long the last known spend is gone by while the counters are away: what is given away beyond budgets is what is
 * clicked in this time. After it no paid ad is shown.
 */
export const SPEND_KNOWN_MS = 10_000
const NOTHING: Spend = { totalMicros: 0, todayMicros: 0 }
/** Leaves nothing of any budget. */
const UNKNOWN: Spend = { totalMicros: Number.POSITIVE_INFINITY, todayMicros: 0 }

/** What campaigns have spent, as the counters said at the last refresh; everything, once that is too long ago. */
export interface SpendView {
  of(campaignId: string): Spend
  /** Grows with each refresh. */
  readonly revision: number
  /** Reads the counters now. @throws what the counters throw; the view then stays as it was. */
  refresh(): Promise<void>
  /** Refreshes in the background until closed. A failed refresh leaves the view as it is, for `SPEND_KNOWN_MS`. */
  start(onError: (error: unknown) => void): void
  close(): void
}

export function createSpendView(deps: { counters: Counters; snapshot: Snapshot; now: () => number }): SpendView {
  let spends = new Map<string, Spend>()
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let revision = 0
  /** When the first refresh began that has not been carried out since; null: the last one was. */
  let missedSince: number | null = Number.NEGATIVE_INFINITY

  async function refresh() {
    missedSince ??= deps.now()
    const campaigns = [...deps.snapshot.all('Campaign')].filter(({ body }) => isSpending(body, deps.now()))
    const keys = campaigns.flatMap((campaign) => keysOf(campaign, deps))
    const values = await readAll(deps.counters, keys)
    spends = new Map(
      campaigns.map(({ id }, i) => [id, { totalMicros: values[2 * i]!, todayMicros: values[2 * i + 1]! }]),
    )
    missedSince = null
    revision++
  }

  function schedule(onError: (error: unknown) => void) {
    timer = setTimeout(async () => {
      await refresh().catch(onError)
      if (!closed) schedule(onError)
    }, REFRESH_MS)
    timer.unref()
  }

  return {
    of(campaignId) {
      if (missedSince !== null && deps.now() - missedSince > SPEND_KNOWN_MS) return UNKNOWN
      return spends.get(campaignId) ?? NOTHING
    },
    get revision() {
      return revision
    },
    refresh,
    start: schedule,
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}

function isSpending(campaign: Campaign, now: number): boolean {
  return campaign.status === 'ACTIVE' && !campaign.autoPromo && (campaign.endAt === null || now < campaign.endAt)
}

function keysOf({ id, body }: Entity<'Campaign'>, deps: { snapshot: Snapshot; now: () => number }): [string, string] {
  const timeZone = deps.snapshot.body('Shop', body.shopId)?.timeZone ?? 'UTC'
  return [spendKey(id), dailySpendKey(id, dayIn(timeZone, deps.now()))]
}

async function readAll(counters: Counters, keys: readonly string[]): Promise<number[]> {
  const values: number[] = []
  for (let from = 0; from < keys.length; from += KEYS_PER_READ) {
    values.push(...(await readWhole(counters, keys.slice(from, from + KEYS_PER_READ))))
  }
  return values
}

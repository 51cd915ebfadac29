import type { Analytics } from '../../infra/analytics/port.ts'
import { shopsSql } from '../../infra/analytics/queries/signals/orders-and-traffic.ts'
import type { EventLog, PartitionBounds } from '../../infra/event-log/port.ts'
import { DAY_MS } from '../../schemas/durations.ts'
import { chunksOf } from '../../services/domain/chunks.ts'
import { hasUncommitted } from '../runtime/lag.ts'
import { SINK_GROUP } from '../sink/offset-metadata.ts'
import { createActivity } from './activity.ts'
import { createDueShops } from './due-shops.ts'
import { type ShopSignals, WINDOW_DAYS } from './shop-signals.ts'

/** Shops that are computed together, so that one query reads them all. */
const SHOPS_TOGETHER = 50
/** While one update waits for the store, another one computes. */
const UPDATES_AT_ONCE = 2

export interface SignalsDeps {
  log: Pick<EventLog, 'bounds' | 'committed' | 'read'>
  analytics: Analytics
  shopSignals: ShopSignals
  /** How long a shop's signals may be behind. When its purchases grow at once, as by an import, they are computed earlier. */
  intervalMs: number
  /** UTC epoch milliseconds. */
  now: () => number
}

export interface Signals {
  /** Computes the signals of the shops that are due and appends those that changed. @returns how many. Only one may run. */
  runOnce(): Promise<number>
  /** Whether the last run has found an import under way, so that another one should soon look whether it has ended. */
  areArriving(): boolean
}

/** Decides when the signals of which shop are computed. `shop-signals.ts` computes them. */
export function createSignals({ log, analytics, shopSignals, intervalMs, now }: SignalsDeps): Signals {
  const activity = createActivity({ log, analytics })
  const due = createDueShops({ intervalMs })
  /** The day of the last look, in days since the epoch (UTC). Null before the first one. */
  let lookedOn: number | null = null
  /** The purchases that the log held at the last look, if this found an import under way. */
  let held: PartitionBounds[] | null = null

  /** Whether the sink has yet to store some of these. */
  const isBehind = async (): Promise<boolean> =>
    held !== null && hasUncommitted({ log, topic: 'transactions', bounds: held }, await log.committed(SINK_GROUP))

  /** @returns how many signals changed. */
  async function update(shopIds: readonly string[], today: number): Promise<number> {
    const begunAt = now()
    const taken = shopIds.map((shopId) => ({ shopId, ...due.taken(shopId) }))
    const changed = await shopSignals.update(shopIds, today)
    for (const { shopId, purchases } of taken) due.computed(shopId, { at: begunAt, purchases })
    return changed
  }

  return {
    async runOnce() {
      const today = Math.floor(now() / DAY_MS)
      // Asked before the look, which thus finds whatever the sink has stored by now.
      const wasBehind = await isBehind()
      for (const [shopId, purchases] of await activity.look(today - WINDOW_DAYS)) due.note(shopId, purchases)
      if (lookedOn === null) {
        for (const { shopId } of await analytics.query<{ shopId: string }>(shopsSql)) due.note(shopId, 0)
      }
      // On a new day everything is a day older, so every shop counts as changed.
      if (lookedOn !== today) due.noteAll()
      lookedOn = today
      const queue = [...chunksOf(due.list(now(), wasBehind), SHOPS_TOGETHER)]
      held = due.areArriving() ? await log.bounds('transactions') : null
      if (queue.length > 0) await activity.count(today - WINDOW_DAYS)
      let changed = 0
      const failures: unknown[] = []
      const updateOthers = async () => {
        for (let shopIds = queue.pop(); shopIds !== undefined; shopIds = queue.pop()) {
          // A failure of some shops is no reason to leave out the others.
          changed += await update(shopIds, today).catch((error) => {
            failures.push(error)
            return 0
          })
        }
      }
      await Promise.all(Array.from({ length: UPDATES_AT_ONCE }, updateOthers))
      if (failures.length > 0) throw failures[0]
      return changed
    },
    areArriving: due.areArriving,
  }
}

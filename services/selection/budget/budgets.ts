import type { Counters, Reservation } from '../../../infra/counters/port.ts'
import type { Campaign, Shop } from '../../../schemas/records/entities.ts'
import { leftOf, standing } from '../../domain/campaign/eligibility.ts'
import { ceilingOf, expectedCost } from '../../domain/money/in-flight-limit.ts'
import { idealSpend } from '../../domain/money/pacing.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { type ShopDay, shopDay } from '../../domain/time/shop-day.ts'
import type { Traffic } from '../../replicas/traffic-follower.ts'
import { LEASE_MS, Lease } from './lease.ts'
import { SPEND_KNOWN_MS, type SpendView } from './spend.ts'

/** Between two turns; what a turn learns of spend and grants of budgets is so old. */
const TURN_MS = 200
/** So many campaigns that are asked for are looked at in a turn, and of the others: those first that have waited longest. */
const BUSY_PER_TURN = 1_000
const IDLE_PER_TURN = 200
/** Between so many, requests are answered. */
const LOOKED_AT_ONCE = 100
/** What is reckoned with of a click rate before the first is known. */
const CLICK_RATE_AT_FIRST = 0.05

/** An ad that costs money when it is viewed, or clicked. */
export interface Spender {
  campaignId: string
  campaign: Campaign
  /** Of the emission to be billed: the predicted click rate, or 1 where a view is what is paid for. */
  likelihood: number
}

/**
 * The money of campaigns as far as this process may give it out: leases of their budgets, by which no more is in flight
 * over all processes than the budgets allow. Requests are answered from memory.
 */
export interface Budgets {
  /** Whether anything of the campaign may be emitted now; if not, that may change with the next turn. */
  isOpen(ad: Spender, now: number): boolean
  /** Sets aside what the emission is expected to cost. @returns false: there is no room for it. */
  take(ad: Spender, priceMicros: number, now: number): boolean
  /** Undoes a `take` of the same arguments. */
  giveBack(ad: Spender, priceMicros: number, now: number): void
  /** Reads what all campaigns have spent, and asks for their leases. @throws what the counters throw. */
  open(): Promise<void>
  /** As `open`, of those that are asked for and some others. */
  turn(): Promise<void>
  /** Takes turns in the background until closed, and looks at campaigns that change at once. */
  start(onError: (error: unknown) => void): void
  close(): void
}

export interface BudgetsDeps {
  counters: Pick<Counters, 'reserve'>
  snapshot: Snapshot
  spend: SpendView
  traffic: Pick<Traffic, 'hourShares'>
  /** No other process has it, nor had it before. */
  processId: string
  now: () => number
}

export function createBudgets(deps: BudgetsDeps): Budgets {
  const { snapshot, spend } = deps
  const leases = new Map<string, Lease>()
  const busy = new Set<string>()
  const changed = new Set<string>()
  const days = createShopDays(deps)
  let idle = leases.keys()
  let underWay: Promise<void> | null = null
  /** When the first turn began that failed and was followed by none that did not. */
  let failedSince: number | null = null
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let onFirstChange = () => {}

  function note(campaignId: string): void {
    const campaign = snapshot.body('Campaign', campaignId)
    changed.add(campaignId)
    busy.add(campaignId)
    if (!campaign || campaign.autoPromo) return
    const lease = leases.get(campaignId) ?? new Lease()
    leases.set(campaignId, lease)
    lease.want(deps.now(), { dearestMicros: costAtFirst(campaign) })
  }
  for (const { id } of snapshot.all('Campaign')) note(id)
  snapshot.onChange(({ kind, id }) => {
    if (kind !== 'Campaign' || closed) return
    if (changed.size === 0) onFirstChange()
    note(id)
  })

  /** A turn that is slow is no sign of it: this process may have been slow itself, and what is at hand lasts for a while. */
  const isAway = (now: number) => failedSince !== null && now - failedSince <= SPEND_KNOWN_MS

  function ceiling(campaignId: string, lease: Lease, now: number): number {
    const campaign = snapshot.body('Campaign', campaignId)
    const shop = campaign && snapshot.body('Shop', campaign.shopId)
    if (!shop || campaign.autoPromo) return 0
    const spent = spend.of(campaignId)
    const judged = standing(campaign, shop, { now, spend: spent })
    if (judged.out !== null) return 0
    // Of display ads every one costs what the campaign bids, which falls with what is left.
    if (campaign.kind === 'DISPLAY') lease.dearestMicros = expectedCost(campaign, judged.bidMicros, 1)
    return ceilingOf(campaign, {
      leftMicros: leftOf(campaign, spent),
      pacedMicros:
        campaign.pacing === 'EVEN'
          ? idealSpend(campaign, spent, days(campaign.shopId, shop, now), now) - spent.todayMicros
          : Number.POSITIVE_INFINITY,
      bidMicros: judged.bidMicros,
      settledMicros: spent.settledMicros,
      dearestMicros: lease.dearestMicros,
    })
  }

  /** Asks for what these campaigns need, by what they have spent. */
  async function look(campaignIds: readonly string[]): Promise<void> {
    for (let from = 0; from < campaignIds.length; from += LOOKED_AT_ONCE) {
      const some = campaignIds.slice(from, from + LOOKED_AT_ONCE)
      await spend.read(some)
      await renew(some)
    }
  }

  async function renew(campaignIds: readonly string[]): Promise<void> {
    const now = deps.now()
    const due: { lease: Lease; reservation: Reservation }[] = []
    for (const id of campaignIds) {
      // Who is still busy waits behind all others that are.
      busy.delete(id)
      const lease = leases.get(id)
      if (!lease) continue
      lease.turn(spend.judgeWatermark)
      lease.ceilingMicros = ceiling(id, lease, now)
      if (lease.isDue(now)) {
        const limits = [{ key: `budget/${id}`, counted: null, max: Math.floor(lease.ceilingMicros) }]
        const times = { now: spend.judgeWatermark, expiresAt: now + LEASE_MS }
        due.push({
          lease,
          reservation: { holder: deps.processId, ...lease.ask(now), limits, settledBy: null, ...times },
        })
      }
      if (!lease.isIdle()) busy.add(id)
      else if (!snapshot.get('Campaign', id)) leases.delete(id)
    }
    if (due.length === 0) return
    const granted = await deps.counters.reserve(due.map(({ reservation }) => reservation))
    for (const [i, { lease, reservation }] of due.entries())
      lease.granted(granted[i]!, { requested: reservation.requested, askedAt: now })
  }

  function nextBusy(): string[] {
    return busy.values().take(BUSY_PER_TURN).toArray()
  }

  function nextIdle(): string[] {
    const ids: string[] = []
    for (let looked = 0; looked < IDLE_PER_TURN; looked++) {
      const { value, done } = idle.next()
      if (done) {
        idle = leases.keys()
        break
      }
      if (!busy.has(value)) ids.push(value)
    }
    return ids
  }

  function lookAtChanged(): Promise<void> {
    const ids = [...changed]
    changed.clear()
    return look(ids)
  }

  /** One after the other. */
  function run(work: () => Promise<void>): Promise<void> {
    const before = underWay ?? Promise.resolve()
    const done = before
      .catch(() => {})
      .then(async () => {
        const startedAt = deps.now()
        try {
          await work()
          failedSince = null
        } catch (error) {
          failedSince ??= startedAt
          throw error
        }
      })
    underWay = done
    return done
  }

  const budgets: Budgets = {
    isOpen(ad, now) {
      if (ad.campaign.autoPromo) return true
      const lease = leases.get(ad.campaignId)
      if (lease && lease.roomMicros(now, isAway(now)) > 0) return true
      lease?.want(now)
      busy.add(ad.campaignId)
      return false
    },
    take(ad, priceMicros, now) {
      if (ad.campaign.autoPromo) return true
      const lease = leases.get(ad.campaignId)
      const amount = expectedCost(ad.campaign, priceMicros, ad.likelihood)
      busy.add(ad.campaignId)
      lease?.want(now, { amountMicros: amount })
      if (!lease || lease.roomMicros(now, isAway(now)) < amount) return false
      lease.emit(amount, now)
      return true
    },
    giveBack(ad, priceMicros, now) {
      if (ad.campaign.autoPromo) return
      leases.get(ad.campaignId)?.takeBack(expectedCost(ad.campaign, priceMicros, ad.likelihood), now)
    },
    open() {
      changed.clear()
      return run(() => look([...leases.keys()]))
    },
    turn: () => run(() => look([...nextBusy(), ...nextIdle()])),
    start(onError) {
      const schedule = () => {
        timer = setTimeout(async () => {
          await budgets.turn().catch(onError)
          if (!closed) schedule()
        }, TURN_MS).unref()
      }
      schedule()
      // Changes that come together are looked at together.
      onFirstChange = () => queueMicrotask(() => run(lookAtChanged).catch(onError))
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
  return budgets
}

/** What an emission is taken to cost before the first. */
function costAtFirst(campaign: Campaign): number {
  const { kind, cpcMicros, cpmMicros } = campaign
  return kind === 'DISPLAY'
    ? expectedCost(campaign, cpmMicros!, 1)
    : expectedCost(campaign, cpcMicros, CLICK_RATE_AT_FIRST)
}

/** The present day of each shop: making one takes a hundred looks at the calendar. */
function createShopDays({ traffic }: Pick<BudgetsDeps, 'traffic'>) {
  const known = new Map<string, { day: ShopDay; shares: readonly number[]; timeZone: string }>()
  return (shopId: string, { timeZone }: Shop, now: number): ShopDay => {
    const shares = traffic.hourShares(shopId)
    const found = known.get(shopId)
    if (found?.shares === shares && found.timeZone === timeZone) {
      if (now >= found.day.startAt && now < found.day.endAt) return found.day
    }
    const day = shopDay(timeZone, now, shares)
    known.set(shopId, { day, shares, timeZone })
    return day
  }
}

import { shardsOf } from '../../../infra/counters/shards.ts'
import type { Campaign } from '../../../schemas/records/entities.ts'
import { maySpend } from '../../domain/campaign/eligibility.ts'
import { expectedCost } from '../../domain/money/in-flight-limit.ts'
import { createBackgroundTurns } from './background-turns.ts'
import { BudgetLease } from './budget-lease.ts'
import { createLeaseRenewal, type LeaseRenewalDeps } from './lease-renewal.ts'

/** How many campaigns in demand, and how many others, a turn looks at. Those that waited longest come first. */
const BUSY_PER_TURN = 1_000
const IDLE_PER_TURN = 200
/** The click rate that is assumed before the first one is known. */
const INITIAL_CLICK_RATE = 0.05

/** An ad that costs its campaign money when it is viewed, or clicked. */
export interface BilledAd {
  campaignId: string
  campaign: Campaign
  /** The probability that the emission is billed: the predicted click rate, or 1 for ads that pay per view. */
  likelihood: number
}

/**
 * The part of the campaigns' budgets that this process may spend, by leases. Over all processes, the leases together never
 * put more in flight than the budgets allow. Requests are answered from memory.
 */
export interface Budgets {
  /** Whether an ad of the campaign may be emitted now. If not, that may change with the next turn. */
  isOpen(ad: BilledAd, now: number): boolean
  /** Reserves what the emission is expected to cost. @returns false when the budget has no room for it. */
  reserve(ad: BilledAd, priceMicros: number, now: number): boolean
  /** Undoes a `reserve` with the same arguments. */
  release(ad: BilledAd, priceMicros: number, now: number): void
  /**
   * Reads the spend of all campaigns that may spend more, and requests their leases. @throws what the counters throw, after
   * doing this for the shards that answer.
   */
  open(): Promise<void>
  /** The same, for the campaigns in demand and some of the others. */
  turn(): Promise<void>
  /** Takes turns in the background until closed. Looks at a campaign as soon as it changes. */
  start(onError: (error: unknown) => void): void
  close(): void
}

export function createBudgets(deps: LeaseRenewalDeps): Budgets {
  const { counters, snapshot } = deps
  const leases = new Map<string, BudgetLease>()
  const busy = new Set<string>()
  const changed = new Set<string>()
  let idle = leases.entries()
  let underWay: Promise<void> | null = null
  let closed = false
  /** When the last turn was taken. */
  let seenNow = deps.now()
  let onFirstChange = () => {}
  const background = createBackgroundTurns(takeTurns)
  const { look, isAway } = createLeaseRenewal(deps, leases, requeue)

  /** Notes a campaign that may spend a budget now or later, or that did so before it changed. */
  function note(campaignId: string): void {
    const now = deps.now()
    const campaign = snapshot.body('Campaign', campaignId)
    if (!leases.has(campaignId) && !(campaign && maySpend(campaign, now))) return
    changed.add(campaignId)
    busy.add(campaignId)
    if (campaign) requestLease(campaignId, campaign, now)
  }

  /** When the clock was set back, campaigns that had ended may spend again. */
  function noteClock(): void {
    const now = deps.now()
    if (now < seenNow) {
      for (const { id, body } of snapshot.all('Campaign')) {
        if (leases.has(id) || !maySpend(body, now)) continue
        requestLease(id, body, now)
        busy.add(id)
      }
    }
    seenNow = now
  }

  function requestLease(campaignId: string, campaign: Campaign, now: number): void {
    const lease = leases.get(campaignId) ?? new BudgetLease()
    leases.set(campaignId, lease)
    lease.request(now, { highestCostMicros: initialCost(campaign) })
  }
  for (const { id } of snapshot.all('Campaign')) note(id)
  snapshot.onChange(({ kind, id }) => {
    if (kind !== 'Campaign' || closed) return
    if (changed.size === 0) onFirstChange()
    note(id)
  })

  function demand(campaignId: string): void {
    busy.add(campaignId)
    background.demanded()
  }

  /** Campaigns that are still busy go to the end of the queue. Those that may spend nothing any more lose their lease. */
  function requeue(campaignIds: readonly string[], now: number): void {
    for (const id of campaignIds) {
      busy.delete(id)
      const lease = leases.get(id)
      const campaign = snapshot.body('Campaign', id)
      if (lease && !lease.isIdle()) busy.add(id)
      else if (!campaign || !maySpend(campaign, now)) leases.delete(id)
    }
  }

  function nextBusy(): string[] {
    return busy.values().take(BUSY_PER_TURN).toArray()
  }

  function nextIdle(turns: number): string[] {
    const now = deps.now()
    const ids: string[] = []
    for (let looked = 0; looked < turns * IDLE_PER_TURN; looked++) {
      const { value, done } = idle.next()
      if (done) {
        idle = leases.entries()
        break
      }
      const [id, lease] = value
      if (!busy.has(id) && !lease.isAtRest(now)) ids.push(id)
    }
    return ids
  }

  function lookAtChanged(): Promise<void> {
    const ids = [...changed]
    changed.clear()
    return look(ids)
  }

  /** Looks at the campaigns in demand once, and at as many others as in this many turns. */
  function takeTurns(turns: number): Promise<void> {
    return run(() => {
      noteClock()
      return look([...nextBusy(), ...nextIdle(turns)])
    })
  }

  /** Runs one look at a time. */
  function run(work: () => Promise<void>): Promise<void> {
    const before = underWay ?? Promise.resolve()
    const done = before.catch(() => {}).then(work)
    underWay = done
    return done
  }

  const budgets: Budgets = {
    isOpen(ad, now) {
      if (ad.campaign.autoPromo) return true
      const lease = leases.get(ad.campaignId)
      if (lease && lease.availableMicros(now, isAway(ad.campaignId, now)) > 0) return true
      lease?.request(now)
      demand(ad.campaignId)
      return false
    },
    reserve(ad, priceMicros, now) {
      if (ad.campaign.autoPromo) return true
      const lease = leases.get(ad.campaignId)
      const amount = expectedCost(ad.campaign, priceMicros, ad.likelihood)
      demand(ad.campaignId)
      lease?.request(now, { amountMicros: amount })
      if (!lease || lease.availableMicros(now, isAway(ad.campaignId, now)) < amount) return false
      lease.emit(amount, now)
      return true
    },
    release(ad, priceMicros, now) {
      if (ad.campaign.autoPromo) return
      leases.get(ad.campaignId)?.release(expectedCost(ad.campaign, priceMicros, ad.likelihood), now)
    },
    open() {
      changed.clear()
      return run(() => look([...leases.keys()], shardsOf(counters)))
    },
    turn: () => takeTurns(1),
    start(onError) {
      background.start(onError)
      // Changes that arrive together are looked at together.
      onFirstChange = () => queueMicrotask(() => run(lookAtChanged).catch(onError))
      // Campaigns that have changed since `open` began.
      if (changed.size > 0) onFirstChange()
    },
    close() {
      closed = true
      background.close()
    },
  }
  return budgets
}

/** What an emission is assumed to cost before the first one. */
function initialCost(campaign: Campaign): number {
  const { kind, cpcMicros, cpmMicros } = campaign
  return kind === 'DISPLAY'
    ? expectedCost(campaign, cpmMicros!, 1)
    : expectedCost(campaign, cpcMicros, INITIAL_CLICK_RATE)
}

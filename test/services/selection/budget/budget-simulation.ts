import { deepStrictEqual } from 'node:assert/strict'
import { shardOf } from '../../../../infra/counters/shards.ts'
import type { Campaign, Shop } from '../../../../schemas/records/entities.ts'
import type { AdEvent, ShowIdClaims } from '../../../../schemas/records/events.ts'
import { eligibilityOf } from '../../../../services/domain/campaign/eligibility.ts'
import { UNKNOWN_CLIENT } from '../../../../services/domain/identity/client-hashes.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { trafficRulesOf } from '../../../../services/domain/traffic-rules.ts'
import { type Budgets, createBudgets } from '../../../../services/selection/budget/budgets.ts'
import { createSpendView, type SpendView } from '../../../../services/selection/budget/spend.ts'
import type { BatchCounters } from '../../../../streams/judge/batch-counters.ts'
import { completeShards } from '../../../../streams/judge/counters-repair.ts'
import { decideBatch } from '../../../../streams/judge/decide-batch.ts'
import type { Decision } from '../../../../streams/judge/step.ts'
import { trafficTermsOf } from '../../../../streams/judge/traffic.ts'
import { campaignLimits, judgement, judgingStep } from '../../../../streams/judge/verdict.ts'
import { RULES_OFF } from '../../../streams/judge/fixtures.ts'
import { NOW, sponsored } from '../world.ts'
import { memoryCounters } from './memory-counters.ts'

/** Simulates selection processes, the judge's decisions and counters in memory, with the real rules of money and simulated time. */

export const TURN_MS = 200
/** How often the counters get a new judge watermark, and how far the watermark is behind. */
const TOLD_EVERY_MS = 1_000
const APPEND_MAX_MS = 5_000

/** The events of one partition that the judge decides in one batch. */
interface Batch {
  shard: number
  /** The last offset before the batch. */
  after: number
  events: { offset: number; value: AdEvent }[]
  decisions?: ReadonlyMap<number, Decision>
}

/** Not used: counters in memory lose nothing, so nothing is recounted from the log. */
const noLog = {
  bounds: () => Promise.reject(new Error('not used')),
  settled: () => Promise.reject(new Error('not used')),
  read: () => Promise.reject(new Error('not used')),
  committed: () => Promise.reject(new Error('not used')),
}

interface Process {
  spend: SpendView
  budgets: Budgets
}

export interface Emitted {
  campaignId: string
  claims: ShowIdClaims
}

/** Figures of a campaign: its emissions, and of the events that cost money, the amount billed and the number given free. */
export interface Tally {
  emitted: number
  billedMicros: number
  free: number
}

export interface Simulation {
  now: number
  readonly processes: readonly Process[]
  put(id: string, changes: Partial<Campaign>): void
  tallyOf(id: string): Tally
  /** Lets a process show an ad of a campaign now, unless the budget does not allow it. @returns whether it is shown. */
  emit(process: number, id: string, likelihood: number): boolean
  /** Lets the view or click of the latest emission come in after `delayMs`. */
  respond(delayMs: number): void
  /** Lets the judge ignore the events of a campaign for so long; the watermark shows it. */
  stall(id: string, durationMs: number): void
  /** Repeats the judge's last batch of each partition. @throws when a decision differs. */
  repeatBatch(): Promise<void>
  /** Kills a process, and starts a new one in its place that knows nothing. */
  crash(process: number): Promise<void>
  /** Runs before the counters answer. */
  beforeCounters: () => Promise<void>
  /** The campaigns whose spend a process has read. */
  readonly campaignsRead: Set<string>
  /** Loses all reservations. */
  loseHolds(): void
  /** Lets time pass, turn by turn. */
  pass(durationMs: number, turnMs?: number): Promise<void>
  /** Takes a turn in each process, without passing time. */
  turn(): Promise<void>
}

export function createSimulation(options: {
  processes: number
  startAt?: number
  shop?: Partial<Shop>
  hourShares?: readonly number[]
}): Simulation {
  const { startAt = NOW, hourShares = Array(24).fill(1) } = options
  const snapshot = new Snapshot()
  const counters = memoryCounters({ now: () => simulation.now, before: () => simulation.beforeCounters() })
  const tallies = new Map<string, Tally>()
  const due: { at: number; event: Omit<AdEvent, 'receivedAt' | 'occurredAt'> }[] = []
  const stalledUntil = new Map<string, number>()
  let toldAt = startAt
  let version = 0
  const lastOffsets = new Array<number>(counters.shards).fill(-1)
  let batches: Batch[] = []
  let last: Emitted | null = null
  const shop = { accountId: 'account', timeZone: 'UTC', currency: 'EUR', reserveCpcMicros: 1, ...options.shop } as Shop
  snapshot.apply({ kind: 'Shop', id: 'shop', version: 1, updatedAt: 0, updatedBy: '', deletedAt: null, body: shop })

  const readNoted: typeof counters.read = (keys) => {
    for (const { id } of keys) simulation.campaignsRead.add(id)
    return counters.read(keys)
  }

  let processIds = 0
  let requests = 0
  const open = (): Process => {
    const now = () => simulation.now
    const spend = createSpendView({ counters: { ...counters, read: readNoted }, snapshot, now })
    const processId = `process ${processIds++}`
    return {
      spend,
      budgets: createBudgets({ counters, snapshot, spend, traffic: { hourShares: () => hourShares }, processId, now }),
    }
  }

  async function judge(): Promise<void> {
    due.sort((a, b) => a.at - b.at)
    const { now } = simulation
    const isStalled = (id: string) => now < (stalledUntil.get(id) ?? 0)
    const [ready, waiting] = parted(due, ({ at, event }) => at <= now && !isStalled(event.claims.campaignId))
    due.splice(0, due.length, ...waiting)
    if (now - toldAt >= TOLD_EVERY_MS) {
      toldAt = now
      await counters.raiseWatermark(Math.min(now, waiting[0]?.at ?? now) - APPEND_MAX_MS)
    }
    if (ready.length === 0) return
    const groups = Map.groupBy(ready, ({ event }) => shardOf(event.claims.campaignId, counters.shards))
    batches = [...groups].map(([shard, events]) => ({
      shard,
      after: lastOffsets[shard]!,
      events: events.map(({ event, at }) => ({
        offset: ++lastOffsets[shard]!,
        value: { ...event, occurredAt: at, receivedAt: at },
      })),
    }))
    for (const batch of batches) {
      batch.decisions = await decide(batch)
      for (const { value: event, offset } of batch.events) {
        const judged = judgement(event, batch.decisions.get(offset)!)!
        const tally = tallies.get(event.claims.campaignId)!
        tally.billedMicros += judged.billedMicros
        if (judged.verdict === 'OVER_BUDGET') tally.free++
      }
    }
  }
  const traffic = trafficTermsOf(trafficRulesOf(RULES_OFF))
  function decide({ shard, after, events }: Batch): Promise<ReadonlyMap<number, Decision>> {
    const place = { shard, shards: counters.shards }
    const stepOf = ({ value: event }: Batch['events'][number], counters: BatchCounters) => {
      const { budgetMicros, dailyBudgetMicros } = snapshot.body('Campaign', event.claims.campaignId)!
      const limits = campaignLimits({ capping: null, budgetMicros, dailyBudgetMicros })
      const terms = { capping: null, timeZone: shop.timeZone, traffic, limits }
      return judgingStep(event, place, terms, counters)
    }
    const outcomeOf = async (decisions: readonly Decision[]) =>
      new Map(events.map(({ offset }, i) => [offset, decisions[i]!]))
    const deps = { counters, snapshot, now: () => simulation.now, log: noLog }
    const complete = (partition: number) => completeShards(deps, partition)
    return decideBatch(deps, {
      place,
      events,
      stepOf,
      outcomeOf,
      after: async () => after,
      upTo: lastOffsets[shard]!,
      complete,
    })
  }

  const processes: Process[] = []
  const simulation = {
    now: startAt,
    processes,
    beforeCounters: async () => {},
    campaignsRead: new Set<string>(),
    put(id: string, changes: Partial<Campaign>) {
      const body: Campaign = { ...sponsored('shop', 'account'), startAt: 0, endAt: null, ...changes }
      const entry = {
        kind: 'Campaign' as const,
        id,
        version: ++version,
        updatedAt: 0,
        updatedBy: '',
        deletedAt: null,
        body,
      }
      snapshot.apply(entry)
      if (!tallies.has(id)) tallies.set(id, { emitted: 0, billedMicros: 0, free: 0 })
    },
    tallyOf: (id: string) => tallies.get(id)!,
    emit(process: number, id: string, likelihood: number) {
      const { spend, budgets } = processes[process]!
      const campaign = snapshot.body('Campaign', id)!
      const eligibility = eligibilityOf(campaign, shop, { now: simulation.now, spend: spend.of(id) })
      if (eligibility.reason !== null) return false
      const ad = { campaignId: id, campaign, likelihood }
      if (!budgets.isOpen(ad, simulation.now) || !budgets.reserve(ad, eligibility.bidMicros, simulation.now))
        return false
      const tally = tallies.get(id)!
      tally.emitted++
      last = { campaignId: id, claims: claimsOf(id, campaign, eligibility.bidMicros, `${++requests}`) }
      return true
    },
    respond(delayMs: number) {
      const { claims } = last!
      const type = claims.kind === 'DISPLAY' ? ('VIEW' as const) : ('CLICK' as const)
      due.push({
        at: simulation.now + delayMs,
        event: {
          ...{ eventId: '', type, cid: claims.cid, uid: null, bot: false, claims },
          ...{ proof: 'ANONYMOUS', ...UNKNOWN_CLIENT },
        },
      })
    },
    stall: (id: string, durationMs: number) => void stalledUntil.set(id, simulation.now + durationMs),
    async repeatBatch() {
      for (const batch of batches) deepStrictEqual(await decide(batch), batch.decisions)
    },
    async crash(process: number) {
      processes[process] = open()
      await processes[process].budgets.open()
    },
    loseHolds: () => counters.loseHolds(),
    async pass(durationMs: number, turnMs = TURN_MS) {
      for (let left = durationMs; left > 0; left -= turnMs) {
        simulation.now += Math.min(turnMs, left)
        await judge()
        await simulation.turn()
      }
    },
    async turn() {
      for (const { budgets } of processes) await budgets.turn()
    },
  }

  const claimsOf = (campaignId: string, campaign: Campaign, priceMicros: number, requestId: string): ShowIdClaims => ({
    kind: campaign.kind,
    requestId,
    shopId: 'shop',
    slotHash: '',
    adUnitId: '',
    campaignId,
    accountId: 'account',
    adId: 'ad',
    itemGroupId: null,
    cid: requestId,
    uid: null,
    algorithm: '',
    position: 1,
    priceMicros,
    currency: 'EUR',
    autoPromo: false,
    country: null,
    emittedAt: simulation.now,
  })
  for (let i = 0; i < options.processes; i++) processes.push(open())
  return simulation
}

function parted<T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))]
}

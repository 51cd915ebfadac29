import { type Counters, CountersUnavailable } from '../../../infra/counters/port.ts'
import { shardOf } from '../../../infra/counters/shards.ts'
import { createSlices } from '../../../infra/threads/slices.ts'
import type { AttentionKind } from '../../../schemas/http/panel/overview.ts'
import { bidsBelowReserve, type CampaignState, campaignState, leastPrice } from '../../domain/campaign/campaign.ts'
import { heldBy, waitingSince } from '../../domain/campaign/moderation.ts'
import { chunksOf } from '../../domain/chunks.ts'
import { dailySpendKey, dayIn, spendKey } from '../../domain/money/counter-keys.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { EVEN_HOURS, shopDay } from '../../domain/time/shop-day.ts'

type Campaign = Entity<'Campaign'>

/** Campaigns whose spend is read at once, so that a long list neither blocks the process nor holds up the counters. */
const READ_TOGETHER = 500
const NEARLY_SPENT = 0.9
/** How far the spent share of the budget may be behind the elapsed share of the campaign's time. */
const PACE_TOLERANCE = 0.1

/** A campaign or a feed that needs attention. */
export interface Finding {
  kind: AttentionKind
  entity: Campaign | Entity<'Feed'>
  runId?: string
  /** UTC epoch milliseconds; null when unknown. */
  since: number | null
  /** The `share` of the answer: spent of the budget, or rejected of a feed's items. Null for kinds without a share. */
  share: number | null
}

export interface CampaignAttentionDeps {
  snapshot: Snapshot
  counters: Pick<Counters, 'shards' | 'read'>
}

/** Finds which campaigns need attention at `now`, counts them by state, and tells whether the spend of all that may run is known. */
export async function campaignAttention(
  { snapshot, counters }: CampaignAttentionDeps,
  campaigns: readonly Campaign[],
  { now, isAdvertiser }: { now: number; isAdvertiser: boolean },
): Promise<{ findings: Finding[]; states: Partial<Record<CampaignState, number>>; isSpendKnown: boolean }> {
  // A campaign and its shop may be deleted while the spend is read.
  const shopOf = ({ body }: Campaign) => snapshot.getEver('Shop', body.shopId)!.body
  const mayHaveSpent = campaigns.filter(({ body }) => mayRun(body, now))
  const spentBy = await spentOf(counters, mayHaveSpent, (campaign) => dayIn(shopOf(campaign).timeZone, now))

  const states: Partial<Record<CampaignState, number>> = {}
  const findings: Finding[] = []
  const slices = createSlices()
  for (const campaign of campaigns) {
    if (slices.isOver()) await slices.next()
    const spent = spentBy?.get(campaign.id)
    const shop = shopOf(campaign)
    const leastPriceMicros = leastPrice(campaign.body, shop)
    const state = campaignState(campaign.body, { now, spentMicros: spent?.total ?? 0, leastPriceMicros })
    states[state] = (states[state] ?? 0) + 1
    if (state === 'IN_MODERATION') {
      findings.push({ kind: 'MODERATION_WAITING', entity: campaign, since: waitingSince(campaign), share: null })
    }
    if (state === 'REJECTED' && isAdvertiser) {
      const since = campaign.body.moderation?.decidedAt ?? null
      findings.push({ kind: 'MODERATION_REJECTED', entity: campaign, since, share: null })
    }
    if (state === 'EXHAUSTED' && campaign.body.status === 'ACTIVE' && spent) {
      findings.push({
        kind: 'BUDGET_SPENT',
        entity: campaign,
        since: null,
        share: spent.total / campaign.body.budgetMicros,
      })
    }
    if (state !== 'RUNNING') continue
    if (bidsBelowReserve(campaign.body, shop)) {
      findings.push({ kind: 'BID_BELOW_RESERVE', entity: campaign, since: null, share: null })
    } else if (spent) findings.push(...moneyFindings(campaign, spent, { now, timeZone: shop.timeZone }))
  }
  return { findings, states, isSpendKnown: spentBy !== null }
}

interface Spent {
  total: number
  today: number
}

/** What campaigns have spent, in micro-units, by their ids; null while the counters are away. */
async function spentOf(
  counters: CampaignAttentionDeps['counters'],
  campaigns: readonly Campaign[],
  dayOf: (campaign: Campaign) => string,
): Promise<Map<string, Spent> | null> {
  const spentBy = new Map<string, Spent>()
  for (const some of chunksOf(campaigns, READ_TOGETHER)) {
    const keys = some.flatMap((campaign) => {
      const shard = shardOf(campaign.id, counters.shards)
      return [spendKey(shard, campaign.id), dailySpendKey(shard, campaign.id, dayOf(campaign))]
    })
    const values = await counters.read(keys).catch(nothingWhileAway)
    if (values === null) return null
    for (const [i, { id }] of some.entries()) spentBy.set(id, { total: values[2 * i]!, today: values[2 * i + 1]! })
  }
  return spentBy
}

/** Whether a campaign's state depends on its spend: it is accepted and within its dates, and neither a draft nor archived. */
function mayRun(body: Campaign['body'], now: number): boolean {
  const { status, startAt, endAt, archivedAt } = body
  const isOn = archivedAt === null && status !== 'DRAFT' && heldBy(body) === null
  return isOn && startAt <= now && (endAt === null || now < endAt)
}

function moneyFindings(
  entity: Campaign,
  spent: Spent,
  { now, timeZone }: { now: number; timeZone: string },
): Finding[] {
  const { budgetMicros, dailyBudgetMicros, startAt, endAt, autoPromo } = entity.body
  if (autoPromo || budgetMicros === 0) return []
  const share = spent.total / budgetMicros
  if (share >= NEARLY_SPENT) return [{ kind: 'BUDGET_LOW', entity, since: null, share }]
  const shareOfDay = dailyBudgetMicros === null ? 0 : spent.today / dailyBudgetMicros
  if (shareOfDay >= NEARLY_SPENT && dayShare(timeZone, now) < NEARLY_SPENT) {
    return [{ kind: 'DAILY_BUDGET_LOW', entity, since: null, share: shareOfDay }]
  }
  const timeShare = endAt === null ? 0 : (now - startAt) / (endAt - startAt)
  return timeShare - share > PACE_TOLERANCE ? [{ kind: 'BEHIND_PACE', entity, since: null, share }] : []
}

function dayShare(timeZone: string, now: number): number {
  const { startAt, endAt } = shopDay(timeZone, now, EVEN_HOURS)
  return (now - startAt) / (endAt - startAt)
}

function nothingWhileAway(error: unknown): null {
  if (error instanceof CountersUnavailable) return null
  throw error
}

import type { Static } from 'typebox'
import { type Attention, type AttentionKind, attentionKinds } from '../../../schemas/http/panel/overview.ts'
import type { RunOutcome } from '../../../schemas/http/panel/shops/feed-runs.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { outcomeOf } from '../feeds/runs/run-outcome.ts'
import { latestRun } from '../feeds/runs/run-state.ts'
import { toIso } from '../resources/conversions.ts'
import type { Access } from '../rights/access.ts'
import type { Principal } from '../rights/auth.ts'
import { type CampaignAttentionDeps, campaignAttention, type Finding } from './campaign-attention.ts'

const EXAMPLES_MAX = 3
/** Shorter delays are not reported, because nobody would notice them. */
const DELAY_MIN_MS = 60_000

export interface AttentionDeps extends CampaignAttentionDeps {
  access: Access
  /** Dead letters that were not replayed. */
  deadLetters: () => Promise<number>
  /** Age of the oldest unprocessed event; 0 when there is none. */
  processingDelayMs: () => Promise<number>
  now: () => number
}

/**
 * Finds what needs attention among the campaigns and feeds that the caller may see, from memory and the counters. For operators,
 * also what needs attention in the system.
 * @throws Problem NOT_FOUND for a shop that the caller may not see.
 */
export async function attentionOf(
  deps: AttentionDeps,
  { principal, shopId }: { principal: Principal; shopId: string | undefined },
): Promise<Static<typeof Attention>> {
  const { access, snapshot, now } = deps
  if (shopId !== undefined) access.need(principal, 'Shop', shopId)
  const campaigns = [...access.list(principal, 'Campaign', { shopId })]
  const feeds = [...access.list(principal, 'Feed', { shopId })]
  const isAdvertiser = principal.role === 'ADVERTISER'
  const isOperator = principal.role === 'OPERATOR'
  const [ofCampaigns, system] = await Promise.all([
    campaignAttention(deps, campaigns, { now: now(), isAdvertiser }),
    isOperator ? systemAttention(deps) : { items: [], unknown: [] },
  ])
  const { findings, states, isSpendKnown } = ofCampaigns
  const byKind = Map.groupBy([...findings, ...feedFindings(snapshot, feeds)], ({ kind }) => kind)
  const found = [...byKind].map(([kind, all]) => itemOf(deps, kind, all))
  const unjudged: AttentionKind[] = isSpendKnown
    ? []
    : ['BUDGET_SPENT', 'BUDGET_LOW', 'DAILY_BUDGET_LOW', 'BEHIND_PACE']
  return {
    items: [...system.items, ...found].sort((a, b) => attentionKinds.indexOf(a.kind) - attentionKinds.indexOf(b.kind)),
    unknown: [...system.unknown, ...unjudged],
    campaigns: states as Record<string, number>,
  }
}

type Item = Static<typeof Attention>['items'][number]

function itemOf({ snapshot }: AttentionDeps, kind: AttentionKind, all: readonly Finding[]): Item {
  const times = all.map(({ since }) => since).filter((since) => since !== null)
  const worst = all.toSorted((a, b) => severity(kind, b) - severity(kind, a)).slice(0, EXAMPLES_MAX)
  return {
    kind,
    count: all.length,
    since: times.length === 0 ? null : toIso(times.reduce((first, each) => Math.min(first, each))),
    examples: worst.map(({ entity, runId = null, share }) => {
      const { shopId, name } = entity.body
      const shopName = snapshot.body('Shop', shopId)?.name ?? null
      return { id: entity.id, name, shopId, shopName, runId, share }
    }),
  }
}

/** The most severe finding is the one with the greatest share (the least, for BEHIND_PACE) or, without shares, the oldest. */
function severity(kind: AttentionKind, { since, share }: Finding): number {
  if (share !== null) return kind === 'BEHIND_PACE' ? -share : share
  return -(since ?? 0)
}

/** What only the operator can fix. Kinds whose figures cannot be read now are returned as `unknown`. */
async function systemAttention({ deadLetters, processingDelayMs, now }: AttentionDeps) {
  const [failed, delayMs] = await Promise.all([deadLetters().catch(unknown), processingDelayMs().catch(unknown)])
  const items: Item[] = []
  if (failed !== null && failed > 0) items.push({ kind: 'FAILED_EVENTS', count: failed, since: null, examples: [] })
  if (delayMs !== null && delayMs > DELAY_MIN_MS) {
    items.push({ kind: 'PROCESSING_DELAY', count: 1, since: toIso(now() - delayMs), examples: [] })
  }
  const unjudged: AttentionKind[] = [
    ...(failed === null ? (['FAILED_EVENTS'] as const) : []),
    ...(delayMs === null ? (['PROCESSING_DELAY'] as const) : []),
  ]
  return { items, unknown: unjudged }
}

const unknown = () => null

/** The feeds whose last ended run failed, is held, or rejected most of its items. */
function feedFindings(snapshot: Snapshot, feeds: readonly Entity<'Feed'>[]): Finding[] {
  return feeds.flatMap((entity): Finding[] => {
    const run = latestRun(snapshot, entity.id, ({ body }) => !NOT_ENDED.includes(outcomeOf(body, null)))
    const kind = run && feedKinds[outcomeOf(run.body, null)]
    if (!kind) return []
    const { total, rejected, endedAt: since } = run.body
    const share = kind === 'FEED_REJECTED' && total > 0 ? rejected / total : null
    return [{ kind, entity, runId: run.id, since, share }]
  })
}

const feedKinds: Partial<Record<RunOutcome, AttentionKind>> = {
  FAILED: 'FEED_FAILED',
  HELD: 'FEED_HELD',
  MOSTLY_REJECTED: 'FEED_REJECTED',
  ALL_REJECTED: 'FEED_REJECTED',
  NO_PRODUCTS: 'FEED_REJECTED',
}

const NOT_ENDED: readonly RunOutcome[] = ['QUEUED', 'RUNNING', 'REPLACED']

import type { ProductQuery } from '../../infra/product-index/port.ts'
import type { Campaign, Shop } from '../../schemas/records.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { type Standing, standing } from '../domain/standing.ts'
import type { SpendView } from './spend.ts'

export type CampaignKind = 'PAID' | 'AUTO_PROMO'

/** Campaigns of a shop that products are sought for, by what they bid. */
export interface RunningCampaigns {
  /** Of a shop: equal keys stand for equal groups. */
  key: string
  groups: ProductQuery['campaigns']
}

export interface Campaigns {
  running(shopId: string, kind: CampaignKind): RunningCampaigns
  /** A campaign of a shop, of one kind, unless unknown or deleted. */
  get(shopId: string, kind: CampaignKind, campaignId: string): Campaign | undefined
  /** How a campaign stands at this moment. */
  standing(campaignId: string, campaign: Campaign, shop: Shop): Standing
}

/** Dates and spend take effect on what is sought within this time; a change of the registry at once. */
const REGROUP_MS = 200

interface ShopEntry {
  campaigns: Map<string, Campaign>
  /** When the groups were made; 0: they must be made anew. */
  groupedAt: number
  version: number
  /** Text of the groups: equal text, equal groups. */
  content: string
  groups: Record<CampaignKind, ProductQuery['campaigns']>
}

export function createCampaigns(deps: { snapshot: Snapshot; spend: SpendView; now: () => number }): Campaigns {
  const { snapshot, spend, now } = deps
  const shops = new Map<string, ShopEntry>()

  function entryOf(shopId: string): ShopEntry {
    const known = shops.get(shopId)
    if (known) return known
    const made: ShopEntry = {
      campaigns: new Map(),
      groupedAt: 0,
      version: 0,
      content: '',
      groups: { PAID: [], AUTO_PROMO: [] },
    }
    shops.set(shopId, made)
    return made
  }

  function note(campaignId: string, { shopId }: Campaign) {
    const entry = entryOf(shopId)
    const campaign = snapshot.body('Campaign', campaignId)
    if (campaign) entry.campaigns.set(campaignId, campaign)
    else entry.campaigns.delete(campaignId)
    entry.groupedAt = 0
  }

  for (const { id, body } of snapshot.all('Campaign')) note(id, body)
  snapshot.onChange((changed) => {
    if (changed.kind === 'Campaign') note(changed.id, changed.body)
    if (changed.kind === 'Shop' || changed.kind === 'Account') for (const entry of shops.values()) entry.groupedAt = 0
  })

  function regroup(shopId: string, entry: ShopEntry) {
    const shop = snapshot.body('Shop', shopId)
    const byWeight: Record<CampaignKind, Map<number, string[]>> = { PAID: new Map(), AUTO_PROMO: new Map() }
    for (const [id, campaign] of entry.campaigns) {
      if (!shop || !snapshot.body('Account', campaign.accountId)) continue
      if (standing(campaign, shop, { now: now(), spend: spend.of(id) }).out !== null) continue
      const weights = byWeight[kindOf(campaign)]
      const weight = campaign.autoPromo ? 1 : Math.max(campaign.cpcMicros, 1)
      weights.set(weight, [...(weights.get(weight) ?? []), id])
    }
    entry.groupedAt = now()
    const groups = { PAID: groupsOf(byWeight.PAID), AUTO_PROMO: groupsOf(byWeight.AUTO_PROMO) }
    const content = JSON.stringify(groups)
    if (content === entry.content) return
    Object.assign(entry, { content, groups, version: entry.version + 1 })
  }

  return {
    running(shopId, kind) {
      const entry = entryOf(shopId)
      if (now() - entry.groupedAt >= REGROUP_MS) regroup(shopId, entry)
      return { key: `${kind} ${entry.version}`, groups: entry.groups[kind] }
    },
    get(shopId, kind, campaignId) {
      const campaign = entryOf(shopId).campaigns.get(campaignId)
      return campaign && kindOf(campaign) === kind ? campaign : undefined
    },
    standing: (campaignId, campaign, shop) => standing(campaign, shop, { now: now(), spend: spend.of(campaignId) }),
  }
}

function kindOf({ autoPromo }: Campaign): CampaignKind {
  return autoPromo ? 'AUTO_PROMO' : 'PAID'
}

function groupsOf(byWeight: ReadonlyMap<number, string[]>): ProductQuery['campaigns'] {
  return [...byWeight].map(([weight, campaignIds]) => ({ campaignIds, weight }))
}

import type { ProductQuery } from '../../../infra/product-index/port.ts'
import type { Campaign, Shop } from '../../../schemas/records/entities.ts'
import { type Standing, standing } from '../../domain/campaign/eligibility.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { SpendView } from '../budget/spend.ts'

export type CampaignKind = 'PAID' | 'AUTO_PROMO'

/** Campaigns of a shop that products are sought for, by what they bid. */
export interface RunningCampaigns {
  kind: CampaignKind
  /** The one that is left out, so that its competitors are found; null: none is. */
  except: string | null
  /** Of a shop: equal keys stand for equal groups. */
  key: string
  groups: ProductQuery['campaigns']
}

/** A campaign of a shop through all its changes: what refers to it by this need not look it up with every request. */
export interface CampaignHandle {
  readonly id: string
  /** Null: unknown or deleted. */
  body: Campaign | null
  kind: CampaignKind
  /** The last `standing`, and what it was judged from. */
  judged: { standing: Standing; body: Campaign; shop: Shop; now: number; spendRevision: number } | null
}

export interface Campaigns {
  /** All of the kind, or all but one. */
  running(shopId: string, kind: CampaignKind, except?: string | null): RunningCampaigns
  handle(shopId: string, campaignId: string): CampaignHandle
  /** How a campaign stands at this moment. */
  standing(handle: CampaignHandle, shop: Shop, now: number): Standing
}

/** Dates and spend take effect on what is sought within this time; a change of the registry at once. */
const REGROUP_MS = 200
/** Of a shop and kind: the index takes a list that it has had before for the same only while it is the same object. */
const LISTS_WITHOUT_ONE_MAX = 64

interface ShopEntry {
  handles: Map<string, CampaignHandle>
  /** When the groups were made; 0: they must be made anew. */
  groupedAt: number
  version: number
  /** Text of the groups: equal text, equal groups. */
  content: string
  groups: Record<CampaignKind, Groups>
}

interface Groups {
  all: ProductQuery['campaigns']
  /** By the one that is left out. */
  without: Map<string, ProductQuery['campaigns']>
}

export function createCampaigns(deps: { snapshot: Snapshot; spend: SpendView; now: () => number }): Campaigns {
  const { snapshot, spend, now } = deps
  const shops = new Map<string, ShopEntry>()

  function entryOf(shopId: string): ShopEntry {
    const known = shops.get(shopId)
    if (known) return known
    const made: ShopEntry = {
      handles: new Map(),
      groupedAt: 0,
      version: 0,
      content: '',
      groups: { PAID: groupsOf(new Map()), AUTO_PROMO: groupsOf(new Map()) },
    }
    shops.set(shopId, made)
    return made
  }

  function handleOf(shopId: string, id: string): CampaignHandle {
    const { handles } = entryOf(shopId)
    const known = handles.get(id)
    if (known) return known
    const made: CampaignHandle = { id, body: null, kind: 'PAID', judged: null }
    handles.set(id, made)
    return made
  }

  function note(id: string, { shopId }: Campaign) {
    const handle = handleOf(shopId, id)
    handle.body = snapshot.body('Campaign', id) ?? null
    handle.kind = handle.body?.autoPromo ? 'AUTO_PROMO' : 'PAID'
    entryOf(shopId).groupedAt = 0
  }

  for (const { id, body } of snapshot.all('Campaign')) note(id, body)
  snapshot.onChange((changed) => {
    if (changed.kind === 'Campaign') note(changed.id, changed.body)
    if (changed.kind === 'Shop' || changed.kind === 'Account') for (const entry of shops.values()) entry.groupedAt = 0
  })

  function regroup(shopId: string, entry: ShopEntry) {
    const shop = snapshot.body('Shop', shopId)
    const byWeight: Record<CampaignKind, Map<number, string[]>> = { PAID: new Map(), AUTO_PROMO: new Map() }
    for (const { id, body: campaign, kind } of entry.handles.values()) {
      if (!shop || campaign?.kind !== 'SPONSORED' || !snapshot.body('Account', campaign.accountId)) continue
      if (standing(campaign, shop, { now: now(), spend: spend.of(id) }).out !== null) continue
      const weights = byWeight[kind]
      const weight = campaign.autoPromo ? 1 : Math.max(campaign.cpcMicros, 1)
      weights.set(weight, [...(weights.get(weight) ?? []), id])
    }
    entry.groupedAt = now()
    const groups = { PAID: groupsOf(byWeight.PAID), AUTO_PROMO: groupsOf(byWeight.AUTO_PROMO) }
    const content = JSON.stringify([groups.PAID.all, groups.AUTO_PROMO.all])
    if (content === entry.content) return
    Object.assign(entry, { content, groups, version: entry.version + 1 })
  }

  return {
    running(shopId, kind, except = null) {
      const entry = entryOf(shopId)
      if (now() - entry.groupedAt >= REGROUP_MS) regroup(shopId, entry)
      const groups = entry.groups[kind]
      const key = `${kind} ${entry.version} ${except ?? ''}`
      return { kind, except, key, groups: except === null ? groups.all : withoutOne(groups, except) }
    },
    handle: handleOf,
    standing(handle, shop, now) {
      const { judged, body } = handle
      const spendRevision = spend.revision
      // The same in, the same out: within a millisecond many requests meet the same campaigns.
      if (judged && judged.now === now && judged.body === body) {
        if (judged.shop === shop && judged.spendRevision === spendRevision) return judged.standing
      }
      if (!body) return { out: 'NOT_RUNNING' }
      const judgement = standing(body, shop, { now, spend: spend.of(handle.id) })
      handle.judged = { standing: judgement, body, shop, now, spendRevision }
      return judgement
    },
  }
}

function groupsOf(byWeight: ReadonlyMap<number, string[]>): Groups {
  return { all: [...byWeight].map(([weight, campaignIds]) => ({ campaignIds, weight })), without: new Map() }
}

function withoutOne({ all, without }: Groups, campaignId: string): ProductQuery['campaigns'] {
  const known = without.get(campaignId)
  if (known) return known
  const others = all
    .map(({ campaignIds, weight }) => ({ campaignIds: campaignIds.filter((id) => id !== campaignId), weight }))
    .filter(({ campaignIds }) => campaignIds.length > 0)
  without.set(campaignId, others)
  if (without.size > LISTS_WITHOUT_ONE_MAX) without.delete(without.keys().next().value!)
  return others
}

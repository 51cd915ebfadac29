import { isDeepStrictEqual } from 'node:util'
import type { CampaignGroups } from '../../../infra/product-index/port.ts'
import type { Campaign, Shop } from '../../../schemas/records/entities.ts'
import { type Eligibility, eligibilityOf } from '../../domain/campaign/eligibility.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { msSince } from '../../domain/time/ms-since.ts'
import type { SpendView } from '../budget/spend.ts'

export type CampaignKind = 'PAID' | 'AUTO_PROMO'

/** The campaigns of a shop whose products are searched for, grouped by their bid. */
export interface RunningCampaigns {
  kind: CampaignKind
  /** The campaign that is left out, so that its competitors are found; null when none is. */
  except: string | null
  /** Within a shop, equal keys mean equal groups. */
  key: string
  groups: CampaignGroups
}

/** A reference to a campaign that follows all its changes, so that no request need look it up. */
export interface CampaignHandle {
  readonly id: string
  /** Null when the campaign is unknown or deleted. */
  body: Campaign | null
  kind: CampaignKind
  /** The last `eligibility`, and its inputs. */
  last: { eligibility: Eligibility; body: Campaign; shop: Shop; now: number; spendRevision: number } | null
}

export interface Campaigns {
  /** All running campaigns of a kind, or all but one. */
  running(shopId: string, kind: CampaignKind, except?: string | null): RunningCampaigns
  handle(shopId: string, campaignId: string): CampaignHandle
  /** Whether a campaign takes part in auctions at this moment. */
  eligibility(handle: CampaignHandle, shop: Shop, now: number): Eligibility
}

/** Dates and spend affect searches within this time; a change in the registry affects them at once. */
const REGROUP_MS = 200
/** Lists without one campaign, cached per shop and kind. The index recognises a list that it has seen by the object (see its port). */
const LISTS_WITHOUT_ONE_MAX = 64

interface ShopEntry {
  handles: Map<string, CampaignHandle>
  /** When the groups were last built; 0 when they are outdated. */
  groupedAt: number
  version: number
  groups: Record<CampaignKind, Groups>
}

interface Groups {
  all: CampaignGroups
  /** Keyed by the campaign that is left out. */
  without: Map<string, CampaignGroups>
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
      groups: { PAID: groupsOf(new Map()), AUTO_PROMO: groupsOf(new Map()) },
    }
    shops.set(shopId, made)
    return made
  }

  function handleOf(shopId: string, id: string): CampaignHandle {
    const { handles } = entryOf(shopId)
    const known = handles.get(id)
    if (known) return known
    const made: CampaignHandle = { id, body: null, kind: 'PAID', last: null }
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
      if (eligibilityOf(campaign, shop, { now: now(), spend: spend.of(id) }).reason !== null) continue
      const weights = byWeight[kind]
      const weight = campaign.autoPromo ? 1 : Math.max(campaign.cpcMicros, 1)
      const ids = weights.get(weight)
      if (ids) ids.push(id)
      else weights.set(weight, [id])
    }
    entry.groupedAt = now()
    const groups = { PAID: groupsOf(byWeight.PAID), AUTO_PROMO: groupsOf(byWeight.AUTO_PROMO) }
    const isSame = (kind: CampaignKind) => isDeepStrictEqual(groups[kind].all, entry.groups[kind].all)
    if (isSame('PAID') && isSame('AUTO_PROMO')) return
    Object.assign(entry, { groups, version: entry.version + 1 })
  }

  return {
    running(shopId, kind, except = null) {
      const entry = entryOf(shopId)
      if (msSince(entry.groupedAt, now()) >= REGROUP_MS) regroup(shopId, entry)
      const groups = entry.groups[kind]
      const key = `${kind} ${entry.version} ${except ?? ''}`
      return { kind, except, key, groups: except === null ? groups.all : withoutOne(groups, except) }
    },
    handle: handleOf,
    eligibility(handle, shop, now) {
      const { last, body } = handle
      const spendRevision = spend.revision
      // Many requests ask about the same campaigns within a millisecond.
      if (last && last.now === now && last.body === body) {
        if (last.shop === shop && last.spendRevision === spendRevision) return last.eligibility
      }
      if (!body) return { reason: 'NOT_RUNNING' }
      const eligibility = eligibilityOf(body, shop, { now, spend: spend.of(handle.id) })
      handle.last = { eligibility, body, shop, now, spendRevision }
      return eligibility
    },
  }
}

function groupsOf(byWeight: ReadonlyMap<number, string[]>): Groups {
  return { all: [...byWeight].map(([weight, campaignIds]) => ({ campaignIds, weight })), without: new Map() }
}

function withoutOne({ all, without }: Groups, campaignId: string): CampaignGroups {
  const known = without.get(campaignId)
  if (known) return known
  const others = all
    .map(({ campaignIds, weight }) => ({ campaignIds: campaignIds.filter((id) => id !== campaignId), weight }))
    .filter(({ campaignIds }) => campaignIds.length > 0)
  without.set(campaignId, others)
  if (without.size > LISTS_WITHOUT_ONE_MAX) without.delete(without.keys().next().value!)
  return others
}

import { Problem } from '../../domain/errors.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { nouns } from '../rights/access.ts'
import type { Principal } from '../rights/auth.ts'
import { ofAccount } from '../rights/indexes.ts'

/** Entities that a report may be narrowed to, besides values of its columns. */
export interface ScopeIds {
  shopId?: string | undefined
  accountId?: string | undefined
  campaignId?: string | undefined
  adUnitId?: string | undefined
  placementId?: string | undefined
}

export interface ReportScope {
  shops: Entity<'Shop'>[]
  /** Only ads of this account. Advertisers see no others. */
  accountId: string | undefined
}

/**
 * The shops that a report is about, of those that the caller may see. Deleted entities count, because they are part of history.
 * @throws Problem NOT_FOUND for an id that the caller may not see.
 */
export function scopeOf(snapshot: Snapshot, principal: Principal, ids: ScopeIds): ReportScope {
  const visible = visibleShops(snapshot, principal)
  const inShop = <K extends 'Campaign' | 'AdUnit' | 'Placement'>(
    kind: K,
    id: string | undefined,
  ): string | undefined => {
    if (id === undefined) return undefined
    const entity = snapshot.getEver(kind, id) as Entity<'Campaign'> | undefined
    const seen = entity && visible.has(entity.body.shopId)
    if (!seen || (kind === 'Campaign' && hiddenCampaign(principal, entity))) throw unknown(kind, id)
    return entity.body.shopId
  }
  if (ids.shopId !== undefined && !seesShop(snapshot, principal, { id: ids.shopId, visible })) {
    throw unknown('Shop', ids.shopId)
  }
  if (ids.accountId !== undefined && !seesAccount(snapshot, principal, { id: ids.accountId, visible })) {
    throw unknown('Account', ids.accountId)
  }
  const wanted = [
    ids.shopId,
    inShop('Campaign', ids.campaignId),
    inShop('AdUnit', ids.adUnitId),
    inShop('Placement', ids.placementId),
  ].filter((id) => id !== undefined)
  return {
    shops: [...visible.values()].filter(({ id }) => wanted.every((shopId) => shopId === id)),
    accountId: principal.role === 'ADVERTISER' ? principal.accountId : ids.accountId,
  }
}

function visibleShops(snapshot: Snapshot, principal: Principal): Map<string, Entity<'Shop'>> {
  const shops = [...snapshot.allEver('Shop')]
  const seen = shopsSeen(snapshot, principal)
  return new Map(shops.filter(seen).map((shop) => [shop.id, shop]))
}

function shopsSeen(snapshot: Snapshot, { role, accountId }: Principal): (shop: Entity<'Shop'>) => boolean {
  switch (role) {
    case 'OPERATOR':
      return () => true
    case 'PUBLISHER':
      return (shop) => shop.body.accountId === accountId
    case 'ADVERTISER': {
      const own = snapshot.underEver(ofAccount.Campaign, accountId)
      const shopIds = new Set(own.map(({ body }) => body.shopId))
      return (shop) => shopIds.has(shop.id)
    }
  }
}

function hiddenCampaign(principal: Principal, campaign: Entity<'Campaign'>): boolean {
  return principal.role === 'ADVERTISER' && campaign.body.accountId !== principal.accountId
}

/** Advertisers see every shop. A report about one without their campaigns is empty. */
function seesShop(
  snapshot: Snapshot,
  { role }: Principal,
  { id, visible }: { id: string; visible: ReadonlyMap<string, unknown> },
): boolean {
  return visible.has(id) || (role === 'ADVERTISER' && snapshot.get('Shop', id) !== undefined)
}

/** An account is visible to itself, to operators, and to publishers in whose shops it advertises. */
function seesAccount(
  snapshot: Snapshot,
  principal: Principal,
  { id, visible }: { id: string; visible: ReadonlyMap<string, unknown> },
): boolean {
  if (!snapshot.getEver('Account', id)) return false
  if (principal.role === 'OPERATOR' || id === principal.accountId) return true
  if (principal.role === 'ADVERTISER') return false
  return snapshot.underEver(ofAccount.Campaign, id).some(({ body }) => visible.has(body.shopId))
}

function unknown(kind: keyof typeof nouns, id: string): Problem {
  return new Problem('NOT_FOUND', `There is no ${nouns[kind]} ${id}`)
}

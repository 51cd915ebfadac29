import type { EntityKind } from '../../../schemas/records/entities.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import type { Principal } from './auth.ts'

/** Who may see and change what. A row that one may not see does not exist for one: 404. */
export interface Access {
  /** The entity, for a caller who may see it. */
  find<K extends EntityKind>(principal: Principal, kind: K, id: string): Entity<K> | undefined
  /** @throws Problem NOT_FOUND. */
  need<K extends EntityKind>(principal: Principal, kind: K, id: string): Entity<K>
  /** The same, for a caller who may change it. @throws Problem NOT_FOUND, FORBIDDEN. */
  needToChange<K extends EntityKind>(principal: Principal, kind: K, id: string): Entity<K>
  /** All that the caller may see. */
  list<K extends EntityKind>(principal: Principal, kind: K): Generator<Entity<K>>
}

export function createAccess(snapshot: Snapshot): Access {
  const ownsShop = (principal: Principal, shopId: string) =>
    principal.role === 'PUBLISHER' && snapshot.body('Shop', shopId)?.accountId === principal.accountId

  function sees(principal: Principal, entity: Entity<EntityKind>): boolean {
    // Not even operators see those of others.
    if (entity.kind === 'ReportView') return entity.body.userId === userActingFor(snapshot, principal)
    if (principal.role === 'OPERATOR') return true
    switch (entity.kind) {
      case 'Account':
        return entity.id === principal.accountId
      case 'Token':
      case 'User':
      case 'TechnicalSlot':
        return entity.body.accountId === principal.accountId
      case 'Shop':
        // Advertisers choose the shop that they advertise in; what they see of it is little.
        return principal.role === 'ADVERTISER' || ownsShop(principal, entity.id)
      case 'AdFormat':
        return principal.role === 'ADVERTISER' || ownsShop(principal, entity.body.shopId)
      case 'Image':
        return entity.body.accountIds.includes(principal.accountId)
      case 'Campaign':
        return entity.body.accountId === principal.accountId || ownsShop(principal, entity.body.shopId)
      case 'Placement':
      case 'AdUnit':
      case 'Feed':
      case 'FeedRun':
      case 'SigningKey':
        return ownsShop(principal, entity.body.shopId)
    }
  }

  function find<K extends EntityKind>(principal: Principal, kind: K, id: string): Entity<K> | undefined {
    const entity = snapshot.get(kind, id)
    return entity && sees(principal, entity) ? entity : undefined
  }

  function need<K extends EntityKind>(principal: Principal, kind: K, id: string): Entity<K> {
    const entity = find(principal, kind, id)
    if (!entity) throw new Problem('NOT_FOUND', `There is no ${nouns[kind]} ${id}`)
    return entity
  }

  return {
    find,
    need,
    needToChange(principal, kind, id) {
      const entity = need(principal, kind, id)
      if ((kind === 'Shop' || kind === 'AdFormat') && principal.role === 'ADVERTISER') {
        throw new Problem('FORBIDDEN', `Only its publisher can change the ${nouns[kind]}`)
      }
      if (principal.role === 'PUBLISHER') checkOwnCampaign(entity, principal)
      return entity
    },
    *list(principal, kind) {
      for (const entity of snapshot.all(kind)) if (sees(principal, entity)) yield entity
    },
  }
}

/** The user who is signed in, or who made the token and belongs to its account; null: nobody in person. */
export function userActingFor(snapshot: Snapshot, { userId, accountId, credential }: Principal): string | null {
  if (credential.kind !== 'TOKEN') return userId
  const { createdBy } = credential.token.body
  const maker = createdBy === null ? undefined : snapshot.body('User', createdBy)
  return maker?.accountId === accountId ? createdBy : null
}

/** A publisher sees the campaigns in its shops, and judges their banners; the rest is their advertiser's business. */
function checkOwnCampaign(entity: Entity<EntityKind>, { accountId }: Principal): void {
  if (entity.kind !== 'Campaign' || entity.body.accountId === accountId) return
  const way = entity.body.moderation === null ? 'ask the operator to stop it' : 'reject it in moderation to stop it'
  throw new Problem('FORBIDDEN', `Only its advertiser can change the campaign: ${way}`)
}

/** What an entity is called in messages. */
export const nouns: Record<EntityKind, string> = {
  Account: 'account',
  Token: 'token',
  Shop: 'shop',
  Placement: 'placement',
  AdUnit: 'ad unit',
  TechnicalSlot: 'technical slot',
  Feed: 'feed',
  FeedRun: 'feed run',
  Campaign: 'campaign',
  AdFormat: 'ad format',
  Image: 'image',
  User: 'user',
  SigningKey: 'signing key',
  ReportView: 'saved view',
}

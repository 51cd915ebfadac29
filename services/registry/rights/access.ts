import type { EntityBodies, EntityKind } from '../../../schemas/records/entities.ts'
import type { EntityIndex } from '../../domain/entity-index.ts'
import { Problem } from '../../domain/errors.ts'
import { firstFrom } from '../../domain/first-from.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import type { Principal } from './auth.ts'
import { everyOf, inShop, ofAccount, ofUser } from './indexes.ts'

/** Who may see and change what. An entity that the caller may not see does not exist for the caller: 404. */
export interface Access {
  /** The entity, for a caller who may see it. */
  find<K extends EntityKind>(principal: Principal, kind: K, id: string): Entity<K> | undefined
  /** @throws Problem NOT_FOUND. */
  need<K extends EntityKind>(principal: Principal, kind: K, id: string): Entity<K>
  /**
   * The entity, for a caller who may change it.
   * @throws Problem NOT_FOUND, FORBIDDEN, and as `needInForce`.
   */
  needToChange<K extends EntityKind>(principal: Principal, kind: K, id: string): Entity<K>
  /** @throws Problem UNAUTHENTICATED when the user was disabled or deleted, or the token revoked, after the request was let in. */
  needInForce(principal: Principal): void
  /** The requested entities that the caller may see, in the order of ids. Read it in one turn: a change would shift it. */
  list<K extends EntityKind>(principal: Principal, kind: K, asked?: Asked): Generator<Entity<K>>
}

/** What a list is narrowed to. `shopId` and `accountId` do not narrow kinds that belong to no shop or account. */
export interface Asked {
  shopId?: string | undefined
  accountId?: string | undefined
  /** Only entities whose ids come after this one. */
  after?: string
}

export function createAccess(snapshot: Snapshot): Access {
  const ownsShop = (principal: Principal, shopId: string) =>
    principal.role === 'PUBLISHER' && snapshot.body('Shop', shopId)?.accountId === principal.accountId

  function sees(principal: Principal, entity: Entity<EntityKind>): boolean {
    // Not even operators see the saved views of other users.
    if (entity.kind === 'ReportView') return entity.body.userId === userActingFor(snapshot, principal)
    if (principal.role === 'OPERATOR') return true
    switch (entity.kind) {
      case 'Account':
        return entity.id === principal.accountId
      case 'Token':
      case 'User':
        return entity.body.accountId === principal.accountId
      case 'Shop':
        // Advertisers choose the shop that they advertise in. The shop's view shows them little of it.
        return principal.role === 'ADVERTISER' || ownsShop(principal, entity.id)
      case 'AdFormat':
        return principal.role === 'ADVERTISER' || ownsShop(principal, entity.body.shopId)
      case 'Image':
        return entity.body.accountIds.includes(principal.accountId)
      case 'Campaign':
      case 'TechnicalSlot':
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

  function needInForce({ userId, credential }: Principal): void {
    if (userId !== null && snapshot.body('User', userId)?.disabledAt !== null) {
      throw new Problem('UNAUTHENTICATED', 'The user who is signed in was disabled or deleted')
    }
    if (credential.kind === 'TOKEN' && !snapshot.get('Token', credential.token.id)) {
      throw new Problem('UNAUTHENTICATED', 'The token was revoked')
    }
  }

  return {
    find,
    need,
    needInForce,
    needToChange(principal, kind, id) {
      const entity = need(principal, kind, id)
      needInForce(principal)
      if ((kind === 'Shop' || kind === 'AdFormat') && principal.role === 'ADVERTISER') {
        throw new Problem('FORBIDDEN', `Only its publisher can change the ${nouns[kind]}`)
      }
      if (principal.role === 'PUBLISHER') checkOwnCampaign(entity, principal)
      return entity
    },
    *list(principal, kind, { shopId, accountId, after = '' } = {}) {
      const isAsked = (entity: Entity<typeof kind>) =>
        lies(inShop, entity, shopId) && lies(ofAccount, entity, accountId)
      for (const entity of inOrder(fewest(principal, kind, { shopId, accountId }), after)) {
        if (entity.deletedAt === null && isAsked(entity) && sees(principal, entity)) yield entity
      }
    },
  }

  /** Lists that contain all entities that the caller asks for and may see. Of several ways to find them, takes the one with the fewest. */
  function fewest<K extends EntityKind>(principal: Principal, kind: K, { shopId, accountId }: Asked): Lists<K> {
    const ways = [seenBy(principal, kind)]
    if (shopId !== undefined && kind in inShop) ways.push([under(inShop, kind, shopId)])
    if (accountId !== undefined && kind in ofAccount) ways.push([under(ofAccount, kind, accountId)])
    const sizeOf = (lists: Lists<K>) => lists.reduce((sum, { length }) => sum + length, 0)
    return ways.reduce((best, way) => (sizeOf(way) < sizeOf(best) ? way : best))
  }

  /** Lists that contain all entities of the kind that the caller may see, by the rules of `sees`. */
  function seenBy<K extends EntityKind>(principal: Principal, kind: K): Lists<K> {
    const { role, accountId } = principal
    if (kind === 'ReportView') return [under(ofUser, kind, userActingFor(snapshot, principal) ?? '')]
    const seesAll = role === 'OPERATOR' || (role === 'ADVERTISER' && (kind === 'Shop' || kind === 'AdFormat'))
    if (seesAll) return [under(everyOf, kind, '')]
    if (kind === 'Account') {
      const account = snapshot.get(kind, accountId)
      return account ? [[account]] : []
    }
    const own = kind in ofAccount ? [under(ofAccount, kind, accountId)] : []
    if (role !== 'PUBLISHER' || !(kind in inShop)) return own
    const shops = [...snapshot.under(ofAccount.Shop, accountId)]
    return [...own, ...shops.map(({ id }) => under(inShop, kind, id))]
  }

  function under<K extends EntityKind>(indexes: Indexes, kind: K, key: string): readonly Entity<K>[] {
    return snapshot.underEver(indexes[kind] as EntityIndex<K>, key)
  }
}

/** Whether the index of the entity's kind has it under the key. True without a key or such an index. */
function lies<K extends EntityKind>(indexes: Indexes, { kind, body }: Entity<K>, key: string | undefined): boolean {
  const index = indexes[kind] as EntityIndex<K> | undefined
  return key === undefined || index === undefined || index.keysOf(body as EntityBodies[K]).includes(key)
}

type Lists<K extends EntityKind> = readonly (readonly Entity<K>[])[]
type Indexes = { readonly [K in EntityKind]?: EntityIndex<K> }

/** The entities of the lists after an id, each once, in the order of ids. Each list is already in that order. */
function inOrder<K extends EntityKind>(lists: Lists<K>, after: string): Iterable<Entity<K>> {
  const behind = lists.map((list) => itemsFrom(list, after === '' ? 0 : firstFrom(list, ({ id }) => id > after)))
  if (behind.length === 1) return behind[0]!
  return [...new Set(behind.flatMap((items) => [...items]))].sort((a, b) => (a.id < b.id ? -1 : 1))
}

function* itemsFrom<T>(list: readonly T[], from: number): Generator<T> {
  for (let at = from; at < list.length; at++) yield list[at]!
}

/** The user who is signed in, or who made the token and belongs to its account; null when there is no such user. */
export function userActingFor(snapshot: Snapshot, { userId, accountId, credential }: Principal): string | null {
  if (credential.kind !== 'TOKEN') return userId
  const { createdBy } = credential.token.body
  const maker = createdBy === null ? undefined : snapshot.body('User', createdBy)
  return maker?.accountId === accountId ? createdBy : null
}

/** A publisher sees the campaigns in its shops and moderates their banners. Only the advertiser may change anything else. */
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
  TechnicalSlot: 'technical ad unit',
  Feed: 'feed',
  FeedRun: 'feed run',
  Campaign: 'campaign',
  AdFormat: 'ad format',
  Image: 'image',
  User: 'user',
  SigningKey: 'signing key',
  ReportView: 'saved view',
}

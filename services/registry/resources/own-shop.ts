import { Problem } from '../../domain/errors.ts'
import type { Entity } from '../../domain/snapshot.ts'
import type { Access } from '../rights/access.ts'
import type { Principal } from '../rights/auth.ts'
import type { FieldErrors } from './field-errors.ts'

/**
 * The shop that a new entity will belong to. Undefined, with a field error, when the caller has no such shop.
 * @throws Problem FORBIDDEN for advertisers, who see shops but own none.
 */
export function ownShop(request: {
  access: Access
  principal: Principal
  shopId: string
  fieldErrors: FieldErrors
}): Entity<'Shop'> | undefined {
  const { access, principal, shopId, fieldErrors } = request
  if (principal.role === 'ADVERTISER') throw new Problem('FORBIDDEN', 'Only the publisher of a shop can set it up')
  const shop = access.find(principal, 'Shop', shopId)
  if (!shop) fieldErrors.add('/shopId', 'there is no such shop')
  return shop
}

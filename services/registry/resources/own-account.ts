import { BOOTSTRAP_ACCOUNT_ID } from '../../callers/bearer-tokens.ts'
import type { Entity } from '../../domain/snapshot.ts'
import type { Access } from '../rights/access.ts'
import type { Principal } from '../rights/auth.ts'
import type { FieldErrors } from './field-errors.ts'

/**
 * The account that a new entity will belong to: the one named, else the caller's. Undefined, with a field error, when there is
 * none that the caller may use.
 */
export function ownAccount(request: {
  access: Access
  principal: Principal
  accountId: string | undefined
  fieldErrors: FieldErrors
}): Entity<'Account'> | undefined {
  const { access, principal, accountId, fieldErrors } = request
  if (accountId === undefined && principal.accountId === BOOTSTRAP_ACCOUNT_ID) {
    fieldErrors.add('/accountId', 'is required')
    return undefined
  }
  const account = access.find(principal, 'Account', accountId ?? principal.accountId)
  if (!account) fieldErrors.add('/accountId', 'there is no such account')
  return account
}

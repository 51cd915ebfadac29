import { BOOTSTRAP_ACCOUNT_ID } from '../../callers/bearer-tokens.ts'
import type { Entity } from '../../domain/snapshot.ts'
import type { Access } from '../access/access.ts'
import type { Principal } from '../access/auth.ts'
import type { Findings } from './findings.ts'

/**
 * The account that a new entity shall belong to: the one named, else the caller's. Undefined, with a finding, when there
 * is none that the caller may use.
 */
export function ownAccount(request: {
  access: Access
  principal: Principal
  accountId: string | undefined
  findings: Findings
}): Entity<'Account'> | undefined {
  const { access, principal, accountId, findings } = request
  if (accountId === undefined && principal.accountId === BOOTSTRAP_ACCOUNT_ID) {
    findings.add('/accountId', 'is required')
    return undefined
  }
  const account = access.find(principal, 'Account', accountId ?? principal.accountId)
  if (!account) findings.add('/accountId', 'there is no such account')
  return account
}

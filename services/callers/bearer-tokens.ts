import type { Account, Scope, Token } from '../../schemas/records/accounts.ts'
import { ALL_SCOPES, bearerToken, equalHashes, hashToken, isUsable } from '../domain/identity/tokens.ts'
import type { Entity, Snapshot } from '../domain/snapshot.ts'

/** The account id of the bootstrap token and of operators without an account. No account has it. */
export const BOOTSTRAP_ACCOUNT_ID = 'bootstrap'

/** The caller that a bearer token authenticates. */
export interface Bearer {
  accountId: string
  role: Account['kind']
  scopes: readonly Scope[]
  /** Null for the bootstrap token. */
  token: Entity<'Token'> | null
}

/** Reads an Authorization header; null when it has no valid token. */
export type ReadBearer = (header: string | undefined) => Bearer | null

/** Reads bearer tokens: those in the registry, and the operator's bootstrap token, if there is one. */
export function createBearerReader(deps: {
  snapshot: Snapshot
  bootstrapToken: string | null
  now: () => number
}): ReadBearer {
  const { snapshot, bootstrapToken, now } = deps
  const bootstrapHash = bootstrapToken === null ? null : hashToken(bootstrapToken)
  const tokenByHash = tokenIndex(snapshot)

  return (header) => {
    const token = bearerToken(header)
    if (token === null) return null
    const secretHash = hashToken(token)
    if (bootstrapHash !== null && equalHashes(secretHash, bootstrapHash)) {
      return { accountId: BOOTSTRAP_ACCOUNT_ID, role: 'OPERATOR', scopes: ALL_SCOPES, token: null }
    }
    const known = tokenByHash(secretHash)
    if (!known || !isUsable(known.body, now()) || !isMakerActive(known.body)) return null
    const { accountId, scopes } = known.body
    const account = snapshot.body('Account', accountId)
    return account ? { accountId, role: account.kind, scopes, token: known } : null
  }

  /** Disabling a user disables the tokens that the user made. */
  function isMakerActive({ createdBy }: Token): boolean {
    return createdBy === null || snapshot.body('User', createdBy)?.disabledAt === null
  }
}

/** Tokens by their hash, kept up to date with the snapshot. */
function tokenIndex(snapshot: Snapshot): (secretHash: string) => Entity<'Token'> | undefined {
  const ids = new Map<string, string>()
  for (const token of snapshot.all('Token')) ids.set(token.body.secretHash, token.id)
  snapshot.onChange((entry) => {
    if (entry.kind === 'Token') ids.set(entry.body.secretHash, entry.id)
  })
  return (secretHash) => {
    const id = ids.get(secretHash)
    return id === undefined ? undefined : snapshot.get('Token', id)
  }
}

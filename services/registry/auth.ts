import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account, Scope } from '../../schemas/entities.ts'
import { Problem } from '../domain/errors.ts'
import type { Entity, Snapshot } from '../domain/snapshot.ts'
import { ALL_SCOPES, bearerToken, equalHashes, hashToken, isUsable } from '../domain/tokens.ts'

/** Who asks. However the caller proved it (a token; a session), routes know only this. */
export interface Principal {
  accountId: string
  role: Account['kind']
  scopes: readonly Scope[]
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the `authorize` hook; read with `principalOf`. */
    principal?: Principal
  }
}

/** Account id that the bootstrap token's changes are recorded under. No account has it. */
export const BOOTSTRAP_ACCOUNT_ID = 'bootstrap'
export const BOOTSTRAP_TOKEN_CHARS_MIN = 32

/** An `onRequest` hook that lets only callers with this scope in, before their body is read. */
export type Authorize = (scope: Scope) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/**
 * Reads bearer tokens: those in the registry, and the operator's bootstrap token (null: none).
 * @throws when the bootstrap token is too short to be safe.
 */
export function createAuthorize(deps: {
  snapshot: Snapshot
  bootstrapToken: string | null
  now: () => number
}): Authorize {
  const { snapshot, bootstrapToken, now } = deps
  if (bootstrapToken !== null && bootstrapToken.length < BOOTSTRAP_TOKEN_CHARS_MIN) {
    throw new Error(`BOOTSTRAP_TOKEN must have at least ${BOOTSTRAP_TOKEN_CHARS_MIN} characters`)
  }
  const bootstrapHash = bootstrapToken === null ? null : hashToken(bootstrapToken)
  const tokenByHash = tokenIndex(snapshot)

  function identify(header: string | undefined): Principal | null {
    const token = bearerToken(header)
    if (token === null) return null
    const secretHash = hashToken(token)
    if (bootstrapHash !== null && equalHashes(secretHash, bootstrapHash)) {
      return { accountId: BOOTSTRAP_ACCOUNT_ID, role: 'OPERATOR', scopes: ALL_SCOPES }
    }
    const known = tokenByHash(secretHash)
    if (!known || !isUsable(known.body, now())) return null
    const account = snapshot.body('Account', known.body.accountId)
    return account ? { accountId: known.body.accountId, role: account.kind, scopes: known.body.scopes } : null
  }

  return (scope) => async (request, reply) => {
    const principal = identify(request.headers.authorization)
    if (!principal) {
      reply.header('www-authenticate', 'Bearer')
      throw new Problem('UNAUTHENTICATED', 'Send the header Authorization: Bearer with a token that is in force')
    }
    if (!principal.scopes.includes(scope)) {
      throw new Problem('FORBIDDEN', `The token lacks the scope ${scope}`)
    }
    request.principal = principal
  }
}

/** The caller that `authorize` let in. */
export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error(`${request.routeOptions.url} has no authorize hook`)
  return request.principal
}

/** Tokens in force by their hash, kept up with the snapshot. */
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

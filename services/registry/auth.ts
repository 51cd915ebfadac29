import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account, Scope } from '../../schemas/entities.ts'
import { Problem } from '../domain/errors.ts'
import type { Entity, Snapshot } from '../domain/snapshot.ts'
import { ALL_SCOPES, bearerToken, equalHashes, hashToken, isUsable } from '../domain/tokens.ts'
import type { Sessions } from './sessions/sessions.ts'

/** Who asks. However the caller proved it (a token; a session), routes know only this. */
export interface Principal {
  /** Whom changes are recorded under: the user, of a token its account. */
  actorId: string
  /** The user that is signed in; null: a token. */
  userId: string | null
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

/** Stands for the account of the bootstrap token and of operators without one. No account has it. */
export const BOOTSTRAP_ACCOUNT_ID = 'bootstrap'
export const BOOTSTRAP_TOKEN_CHARS_MIN = 32
const SCOPES_OF_SESSIONS: readonly Scope[] = ['panel']

/** An `onRequest` hook that lets only callers with this scope in, before their body is read. */
export type Authorize = (scope: Scope) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/**
 * Reads bearer tokens (those in the registry, and the operator's bootstrap token; null: none), and sessions where no
 * token is sent.
 * @throws when the bootstrap token is too short to be safe.
 */
export function createAuthorize(deps: {
  snapshot: Snapshot
  bootstrapToken: string | null
  /** Without, nobody can be signed in. */
  sessions?: Sessions
  now: () => number
}): Authorize {
  const { snapshot, bootstrapToken, sessions, now } = deps
  if (bootstrapToken !== null && bootstrapToken.length < BOOTSTRAP_TOKEN_CHARS_MIN) {
    throw new Error(`BOOTSTRAP_TOKEN must have at least ${BOOTSTRAP_TOKEN_CHARS_MIN} characters`)
  }
  const bootstrapHash = bootstrapToken === null ? null : hashToken(bootstrapToken)
  const tokenByHash = tokenIndex(snapshot)

  function bearer(header: string): Principal | null {
    const token = bearerToken(header)
    if (token === null) return null
    const secretHash = hashToken(token)
    if (bootstrapHash !== null && equalHashes(secretHash, bootstrapHash)) {
      const id = BOOTSTRAP_ACCOUNT_ID
      return { actorId: id, userId: null, accountId: id, role: 'OPERATOR', scopes: ALL_SCOPES }
    }
    const known = tokenByHash(secretHash)
    if (!known || !isUsable(known.body, now())) return null
    const { accountId, scopes } = known.body
    const account = snapshot.body('Account', accountId)
    return account ? { actorId: accountId, userId: null, accountId, role: account.kind, scopes } : null
  }

  /** Makes the session last on, too. */
  function signedIn(request: FastifyRequest, reply: FastifyReply): Principal | null {
    const session = sessions?.read(request)
    if (!session) return null
    if (session.renewal !== null) reply.header('set-cookie', session.renewal)
    const { id, body } = session.user
    const accountId = body.accountId ?? BOOTSTRAP_ACCOUNT_ID
    return { actorId: id, userId: id, accountId, role: body.role, scopes: SCOPES_OF_SESSIONS }
  }

  return (scope) => async (request, reply) => {
    const { authorization } = request.headers
    const principal = authorization === undefined ? signedIn(request, reply) : bearer(authorization)
    if (!principal) {
      reply.header('www-authenticate', 'Bearer')
      throw new Problem('UNAUTHENTICATED', 'Sign in, or send Authorization: Bearer with a token that is in force')
    }
    if (!principal.scopes.includes(scope)) {
      const caller = principal.userId === null ? 'token' : 'session'
      throw new Problem('FORBIDDEN', `The ${caller} lacks the scope ${scope}`)
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

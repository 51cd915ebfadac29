import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account, Scope, User } from '../../../schemas/records/accounts.ts'
import { createBearerReader } from '../../callers/bearer-tokens.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { accountIdOf, actingUser } from './acting-user.ts'

/** The caller. This is all that routes know, whether the caller used a token or a session. */
export interface Principal {
  /** The id that changes are recorded under: the user's or, for a token, that of its account. */
  actorId: string
  /** The user who is signed in; null for a token. */
  userId: string | null
  accountId: string
  role: Account['kind']
  scopes: readonly Scope[]
  credential: Credential
}

/** What identified the caller. `authenticatedAt`: when the user last gave password or second factor; UTC epoch ms. */
export type Credential =
  | { kind: 'BOOTSTRAP' }
  | { kind: 'TOKEN'; token: Entity<'Token'> }
  | { kind: 'SESSION'; authenticatedAt: number }

/** Finds who is signed in by the cookie of a request. */
export interface SessionReader {
  /** @throws Problem FORBIDDEN when the request would change something and no page of this server sent it. */
  read(request: Pick<FastifyRequest, 'method' | 'headers'>): SignedIn | null
}

interface SignedIn {
  /** The user who keeps the login, with its second factor. */
  keeper: Entity<'User'>
  /** Those users of the login who may sign in. */
  users: Entity<'User'>[]
  /** When the user last authenticated. UTC epoch ms. */
  authenticatedAt: number
  /** The `Set-Cookie` that renews the session; null when it is not due. */
  renewal: string | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the `authorize` hook; read with `principalOf`. */
    principal?: Principal
  }
}

const SCOPES_OF_SESSIONS: readonly Scope[] = ['panel']

/** Creates an `onRequest` hook that lets in only callers with one of these scopes, before their body is read. */
export type Authorize = (
  ...scopes: [Scope, ...Scope[]]
) => (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/**
 * Reads bearer tokens: those in the registry and the operator's bootstrap token, which null disables. Reads the session of a
 * request that has no token.
 */
export function createAuthorize(deps: {
  snapshot: Snapshot
  bootstrapToken: string | null
  /** Without it, only tokens are accepted. */
  sessions?: SessionReader
  /** Whether a user must set up a second factor before anything else. */
  lacksSecondFactor?: (user: Pick<User, 'role' | 'secondFactor'>) => boolean
  /** Called for each request that a token of the registry authorizes. */
  noteUse?: (token: Entity<'Token'>, request: FastifyRequest) => void
  now: () => number
}): Authorize {
  const { snapshot, sessions, noteUse, lacksSecondFactor } = deps
  const readBearer = createBearerReader(deps)
  /** Requests that were let in, and whose body has not arrived completely. */
  const arriving = new Set<FastifyRequest>()

  // A body may take hours to arrive: it must not be used after the right to send it has ended.
  snapshot.onChange(({ kind }) => {
    if (kind !== 'Token' && kind !== 'User' && kind !== 'Account') return
    for (const request of arriving) {
      const { authorization } = request.headers
      const isInForce = authorization === undefined ? isActing(request) : readBearer(authorization)
      if (!isInForce) request.bodyArrival?.giveUp(new Problem('UNAUTHENTICATED', 'The token or session has ended'))
    }
  })

  /** Whether the session of a request still belongs to the account for which the request was let in. */
  function isActing(request: FastifyRequest): boolean {
    const users = sessions?.read(request)?.users ?? []
    return users.some(({ id }) => id === request.principal?.userId)
  }

  function awaitBody(request: FastifyRequest): void {
    const { raw } = request
    if (!request.bodyArrival || raw.complete) return
    arriving.add(request)
    const arrived = () => void arriving.delete(request)
    raw.once('end', arrived).once('close', arrived)
  }

  function bearer(header: string): Principal | null {
    const known = readBearer(header)
    if (!known) return null
    const { token, ...rest } = known
    const credential: Credential = token ? { kind: 'TOKEN', token } : { kind: 'BOOTSTRAP' }
    return { ...rest, actorId: rest.accountId, userId: null, credential }
  }

  /** Reads the session, and renews it when that is due. */
  function signedIn(request: FastifyRequest, reply: FastifyReply): Principal | null {
    const session = sessions?.read(request)
    if (!session) return null
    if (session.renewal !== null) reply.header('set-cookie', session.renewal)
    const user = actingUser(session.users, request)
    const { id, body } = user
    if (lacksSecondFactor?.({ role: body.role, secondFactor: session.keeper.body.secondFactor })) {
      throw new Problem(
        'SECOND_FACTOR_MISSING',
        'Set up a second factor first: this installation requires one for your role',
      )
    }
    const accountId = accountIdOf(user)
    const credential = { kind: 'SESSION', authenticatedAt: session.authenticatedAt } as const
    return { actorId: id, userId: id, accountId, role: body.role, scopes: SCOPES_OF_SESSIONS, credential }
  }

  return (...scopes) =>
    async (request, reply) => {
      const { authorization } = request.headers
      const principal = authorization === undefined ? signedIn(request, reply) : bearer(authorization)
      if (!principal) {
        reply.header('www-authenticate', 'Bearer')
        throw new Problem('UNAUTHENTICATED', 'Sign in, or send a valid token in the header Authorization: Bearer')
      }
      if (!scopes.some((scope) => principal.scopes.includes(scope))) {
        const caller = principal.userId === null ? 'token' : 'session'
        throw new Problem('FORBIDDEN', `The ${caller} lacks the scope ${scopes.join(' or ')}`)
      }
      request.principal = principal
      awaitBody(request)
      if (principal.credential.kind === 'TOKEN') noteUse?.(principal.credential.token, request)
    }
}

/** The caller that `authorize` let in. */
export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error(`${request.routeOptions.url} has no authorize hook`)
  return request.principal
}

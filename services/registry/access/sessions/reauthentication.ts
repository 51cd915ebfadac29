import type { FastifyRequest } from 'fastify'
import { MINUTE_MS } from '../../../../schemas/durations.ts'
import { Problem } from '../../../domain/errors.ts'
import { principalOf } from '../../rights/auth.ts'
import type { Session, Sessions } from './sessions.ts'

/** How long after a password or code a session may do what could take over an account. */
const REAUTHENTICATION_MS = 10 * MINUTE_MS

/** Whether an authentication still counts as recent. Both times are UTC epoch ms. */
const isRecent = (authenticatedAt: number, now: number) => now - authenticatedAt < REAUTHENTICATION_MS

const reauthenticationRequired = () =>
  new Problem('REAUTHENTICATION_REQUIRED', 'Authenticate again with POST /v1/panel/session/reauthentication')

/**
 * Creates an `onRequest` hook to run after `authorize`. A session alone is not enough, because it may be stolen: its user must
 * have authenticated recently. Tokens pass, and the route checks them.
 */
export function recentlyAuthenticated(now: () => number) {
  return async (request: FastifyRequest): Promise<void> => {
    const { credential } = principalOf(request)
    if (credential.kind === 'SESSION' && !isRecent(credential.authenticatedAt, now())) throw reauthenticationRequired()
  }
}

/**
 * The session of a person who has authenticated recently, for what concerns the login and not one of its accounts.
 * @throws Problem UNAUTHENTICATED, REAUTHENTICATION_REQUIRED
 */
export function freshSession({ sessions, now }: { sessions: Sessions; now: () => number }, request: unknown): Session {
  const session = sessions.read(request as FastifyRequest)
  if (!session) throw new Problem('UNAUTHENTICATED', 'Nobody is signed in')
  if (!isRecent(session.authenticatedAt, now())) throw reauthenticationRequired()
  return session
}

/** An `onRequest` hook to run after `authorize`. It refuses tokens, but not the bootstrap token: a leaked one must not become a user. */
export async function peopleOnly(request: FastifyRequest): Promise<void> {
  if (principalOf(request).credential.kind === 'TOKEN') {
    throw new Problem('FORBIDDEN', 'Tokens cannot change users: sign in, or use the bootstrap token')
  }
}

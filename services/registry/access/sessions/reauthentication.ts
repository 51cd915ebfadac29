import type { FastifyRequest } from 'fastify'
import { Problem } from '../../../domain/errors.ts'
import { principalOf } from '../auth.ts'

/** How long after a password or code a session may do what would take an account over. */
const REAUTHENTICATION_MS = 10 * 60_000

/** Whether the proof of a moment still counts; both in UTC epoch ms. */
export const isRecent = (authenticatedAt: number, now: number) => now - authenticatedAt < REAUTHENTICATION_MS

export const reauthenticationRequired = () =>
  new Problem('REAUTHENTICATION_REQUIRED', 'Authenticate again with POST /v1/panel/session/reauthentication')

/**
 * An `onRequest` hook after `authorize`: a session alone, which may be stolen, is not enough for this.
 * A token is judged by its route.
 */
export function recentlyAuthenticated(now: () => number) {
  return async (request: FastifyRequest): Promise<void> => {
    const { credential } = principalOf(request)
    if (credential.kind === 'SESSION' && !isRecent(credential.authenticatedAt, now())) throw reauthenticationRequired()
  }
}

/** An `onRequest` hook after `authorize`: a token that leaks must not become a person. The bootstrap token may. */
export async function peopleOnly(request: FastifyRequest): Promise<void> {
  if (principalOf(request).credential.kind === 'TOKEN') {
    throw new Problem('FORBIDDEN', 'Tokens cannot change users: sign in, or use the bootstrap token')
  }
}

import type { FastifyRequest } from 'fastify'
import { Problem } from '../../domain/errors.ts'
import { principalOf } from '../auth.ts'

/** How long after a password or code a session may do what would take an account over. */
export const REAUTHENTICATION_MS = 10 * 60_000

/**
 * An `onRequest` hook after `authorize`: a session alone, which may be stolen, is not enough for this.
 * A token is judged by its route.
 */
export function recentlyAuthenticated(now: () => number) {
  return async (request: FastifyRequest): Promise<void> => {
    const { credential } = principalOf(request)
    if (credential.kind === 'SESSION' && now() - credential.authenticatedAt >= REAUTHENTICATION_MS) {
      throw new Problem('REAUTHENTICATION_REQUIRED', 'Prove again who you are: POST /v1/panel/session/reauthentication')
    }
  }
}

/** An `onRequest` hook after `authorize`: a token that leaks must not become a person. The bootstrap token may. */
export async function peopleOnly(request: FastifyRequest): Promise<void> {
  if (principalOf(request).credential.kind === 'TOKEN') {
    throw new Problem('FORBIDDEN', 'Tokens change no users: sign in, or use the bootstrap token')
  }
}

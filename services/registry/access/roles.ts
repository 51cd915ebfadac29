import type { FastifyRequest } from 'fastify'
import { Problem } from '../../domain/errors.ts'
import { type Principal, principalOf } from './auth.ts'

type Role = Principal['role']

/** An `onRequest` hook after `authorize`: roles are judged before a body is read. */
export function onlyRoles(roles: readonly Role[], refusal: string) {
  return async (request: FastifyRequest): Promise<void> => {
    if (!roles.includes(principalOf(request).role)) throw new Problem('FORBIDDEN', refusal)
  }
}

/** What concerns the whole installation. */
export const operatorOnly = onlyRoles(['OPERATOR'], 'Only the operator may do this')

/** What belongs to a shop. */
export const publisherOnly = onlyRoles(['OPERATOR', 'PUBLISHER'], 'Only the publisher of a shop can set it up')

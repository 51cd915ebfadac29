import type { FastifyRequest } from 'fastify'
import { Problem } from '../../domain/errors.ts'
import { type Principal, principalOf } from './auth.ts'

type Role = Principal['role']

/** Creates an `onRequest` hook to run after `authorize`. It checks the caller's role before the body is read. */
export function onlyRoles(roles: readonly Role[], refusal: string) {
  return async (request: FastifyRequest): Promise<void> => {
    if (!roles.includes(principalOf(request).role)) throw new Problem('FORBIDDEN', refusal)
  }
}

/** For routes that concern the whole installation. */
export const operatorOnly = onlyRoles(['OPERATOR'], 'Only the operator may do this')

/** For routes that create parts of a shop. */
export const publisherOnly = onlyRoles(['OPERATOR', 'PUBLISHER'], 'Only the publisher of a shop can set it up')

import type { FastifyRequest } from 'fastify'
import { Problem } from '../domain/errors.ts'
import { principalOf } from './auth.ts'

/** An `onRequest` hook after `authorize`: what concerns the whole installation is the operator's. */
export async function operatorOnly(request: FastifyRequest): Promise<void> {
  if (principalOf(request).role !== 'OPERATOR') throw new Problem('FORBIDDEN', 'Only the operator may do this')
}

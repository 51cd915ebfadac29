import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EntityKind } from '../../../schemas/records/entities.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity } from '../../domain/snapshot.ts'
import { nouns } from '../rights/access.ts'

/**
 * Optimistic concurrency (RFC 9110, section 13.1.1). The entity tag is the version, in quotes. Other figures of an answer, such as the
 * spend of a campaign, change without it.
 */
export function tagged(reply: FastifyReply, { version }: { version: number }): void {
  reply.header('etag', `"${version}"`)
}

/**
 * Weak tags count as well, because proxies that compress an answer weaken its tag.
 * @throws Problem PRECONDITION_FAILED when the request names other versions than the one that the entity has.
 */
export function checkIfMatch({ headers }: FastifyRequest, { kind, version }: Entity<EntityKind>): void {
  const wanted = headers['if-match']
  if (wanted === undefined || wanted === '*') return
  if (!wanted.match(/"[^"]*"/g)?.includes(`"${version}"`)) {
    throw new Problem(
      'PRECONDITION_FAILED',
      `The ${nouns[kind]} was changed by someone else: its version is now ${version}`,
    )
  }
}

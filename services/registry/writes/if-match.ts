import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EntityKind } from '../../../schemas/records/entities.ts'
import { Problem } from '../../domain/errors.ts'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { nouns } from '../rights/access.ts'
import { type Principal, principalOf } from '../rights/auth.ts'

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
export function checkIfMatch(request: FastifyRequest, entity: Entity<EntityKind>, snapshot: Snapshot): void {
  const { kind, version, updatedBy } = entity
  const wanted = request.headers['if-match']
  if (wanted === undefined || wanted === '*') return
  if (!wanted.match(/"[^"]*"/g)?.includes(`"${version}"`)) {
    const detail = `The ${nouns[kind]} was changed by someone else: its version is now ${version}`
    const changedBy = personFor(principalOf(request), snapshot, updatedBy)
    throw new Problem('PRECONDITION_FAILED', detail, { extension: { changedBy } })
  }
}

/** Who changed an entity, as the caller may know it: people of other accounts have a role and no name, unless to operators. */
function personFor({ role, accountId }: Principal, snapshot: Snapshot, id: string) {
  const user = snapshot.getEver('User', id)
  const account = snapshot.getEver('Account', user ? (user.body.accountId ?? '') : id)
  if (user) {
    const isTold = role === 'OPERATOR' || account?.id === accountId
    return { role: user.body.role, name: isTold ? user.body.name : null }
  }
  // The token of the installation belongs to no account.
  return { role: account?.body.kind ?? 'OPERATOR', name: null }
}

import type { Static } from 'typebox'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { SecurityEventView, SecurityLogQuery } from '../../../schemas/http/panel/accounts/security-log.ts'
import { PAGE_LIMIT_DEFAULT, Page } from '../../../schemas/http/panel/common.ts'
import type { EntityKind } from '../../../schemas/records/entities.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { toIso } from '../resources/conversions.ts'
import { readPosition, writePosition } from '../resources/paging.ts'
import { accountOf } from '../rights/account-of.ts'
import { type Authorize, type Principal, principalOf } from '../rights/auth.ts'
import { querySecurityEvents, type SecurityRow } from './query.ts'

export interface SecurityLogAppDeps {
  snapshot: Snapshot
  authorize: Authorize
  analytics: Analytics
  now: () => number
}

/** GET /v1/panel/security-log: all events for operators, those of their account for others. */
export function securityLogApp({ snapshot, authorize, analytics, now }: SecurityLogAppDeps) {
  return async (server: HttpServer): Promise<void> => {
    server.get(
      '/v1/panel/security-log',
      {
        onRequest: authorize('panel'),
        schema: {
          operationId: 'listSecurityLog',
          summary: 'List who did what',
          description:
            'Sign-ins, tokens, users, deletions and requests about people’s data, latest first. An entry is listed about two ' +
            'seconds after it happened.',
          querystring: SecurityLogQuery,
          response: { 200: Page(SecurityEventView) },
        },
      },
      async (request) => {
        const principal = principalOf(request)
        const { limit = PAGE_LIMIT_DEFAULT, cursor, kind = null, userId = null } = request.query
        const rows = await querySecurityEvents(analytics, {
          accountId: principal.role === 'OPERATOR' ? null : principal.accountId,
          userId,
          kind,
          now: now(),
          after: positionOf(cursor),
          limit: limit + 1,
        })
        const shown = rows.slice(0, limit)
        const last = shown.at(-1)
        return {
          items: shown.map((row) => view(snapshot, principal, row)),
          nextCursor: last && rows.length > limit ? writePosition(last.occurredAt, last.id) : null,
        }
      },
    )
  }
}

function positionOf(cursor: string | undefined): { occurredAt: number; id: string } | null {
  if (cursor === undefined) return null
  const [occurredAt, id] = readPosition(cursor, 'number', 'string')
  return { occurredAt, id }
}

function view(snapshot: Snapshot, principal: Principal, row: SecurityRow): Static<typeof SecurityEventView> {
  const { id, kind, occurredAt, actorKind, actorId, accountId, subjectKind, subjectId, detail, source } = row
  const nameOf = (kindOfNamed: EntityKind, idOfNamed: string) => nameFor(principal, snapshot, kindOfNamed, idOfNamed)
  const named = actorKind === 'USER' ? 'User' : 'Token'
  return {
    ...{ id, kind, occurredAt: toIso(occurredAt), accountId, detail, source },
    actor: { kind: actorKind, id: actorId, name: actorId === null ? null : nameOf(named, actorId) },
    subject:
      subjectKind === null || subjectId === null
        ? null
        : { kind: subjectKind, id: subjectId, name: nameOf(subjectKind, subjectId) },
  }
}

/** The name of an entity, deleted or not. Null when it belongs to another account, unless the reader is an operator. */
function nameFor(principal: Principal, snapshot: Snapshot, kind: EntityKind, id: string): string | null {
  const entity = snapshot.getEver(kind, id)
  if (!entity) return null
  const isTold = principal.role === 'OPERATOR' || accountOf(snapshot, entity) === principal.accountId
  return isTold && 'name' in entity.body ? entity.body.name : null
}

import type { Audit } from '../../../infra/analytics/audit.ts'
import { AuditAnswer } from '../../../schemas/http/panel/operations.ts'
import type { HttpServer } from '../../http/server.ts'
import type { Authorize } from '../access/auth.ts'
import { operatorOnly } from '../access/roles.ts'

/** GET /v1/panel/audit: what the log holds against what the analytics store holds. */
export function auditApp({ authorize, audit }: { authorize: Authorize; audit: () => Promise<Audit> }) {
  /** Counting reads whole tables: callers that come meanwhile get the same answer. */
  let underWay: Promise<Audit> | null = null

  return async (server: HttpServer): Promise<void> => {
    server.get(
      '/v1/panel/audit',
      {
        onRequest: [authorize('panel'), operatorOnly],
        schema: { summary: 'Is everything logged stored, and once?', response: { 200: AuditAnswer } },
      },
      async () => {
        underWay ??= audit().finally(() => {
          underWay = null
        })
        return underWay
      },
    )
  }
}

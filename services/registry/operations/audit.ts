import type { Static } from 'typebox'
import type { Audit } from '../../../infra/analytics/audit/audit.ts'
import type { CheckedSpan, DeepCheck } from '../../../infra/analytics/audit/deep-check.ts'
import { sharedCall } from '../../../infra/together.ts'
import { AuditAnswer, AuditCheckAnswer, AuditCheckQuery } from '../../../schemas/http/panel/operations.ts'
import { Problem } from '../../domain/errors.ts'
import type { HttpServer } from '../../http/server.ts'
import { toEpochMs } from '../resources/conversions.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import type { Authorize } from '../rights/auth.ts'
import { operatorOnly } from '../rights/roles.ts'

export interface AuditAppDeps {
  authorize: Authorize
  audit: () => Promise<Audit>
  check: (span: CheckedSpan) => Promise<DeepCheck>
}

/** GET /v1/panel/audit: compares what came into the log with what Analytics holds. */
export function auditApp({ authorize, audit, check }: AuditAppDeps) {
  const onRequest = [authorize('panel'), operatorOnly]
  const sharedAudit = sharedCall(audit)
  let isChecking = false

  return async (server: HttpServer): Promise<void> => {
    server.get(
      '/v1/panel/audit',
      {
        onRequest,
        schema: {
          operationId: 'getAudit',
          summary: 'Compare what was logged with what is stored',
          description:
            'Compares counts that are kept while records are stored with the number of rows in the tables. /v1/panel/audit/check ' +
            'also finds what these counts cannot show.',
          response: { 200: AuditAnswer },
        },
      },
      () => sharedAudit(),
    )

    server.get(
      '/v1/panel/audit/check',
      {
        onRequest,
        schema: {
          operationId: 'checkAudit',
          summary: 'Check that each record of a range has one row',
          description:
            'Compares the records of the log with the rows of the tables one by one: for a topic, one of its partitions, a range ' +
            'of offsets or a period. A call checks up to 200,000 offsets, and its answer says where the next call continues. Only ' +
            'one check runs at a time.',
          querystring: AuditCheckQuery,
          response: { 200: AuditCheckAnswer },
        },
      },
      async (request) => {
        const span = spanOf(request.query)
        if (isChecking) throw new Problem('CONFLICT', 'Another check is running: try again when it has ended')
        isChecking = true
        try {
          return await check(span)
        } finally {
          isChecking = false
        }
      },
    )
  }
}

/** @throws Problem INVALID */
function spanOf({ topic, partition, fromOffset, toOffset, from, to }: Static<typeof AuditCheckQuery>): CheckedSpan {
  const fieldErrors = new FieldErrors()
  const ofOnePartition = (name: string, offset: number | undefined) =>
    fieldErrors.check(
      offset === undefined || partition !== undefined,
      `querystring/${name}`,
      'can only be set together with partition',
    )
  ofOnePartition('fromOffset', fromOffset)
  ofOnePartition('toOffset', toOffset)
  const since = from === undefined ? undefined : toEpochMs(from, 'querystring/from', fieldErrors)
  const until = to === undefined ? undefined : toEpochMs(to, 'querystring/to', fieldErrors)
  fieldErrors.throwIfAny()
  return { topic, partition, from: fromOffset, to: toOffset, since, until }
}

import type { Analytics } from '../../../infra/analytics/port.ts'
import {
  AttributionExplained,
  AttributionParams,
  AttributionQuery,
  EmissionExplained,
  EmissionParams,
} from '../../../schemas/http/panel/explain.ts'
import { Problem } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http.ts'
import { type Authorize, principalOf } from '../auth.ts'
import { reachOf } from '../reports/scope.ts'
import { explainAttribution } from './attribution.ts'
import { explainEmission } from './emission.ts'

export interface ExplainDeps {
  analytics: Analytics
  snapshot: Snapshot
  authorize: Authorize
}

const HINT = 'What happened in the last seconds may not be stored yet'

/** GET /v1/panel/explain/…: why this ad, why this credit. */
export function explainApp(deps: ExplainDeps) {
  const { snapshot, authorize } = deps
  return async (server: HttpServer): Promise<void> => {
    // Answers are built field by field; schemas document.
    server.setSerializerCompiler(() => JSON.stringify)

    server.get(
      '/v1/panel/explain/emission/:requestId',
      {
        onRequest: authorize('panel'),
        schema: { summary: 'Why these ads', params: EmissionParams, response: { 200: EmissionExplained } },
      },
      async (request) => {
        const { requestId } = request.params
        const explained = await explainEmission(deps, { principal: principalOf(request), requestId })
        if (!explained) throw new Problem('NOT_FOUND', `There is no ad request ${requestId}. ${HINT}`)
        return explained
      },
    )

    server.get(
      '/v1/panel/explain/attribution/:eventId',
      {
        onRequest: authorize('panel'),
        schema: {
          summary: 'Why this credit',
          params: AttributionParams,
          querystring: AttributionQuery,
          response: { 200: AttributionExplained },
        },
      },
      async (request) => {
        const principal = principalOf(request)
        const { eventId } = request.params
        const { shops } = reachOf(snapshot, principal, request.query)
        const shopIds = shops.map(({ id }) => id)
        const transactions = await explainAttribution(deps, { principal, eventId, shopIds })
        if (transactions.length === 0) throw new Problem('NOT_FOUND', `There is no transaction ${eventId}. ${HINT}`)
        return { eventId, transactions }
      },
    )
  }
}

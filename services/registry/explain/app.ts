import { Type } from 'typebox'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { Page } from '../../../schemas/http/panel/common.ts'
import { EmissionList, EmissionListQuery } from '../../../schemas/http/panel/reports/emissions.ts'
import {
  AttributionExplained,
  AttributionParams,
  AttributionQuery,
  EmissionExplained,
  EmissionParams,
} from '../../../schemas/http/panel/reports/explain.ts'
import { TransactionItem, TransactionQuery } from '../../../schemas/http/panel/reports/transactions.ts'
import { Problem } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { scopeOf } from '../reports/scope.ts'
import { csvOf, sendCsv } from '../resources/csv.ts'
import { type Authorize, principalOf } from '../rights/auth.ts'
import { explainAttribution } from './attribution.ts'
import { explainEmission } from './emission.ts'
import { forgottenHint, listEmissions } from './emissions.ts'
import type { Pseudonyms } from './pseudonyms.ts'
import { listTransactions, transactionColumns, transactionTable } from './transactions.ts'

export interface ExplainDeps {
  analytics: Analytics
  snapshot: Snapshot
  authorize: Authorize
  pseudonyms: Pseudonyms
  now: () => number
  csvRowsMax?: number
}

const HINT = 'Events of the last seconds may not be stored yet'

/** GET /v1/panel/transactions: what was bought and credited. GET /v1/panel/explain/…: why this ad, why this credit. */
export function explainApp(deps: ExplainDeps) {
  const { snapshot, authorize } = deps
  return async (server: HttpServer): Promise<void> => {
    // Answers are built field by field; response schemas are documentation only.
    server.setSerializerCompiler(() => JSON.stringify)

    server.get(
      '/v1/panel/transactions',
      {
        onRequest: authorize('panel'),
        schema: {
          operationId: 'listTransactions',
          summary: 'List purchases, carts and wishlists, and which campaigns were credited',
          description: 'Latest first. A transaction is listed within seconds. Imported history is not listed.',
          querystring: TransactionQuery,
          response: {
            200: {
              description:
                'A page of the list. CSV has all of it, with `shopDay`, the day of the reports in which it counts',
              content: { 'application/json': { schema: Page(TransactionItem) }, 'text/csv': { schema: Type.String() } },
            },
          },
        },
      },
      async (request, reply) => {
        const call = { principal: principalOf(request), query: request.query }
        if (call.query.format !== 'csv') return listTransactions(deps, call)
        return sendCsv(
          reply,
          'transactions.csv',
          csvOf(transactionColumns, await transactionTable(deps, call), { boolean: String }),
        )
      },
    )

    server.get(
      '/v1/panel/explain/emissions',
      {
        onRequest: authorize('panel'),
        schema: {
          operationId: 'listEmissions',
          summary: 'List the latest ad requests',
          description:
            'Latest first. A request is listed within seconds. Advertisers see those in which their campaigns took part.',
          querystring: EmissionListQuery,
          response: { 200: EmissionList },
        },
      },
      async (request) => listEmissions(deps, { principal: principalOf(request), query: request.query }),
    )

    server.get(
      '/v1/panel/explain/emission/:requestId',
      {
        onRequest: authorize('panel'),
        schema: {
          operationId: 'explainEmission',
          summary: 'Explain the ads of a request',
          params: EmissionParams,
          response: { 200: EmissionExplained },
        },
      },
      async (request) => {
        const { requestId } = request.params
        const explained = await explainEmission(deps, { principal: principalOf(request), requestId })
        if (!explained) {
          const hint = await forgottenHint(deps.analytics)
          throw new Problem('NOT_FOUND', `There is no ad request ${requestId}. ${HINT}${hint}`)
        }
        return explained
      },
    )

    server.get(
      '/v1/panel/explain/attribution/:eventId',
      {
        onRequest: authorize('panel'),
        schema: {
          operationId: 'explainAttribution',
          summary: 'Explain the credit of a transaction',
          params: AttributionParams,
          querystring: AttributionQuery,
          response: { 200: AttributionExplained },
        },
      },
      async (request) => {
        const principal = principalOf(request)
        const { eventId } = request.params
        const { shops } = scopeOf(snapshot, principal, request.query)
        const shopIds = shops.map(({ id }) => id)
        const explained = await explainAttribution(deps, { principal, eventId, shopIds })
        if (!explained) throw new Problem('NOT_FOUND', `There is no transaction ${eventId}. ${HINT}`)
        return explained
      },
    )
  }
}

import { Attention, OverviewQuery, Setup } from '../../../schemas/http/panel/overview.ts'
import type { HttpServer } from '../../http/server.ts'
import { type Authorize, principalOf } from '../rights/auth.ts'
import { type AttentionDeps, attentionOf } from './attention.ts'
import { createSetup, type SetupDeps } from './setup.ts'

export interface OverviewDeps extends AttentionDeps, SetupDeps {
  authorize: Authorize
}

/** GET /v1/panel/attention: what needs attention now. GET /v1/panel/setup: what is left to do until the first sale. */
export function overviewApp(deps: OverviewDeps) {
  const setupOf = createSetup(deps)
  const onRequest = deps.authorize('panel')
  return async (server: HttpServer): Promise<void> => {
    // Answers are built field by field; response schemas are documentation only.
    server.setSerializerCompiler(() => JSON.stringify)

    server.get(
      '/v1/panel/attention',
      {
        onRequest,
        schema: {
          operationId: 'listAttention',
          summary: 'List what needs attention now',
          description:
            'Checks all campaigns and feeds that the caller may see: moderation, feed runs, budgets and pace. Operators also see ' +
            'failed events and processing delays.',
          querystring: OverviewQuery,
          response: { 200: Attention },
        },
      },
      async (request) => attentionOf(deps, { principal: principalOf(request), shopId: request.query.shopId }),
    )
    server.get(
      '/v1/panel/setup',
      {
        onRequest,
        schema: {
          operationId: 'listSetupSteps',
          summary: 'List the steps to the first attributed sale',
          description:
            'Considers everything that the caller may see. Impressions and sales count if they are of the last 90 days.',
          querystring: OverviewQuery,
          response: { 200: Setup },
        },
      },
      async (request) => setupOf({ principal: principalOf(request), shopId: request.query.shopId }),
    )
  }
}

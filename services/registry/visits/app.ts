import { Type } from 'typebox'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { AttributedSale, SalesQuery, VisitQuery, VisitReport } from '../../../schemas/http/panel/reports/visits.ts'
import { Problem } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { decimalText, figuresToJson } from '../reports/figures.ts'
import { csvOf, ndjsonOf, sendCsv } from '../resources/csv.ts'
import { type Authorize, type Principal, principalOf } from '../rights/auth.ts'
import { readSalesPage, saleColumns } from './sales.ts'
import { readVisits, visitColumns } from './visits.ts'

export interface VisitsDeps {
  analytics: Analytics
  snapshot: Snapshot
  authorize: Authorize
  publicUrl: string
  now: () => number
}

const JSON_ROWS = { rowsMax: 10_000, beyond: 'CUT' } as const
/** A table in a file cannot say that it was cut off. */
const CSV_ROWS = { rowsMax: 100_000, beyond: 'REFUSE' } as const

/** How visitors came to a shop, and how those who bought had come. For the publisher, who knows them, and the operator. */
export function visitsApp(deps: VisitsDeps) {
  const onRequest = deps.authorize('panel')
  return async (server: HttpServer): Promise<void> => {
    // Answers are written by figuresToJson, csvOf and ndjsonOf; the schemas document them.
    server.setSerializerCompiler(() => JSON.stringify)
    server.get(
      '/v1/panel/page-views',
      {
        onRequest,
        schema: {
          operationId: 'getPageViewReport',
          summary: 'Report page views and attributed purchases by utm and gclid',
          description:
            'A purchase is assigned to the last page view of its browser that has a gclid or utm, at most 30 days before the ' +
            'purchase. If page views of the period are no longer stored (ANALYTICS_RETENTION_DAYS), the answer is 400 and names ' +
            'the earliest possible `from`.',
          querystring: VisitQuery,
          response: {
            200: {
              description: 'The report. CSV has only the rows',
              content: { 'application/json': { schema: VisitReport }, 'text/csv': { schema: Type.String() } },
            },
          },
        },
      },
      async (request, reply) => {
        const principal = publisherOf(principalOf(request))
        const { query } = request
        const isCsv = query.format === 'csv'
        const report = await readVisits(deps, { principal, query, ...(isCsv ? CSV_ROWS : JSON_ROWS) })
        if (!isCsv) return reply.type('application/json').send(figuresToJson(report))
        return sendCsv(reply, 'page-views.csv', csvOf(visitColumns(query), report.rows, { bigint: decimalText }))
      },
    )
    server.get(
      '/v1/panel/attributed-sales',
      {
        onRequest,
        schema: {
          operationId: 'exportAttributedSales',
          summary: 'Export attributed sales line by line, with how their buyers came',
          description:
            'Earliest first. The header Link names the next page as long as there is one. Imported history is never attributed. If ' +
            'page views of the period are no longer stored, the answer is 400, as for page views.',
          querystring: SalesQuery,
          response: {
            200: {
              description: 'A page of lines',
              content: { 'application/x-ndjson': { schema: AttributedSale }, 'text/csv': { schema: Type.String() } },
            },
          },
        },
      },
      async (request, reply) => {
        const { query } = request
        const { sales, nextCursor } = await readSalesPage(deps, { principal: publisherOf(principalOf(request)), query })
        if (nextCursor !== null) {
          const next = new URLSearchParams(
            Object.entries({ ...query, cursor: nextCursor }).map(
              ([name, value]) => [name, String(value)] as [string, string],
            ),
          )
          reply.header('link', `<${deps.publicUrl}/v1/panel/attributed-sales?${next}>; rel="next"`)
        }
        if (query.format === 'csv') return sendCsv(reply, 'attributed-sales.csv', csvOf(saleColumns, sales))
        return reply.type('application/x-ndjson').send(ndjsonOf(sales) as never)
      },
    )
  }
}

/** @throws Problem FORBIDDEN for advertisers, who do not know the shop's visitors. */
function publisherOf(principal: Principal): Principal {
  if (principal.role !== 'ADVERTISER') return principal
  throw new Problem('FORBIDDEN', 'Only the publisher of the shop and the operator can see its visitors')
}

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { ReportQuery, Report as ReportSchema } from '../../../schemas/http/panel/reports/reports.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { type Authorize, principalOf } from '../access/auth.ts'
import { csvOf, sendCsv } from '../resources/csv.ts'
import { belowDisclosure } from './disclosure.ts'
import { decimalText, figuresToJson } from './figures.ts'
import type { TitleIndex } from './names.ts'
import { columnsOf, runReport } from './report.ts'
import { readReportRequest } from './request.ts'

const JSON_ROWS = { rowsMax: 10_000, beyond: 'CUT' } as const
/** A table in a file has no place to say that it is cut. */
const CSV_ROWS = { rowsMax: 100_000, beyond: 'REFUSE' } as const

export interface ReportsDeps {
  analytics: Analytics
  snapshot: Snapshot
  index: TitleIndex
  authorize: Authorize
}

/** GET /v1/panel/reports. `docs/reports.md` defines every metric. */
export function reportsApp(deps: ReportsDeps) {
  return async (server: HttpServer): Promise<void> => {
    // Answers are written by figuresToJson and csvOf; the schema documents them.
    server.setSerializerCompiler(() => JSON.stringify)
    server.get(
      '/v1/panel/reports',
      {
        onRequest: deps.authorize('panel'),
        schema: {
          summary: 'What was shown, clicked, billed and sold',
          description: 'Days and hours are those of each shop. Money is in the currency of the row.',
          querystring: ReportQuery,
          response: {
            200: {
              description: 'The report',
              content: { 'application/json': { schema: ReportSchema }, 'text/csv': { schema: Type.String() } },
            },
          },
        },
      },
      async (request, reply) => {
        const asked = readReportRequest(request.query)
        const isCsv = wantsCsv(request, request.query.format)
        const rows = isCsv ? CSV_ROWS : JSON_ROWS
        const report = await runReport(deps, { principal: principalOf(request), request: asked, ...rows })
        reply.header('vary', 'accept')
        if (!isCsv) return reply.type('application/json').send(figuresToJson(report))
        const table = csvOf(columnsOf(asked), report.rows, { bigint: decimalText })
        const { disclosure } = report
        return sendCsv(reply, 'report.csv', disclosure ? belowDisclosure(disclosure, request.query, table) : table)
      },
    )
  }
}

/** `format` decides; without it, the media type that Accept names first. */
function wantsCsv(request: FastifyRequest, format: ReportQuery['format']): boolean {
  if (format !== undefined) return format === 'csv'
  return /text\/csv|application\/json|\*\/\*/.exec(request.headers.accept ?? '')?.[0] === 'text/csv'
}

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { type ReportFormat, ReportQuery, Report as ReportSchema } from '../../../schemas/http/panel/reports/reports.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { csvOf, sendCsv } from '../resources/csv.ts'
import { type Authorize, principalOf } from '../rights/auth.ts'
import { belowDisclosure } from './disclosure.ts'
import { decimalText, figuresToJson } from './figures.ts'
import type { TitleIndex } from './names.ts'
import { PARQUET_TYPE, parquetOf, sendParquet } from './parquet.ts'
import { columnsOf, runReport } from './report.ts'
import { readReportRequest } from './request.ts'

const JSON_ROWS = { rowsMax: 10_000, beyond: 'CUT' } as const
/** A table in a file cannot say that it was cut off. */
const FILE_ROWS = { rowsMax: 100_000, beyond: 'REFUSE' } as const

export interface ReportsDeps {
  analytics: Analytics
  snapshot: Snapshot
  index: TitleIndex
  authorize: Authorize
  /** UTC epoch milliseconds. */
  now: () => number
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
          operationId: 'getReport',
          summary: 'Report what was shown, clicked, billed and sold',
          description: 'Days and hours are in the time zone of each shop. Amounts are in the currency of the row.',
          querystring: ReportQuery,
          response: {
            200: {
              description: 'The report',
              content: {
                'application/json': { schema: ReportSchema },
                'text/csv': { schema: Type.String() },
                [PARQUET_TYPE]: { schema: Type.String({ format: 'binary' }) },
              },
            },
          },
        },
      },
      async (request, reply) => {
        const asked = readReportRequest(request.query)
        const format = request.query.format ?? formatAccepted(request)
        const rows = format === 'json' ? JSON_ROWS : FILE_ROWS
        const report = await runReport(deps, { principal: principalOf(request), request: asked, ...rows })
        reply.header('vary', 'accept')
        if (format === 'json') return reply.type('application/json').send(figuresToJson(report))
        if (format === 'parquet') return sendParquet(reply, 'report.parquet', await parquetOf(asked, report))
        const table = csvOf(columnsOf(asked), report.rows, { bigint: decimalText })
        const { disclosure } = report
        return sendCsv(reply, 'report.csv', disclosure ? belowDisclosure(disclosure, request.query, table) : table)
      },
    )
  }
}

const formatOfType: Readonly<Record<string, ReportFormat>> = { 'text/csv': 'csv', [PARQUET_TYPE]: 'parquet' }
const KNOWN_TYPE = /text\/csv|application\/json|application\/vnd\.apache\.parquet|\*\/\*/

/** The format of the first media type in Accept that is supported. */
function formatAccepted({ headers }: FastifyRequest): ReportFormat {
  return formatOfType[KNOWN_TYPE.exec(headers.accept ?? '')?.[0] ?? ''] ?? 'json'
}

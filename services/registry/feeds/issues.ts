import type { Analytics } from '../../../infra/analytics/port.ts'
import { PAGE_LIMIT_DEFAULT, Page } from '../../../schemas/http/panel/common.ts'
import { FeedIssueQuery, FeedIssueView, FeedRunParams } from '../../../schemas/http/panel/shops/feed-runs.ts'
import type { FeedIssue } from '../../../schemas/records/records.ts'
import type { HttpServer } from '../../http/server.ts'
import { csvOf, sendCsv } from '../resources/csv.ts'
import { readPosition, writePosition } from '../resources/paging.ts'
import type { Access } from '../rights/access.ts'
import { type Authorize, principalOf } from '../rights/auth.ts'
import { ISSUES_KEPT_MAX } from './items/item-intake.ts'
import { needRun } from './run-queries.ts'

const ISSUE_COLUMNS = ['severity', 'line', 'productId', 'field', 'code', 'message'] as const

/** GET the issues of a run, as JSON in pages or as CSV. */
export function issuesRoute(
  server: HttpServer,
  { access, authorize, analytics }: { access: Access; authorize: Authorize; analytics: Analytics },
): void {
  server.get(
    '/v1/panel/feeds/:id/runs/:run/issues',
    {
      onRequest: authorize('panel'),
      schema: {
        operationId: 'listFeedRunIssues',
        summary: 'List the issues of a run, in the order of the file',
        description:
          `The first ${ISSUES_KEPT_MAX} issues of a run are kept; issueCounts of the run counts all of them. New issues are ` +
          'listed within seconds.',
        produces: ['application/json', 'text/csv'],
        params: FeedRunParams,
        querystring: FeedIssueQuery,
        response: { 200: Page(FeedIssueView) },
      },
    },
    async (request, reply) => {
      const { id, body } = needRun(access, principalOf(request), request.params)
      const runId = body.issuesRunId ?? id
      const { limit = PAGE_LIMIT_DEFAULT, cursor, format, severity, code, q } = request.query
      const wanted = { feedId: body.feedId, runId, severity, code, q }
      if (format === 'csv' || (format === undefined && /text\/csv/.test(request.headers.accept ?? ''))) {
        const rows = await queryIssues(analytics, { ...wanted, after: null, limit: ISSUES_KEPT_MAX })
        return sendCsv(reply, `issues-${runId}.csv`, csvOf(ISSUE_COLUMNS, rows))
      }
      // One more row than asked for, to learn whether there is a next page.
      const rows = await queryIssues(analytics, { ...wanted, after: positionOf(cursor), limit: limit + 1 })
      const items = rows.slice(0, limit)
      const last = items.at(-1)
      return { items, nextCursor: rows.length > limit && last ? writePosition(last.line, last.offset) : null }
    },
  )
}

/** The line and offset after which a page of issues begins. @throws Problem INVALID. */
function positionOf(cursor: string | undefined): { line: number; offset: number } | null {
  if (cursor === undefined) return null
  const [line, offset] = readPosition(cursor, 'number', 'number')
  return { line, offset }
}

type IssueRow = Pick<FeedIssue, 'severity' | 'line' | 'productId' | 'field' | 'code' | 'message'> & {
  offset: number
}

interface IssuesWanted {
  feedId: string
  runId: string
  severity: FeedIssue['severity'] | undefined
  code: string | undefined
  /** Text to find in product id, field or message, ignoring case. */
  q: string | undefined
  /** The last row of the previous page. */
  after: { line: number; offset: number } | null
  limit: number
}

const SQL = `
SELECT severity, line, productId, field, code, message, _offset AS offset
FROM feed_issues
WHERE feedId = {feedId:String} AND runId = {runId:String}
  AND ({severity:String} = '' OR severity = {severity:String})
  AND ({code:String} = '' OR code = {code:String})
  AND ({q:String} = '' OR positionCaseInsensitiveUTF8(concat(ifNull(productId, ''), '\\n', field, '\\n', message), {q:String}) > 0)
  AND (line, _offset) > ({line:Int64}, {offset:Int64})
ORDER BY line, _offset
LIMIT {limit:UInt32}`

/** Issues of one run, in the order of the file. */
function queryIssues(analytics: Analytics, wanted: IssuesWanted): Promise<IssueRow[]> {
  const { feedId, runId, severity = '', code = '', q = '', after, limit } = wanted
  const { line, offset } = after ?? { line: -1, offset: -1 }
  return analytics.query<IssueRow>(SQL, { feedId, runId, severity, code, q, line, offset, limit })
}

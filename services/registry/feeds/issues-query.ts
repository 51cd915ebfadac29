import type { Analytics } from '../../../infra/analytics/port.ts'
import type { FeedIssue } from '../../../schemas/records/records.ts'

export type IssueRow = Pick<FeedIssue, 'severity' | 'line' | 'productId' | 'field' | 'code' | 'message'> & {
  offset: number
}

export interface IssuesWanted {
  feedId: string
  runId: string
  severity: FeedIssue['severity'] | undefined
  code: string | undefined
  /** Text in product id, field or message, in any case. */
  q: string | undefined
  /** The last row of the page before. */
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
export function queryIssues(analytics: Analytics, wanted: IssuesWanted): Promise<IssueRow[]> {
  const { feedId, runId, severity = '', code = '', q = '', after, limit } = wanted
  const { line, offset } = after ?? { line: -1, offset: -1 }
  return analytics.query<IssueRow>(SQL, { feedId, runId, severity, code, q, line, offset, limit })
}

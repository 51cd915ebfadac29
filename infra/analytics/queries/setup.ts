import type { QueryParams } from '../port.ts'

/** Limits of a query for a page that polls: what is not found within them is reported as not there yet. */
const ROWS_READ_MAX = 20_000_000
const EXECUTION_MAX_SECONDS = 5

export interface FirstOfSpec {
  shopIds: readonly string[]
  /** Only ads of this account. */
  accountId: string | undefined
  /** UTC epoch milliseconds. */
  from: number
}

const LIMITS = `LIMIT 1
SETTINGS max_rows_to_read = ${ROWS_READ_MAX}, read_overflow_mode = 'break',
  max_execution_time = ${EXECUTION_MAX_SECONDS}, timeout_overflow_mode = 'break'`

const SCOPE = `shopId IN {shopIds:Array(String)} AND occurredAt >= {from:Int64}
  AND ({accountId:String} = '' OR accountId = {accountId:String})`

/** Selects a row if a valid view is stored. */
export function anyViewQuery(spec: FirstOfSpec): { sql: string; params: QueryParams } {
  const sql = `
SELECT 1 AS found FROM judged_events
WHERE ${SCOPE} AND type = 'VIEW' AND verdict = 'VALID'
${LIMITS}`
  return { sql, params: paramsOf(spec) }
}

/** Selects a row if a line of a purchase has been credited to a campaign. */
export function anyCreditQuery(spec: FirstOfSpec): { sql: string; params: QueryParams } {
  const sql = `
SELECT 1 AS found FROM credited_lines
WHERE ${SCOPE} AND kind = 'PURCHASE' AND deleted = 0
${LIMITS}`
  return { sql, params: paramsOf(spec) }
}

function paramsOf({ shopIds, accountId = '', from }: FirstOfSpec): QueryParams {
  return { shopIds, accountId, from }
}

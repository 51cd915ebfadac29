import type { QueryParams } from '../port.ts'

/** The answer is one of a page that polls: what is not found within these is not there yet. */
const ROWS_READ_MAX = 20_000_000
const EXECUTION_MAX_SECONDS = 5

export interface FirstOfSpec {
  shopIds: readonly string[]
  /** Only ads of this account. */
  accountId: string | undefined
  /** UTC epoch milliseconds. */
  from: number
}

/** A row when a valid view is stored. */
export function anyViewQuery(spec: FirstOfSpec): { sql: string; params: QueryParams } {
  return anyQuery('judged_events', "type = 'VIEW' AND verdict = 'VALID'", spec)
}

/** A row when a line of a purchase has been credited to a campaign. */
export function anyCreditQuery(spec: FirstOfSpec): { sql: string; params: QueryParams } {
  return anyQuery('attributed_lines', "kind = 'PURCHASE' AND outcome = 'CREDITED' AND deleted = 0", spec)
}

function anyQuery(table: string, condition: string, { shopIds, accountId = '', from }: FirstOfSpec) {
  const sql = `
SELECT 1 AS found FROM ${table}
WHERE shopId IN {shopIds:Array(String)} AND occurredAt >= {from:Int64} AND ${condition}
  AND ({accountId:String} = '' OR accountId = {accountId:String})
LIMIT 1
SETTINGS max_rows_to_read = ${ROWS_READ_MAX}, read_overflow_mode = 'break',
  max_execution_time = ${EXECUTION_MAX_SECONDS}, timeout_overflow_mode = 'break'`
  return { sql, params: { shopIds, accountId, from } }
}

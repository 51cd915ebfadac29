import { Type } from 'typebox'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { campaignDaysSql } from '../../../infra/analytics/queries/views/campaign-days.ts'
import { type ExportedView, ExportParams, ExportQuery } from '../../../schemas/http/panel/reports/exports.ts'
import { Problem } from '../../domain/errors.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { HttpServer } from '../../http/server.ts'
import { PARQUET_TYPE, sendParquet } from '../reports/parquet.ts'
import { readRange } from '../reports/request.ts'
import { FieldErrors } from '../resources/field-errors.ts'
import { type Authorize, type Principal, principalOf } from '../rights/auth.ts'
import { onlyRoles } from '../rights/roles.ts'
import { rangeIn } from '../visits/range.ts'

/** A file is built completely before it is sent: at about 120 bytes a row, 60 MB. */
const ROWS_MAX = 500_000
const MIB = 1024 * 1024
/** Before compression. 500,000 events take some 300 MiB, but one order may have a thousand lines with long titles. */
const MIB_MAX = 512
/** Limit of each query of an export, because reports wait behind it. */
const EXECUTION_MAX_SECONDS = 30

export interface ExportsDeps {
  analytics: Analytics
  snapshot: Snapshot
  authorize: Authorize
  rowsMax?: number
  mibMax?: number
}

/** The views of docs/data.md as Parquet files, for the publisher of a shop and the operator only, because they name people. */
export function exportsApp(deps: ExportsDeps) {
  const publisher = onlyRoles(
    ['OPERATOR', 'PUBLISHER'],
    'Only the publisher of the shop and the operator can export it',
  )
  return async (server: HttpServer): Promise<void> => {
    server.get(
      '/v1/panel/exports/:view',
      {
        onRequest: [deps.authorize('panel'), publisher],
        schema: {
          operationId: 'exportView',
          summary: 'Export the rows of an analytics view as a Parquet file',
          params: ExportParams,
          querystring: ExportQuery,
          response: {
            200: {
              description: 'The file',
              content: { [PARQUET_TYPE]: { schema: Type.String({ format: 'binary' }) } },
            },
          },
        },
      },
      async (request, reply) => {
        const { view } = request.params
        const file = await exportView(deps, { principal: principalOf(request), view, query: request.query })
        return sendParquet(reply, `${view}.parquet`, file)
      },
    )
  }
}

interface ExportCall {
  principal: Principal
  view: ExportedView
  query: ExportQuery
}

/**
 * @throws Problem INVALID; NOT_FOUND for a shop that the caller may not see; TOO_LARGE for more rows, or longer ones, than a file
 *   may have, because a file cannot say that it was cut off.
 */
async function exportView(
  { analytics, snapshot, rowsMax = ROWS_MAX, mibMax = MIB_MAX }: ExportsDeps,
  { principal, view, query }: ExportCall,
) {
  const fieldErrors = new FieldErrors()
  const moments = readRange(query, fieldErrors)
  const isByDay = view === 'v_campaign_days'
  for (const name of ['from', 'to'] as const) {
    fieldErrors.check(
      !isByDay || 'day' in moments[name],
      `querystring/${name}`,
      'must be a date, because rows are days',
    )
  }
  fieldErrors.throwIfAny()
  const { range } = rangeIn(snapshot, principal, { shopId: query.shopId, ...moments })
  const params = isByDay ? { ...range, from: query.from, to: query.to } : { ...range }
  const rows = isByDay
    ? `FROM (${campaignDaysSql(AROUND_DAYS_SQL)}) WHERE ${DAYS_SQL}`
    : `FROM ${view} WHERE ${MOMENTS_SQL}`
  const settings = `SETTINGS max_execution_time = ${EXECUTION_MAX_SECONDS}`

  const [found] = await analytics.query<{ rows: number }>(`SELECT toInt64(count()) AS rows ${rows} ${settings}`, params)
  if (found!.rows > rowsMax) {
    throw new Problem(
      'TOO_LARGE',
      `The period has ${found!.rows} rows, but a file can have at most ${rowsMax}: choose a shorter period`,
    )
  }
  const [size] = await analytics.query<{ bytes: number }>(
    `SELECT toInt64(sum(byteSize(*))) AS bytes ${rows} ${settings}`,
    params,
  )
  if (size!.bytes > mibMax * MIB) {
    throw new Problem(
      'TOO_LARGE',
      `The rows of the period take ${Math.ceil(size!.bytes / MIB)} MiB, but a file can have at most ${mibMax}: choose a shorter period`,
    )
  }
  return analytics.queryParquet(`SELECT * ${rows} ORDER BY ${isByDay ? 'shopDay' : 'occurredAt'} ${settings}`, params)
}

const DAYS_SQL = 'shopDay >= toDate({from:String}) AND shopDay < toDate({to:String})'
/** Holds for all that happened on these days: a day begins less than a day before or after that of UTC. */
const AROUND_DAYS_SQL = `shopId = {shopId:String} AND occurredAt >= toDateTime64(toDate({from:String}), 3, 'UTC') - toIntervalDay(1)
  AND occurredAt < toDateTime64(toDate({to:String}), 3, 'UTC') + toIntervalDay(1)`
const MOMENTS_SQL = `shopId = {shopId:String} AND occurredAt >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
  AND occurredAt < fromUnixTimestamp64Milli({to:Int64}, 'UTC')`

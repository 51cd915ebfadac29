import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Options, stringify } from 'csv-stringify'
import type { FastifyReply } from 'fastify'

/** Rows written at once. Other requests are answered in between. */
const ROWS_PER_TURN = 200

/** Answers with a table as a file. The result is typed as `never`, because the route's schema describes the JSON answer. */
export const sendCsv = (reply: FastifyReply, fileName: string, table: Readable) =>
  reply
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .type('text/csv; charset=utf-8')
    .send(table) as never

/**
 * A table in CSV (RFC 4180): the names of the columns, then the rows' properties of those names, null as an empty cell.
 * Text that a spreadsheet would take for a formula gets a ' before it: it may come from strangers.
 * @param cast how values of a type are written, where not as text.
 */
export function csvOf(columns: readonly string[], rows: Iterable<object>, cast: Options['cast'] = {}): Readable {
  const table = stringify({
    header: true,
    columns: [...columns],
    record_delimiter: 'windows',
    escape_formulas: true,
    cast,
  })
  return Readable.from(inTurns(rows)).pipe(table)
}

/** One line of JSON for each row (NDJSON). */
export function ndjsonOf(rows: Iterable<object>): Readable {
  return Readable.from(jsonLines(rows))
}

async function* jsonLines(rows: Iterable<object>) {
  for await (const row of inTurns(rows)) yield `${JSON.stringify(row)}\n`
}

async function* inTurns(rows: Iterable<object>) {
  let written = 0
  for (const row of rows) {
    yield row
    if (++written % ROWS_PER_TURN === 0) await nextTurn()
  }
}

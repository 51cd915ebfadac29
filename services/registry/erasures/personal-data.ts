import type { Analytics } from '../../../infra/analytics/port.ts'
import {
  type LinkedRow,
  linkedIdentifiersQuery,
  type PageSpec,
  type PersonalRow,
  type PersonSpec,
  personalDataOf,
  personalDataParts,
  personalDataQuery,
} from '../../../infra/analytics/queries/people/personal-data.ts'
import { readEndedUntil } from '../../../infra/analytics/retention/ended-identifiers.ts'
import { createSlices } from '../../../infra/threads/slices.ts'
import { toIso } from '../resources/conversions.ts'

/** Rows that are held in memory at once, some megabytes. Each page makes the store look through the times that are left. */
const ROWS_PER_PAGE = 5_000
/** An ad request with many ads takes some 10 KB. */
const AD_REQUESTS_PER_PAGE = 500

/**
 * What the tables hold under an identifier, as a JSON document in pieces of at most a page of rows. A page is read when the piece
 * before it has been taken, and nothing is given out before the store has answered for the first time.
 * @param exportedAt when the reading begins, UTC epoch milliseconds.
 */
export async function* personalDataDocument(
  analytics: Pick<Analytics, 'query'>,
  person: PersonSpec,
  { exportedAt, pageRows }: { exportedAt: number; pageRows?: number },
): AsyncGenerator<string> {
  const { shopId, identifier } = person
  const query = <Row extends object>({ sql, params }: ReturnType<typeof linkedIdentifiersQuery>) =>
    analytics.query<Row>(sql, params)
  const endedUntil = await readEndedUntil(analytics)
  const identifiersSince = endedUntil === 0 ? null : toIso(endedUntil)
  const head = JSON.stringify({ shopId, identifier, exportedAt: toIso(exportedAt), identifiersSince }).slice(0, -1)
  yield* list(`${head},"linked":`, {
    pageRows: pageRows ?? ROWS_PER_PAGE,
    read: (page: PageSpec<LinkedRow>) => query<LinkedRow>(linkedIdentifiersQuery(person, page)),
    shown: ({ firstSeenAt, ...pair }) => ({ ...pair, firstSeenAt: toIso(firstSeenAt) }),
  })
  for (const part of personalDataParts) {
    yield* list(`,"${part}":`, {
      pageRows: pageRows ?? (part === 'adRequests' ? AD_REQUESTS_PER_PAGE : ROWS_PER_PAGE),
      read: (page: PageSpec<PersonalRow>) => query<PersonalRow>(personalDataQuery(part, person, page)),
      shown: (row) => personalDataOf(part, row),
    })
  }
  yield '}'
}

interface Rows<Row> {
  pageRows: number
  read: (page: PageSpec<Row>) => Promise<Row[]>
  shown: (row: Row) => object
}

/** A JSON array of rows, below what comes before it in the document. */
async function* list<Row>(before: string, { pageRows, read, shown }: Rows<Row>): AsyncGenerator<string> {
  let start = `${before}[`
  let after: Row | null = null
  do {
    const rows: Row[] = await read({ after, limit: pageRows })
    if (rows.length > 0 || after === null) yield start + (await written(rows, shown))
    start = ','
    after = rows.length < pageRows ? null : rows.at(-1)!
  } while (after !== null)
  yield ']'
}

/** The rows as JSON, written in time slices. */
async function written<Row>(rows: readonly Row[], shown: (row: Row) => object): Promise<string> {
  const slices = createSlices()
  const texts: string[] = []
  for (const row of rows) {
    if (slices.isOver()) await slices.next()
    texts.push(JSON.stringify(shown(row)))
  }
  return texts.join(',')
}

import type { Analytics } from '../../infra/analytics/port.ts'
import { readClosedUntil } from '../../infra/analytics/retention/closed-months.ts'
import type { Places } from './replacement-table.ts'
import { type Fingerprint, type TableProof, tableProof } from './table-proof.ts'

const HASH_RANGE = 2n ** 64n
/** A row as text, with all columns except `version`. */
const ROW = `formatRowNoNewline('JSONEachRow', COLUMNS('^') EXCEPT (version))`

/**
 * Compares the rows of two tables with the same columns, in any order. The rows before the offsets `ends` no longer change, so they are
 * compared at once, before the sink is paused. In tables whose rows replace older ones, the rows before an offset are not a fixed
 * set, so those tables are compared whole, while the sink is paused. Of a table that forgets rows by itself, the new one may have
 * more rows. Of ad requests, only months that are not closed are compared.
 * @returns a function that resolves to the proof. Call it while the sink is paused.
 */
export async function compareTables(
  analytics: Analytics,
  before: string,
  after: string,
  ends: Places,
): Promise<() => Promise<TableProof>> {
  const [kind] = await analytics.query<{ replaces: boolean; forgets: boolean }>(
    `SELECT match(engine, '(Replacing|Aggregating)') AS replaces, position(create_table_query, ' TTL ') > 0 AS forgets
     FROM system.tables WHERE database = currentDatabase() AND name = {before:String}`,
    { before },
  )
  const { replaces, forgets } = kind!
  const closedUntil = before === 'emissions' ? await readClosedUntil(analytics) : Number.NEGATIVE_INFINITY
  const isOpen = Number.isFinite(closedUntil) ? ` AND occurredAt >= ${closedUntil}` : ''
  const prove = async () => {
    const limits = replaces
      ? ['']
      : [...ends].map(([at, end]) => `WHERE _partition = ${at} AND _offset < ${end}${isOpen}`)
    const final = replaces ? 'FINAL' : ''
    const [held, made] = [await sum(analytics, before, final, limits), await sum(analytics, after, final, limits)]
    const proof = tableProof(before, held, made)
    return forgets ? { ...proof, equal: await hasAll(analytics, before, after, limits) } : proof
  }
  if (replaces) return prove
  const proof = await prove()
  return async () => proof
}

async function sum(
  analytics: Analytics,
  table: string,
  final: string,
  limits: readonly string[],
): Promise<Fingerprint> {
  let rows = 0
  let hash = 0n
  for (const limit of limits) {
    const [part] = await analytics.query<{ rows: number; hash: string }>(
      `SELECT count() AS rows, toString(sum(cityHash64(row))) AS hash FROM (SELECT ${ROW} AS row FROM ${table} ${final} ${limit})`,
    )
    rows += part!.rows
    hash = (hash + BigInt(part!.hash)) % HASH_RANGE
  }
  return { rows, hash: hash.toString(16).padStart(16, '0') }
}

async function hasAll(
  analytics: Analytics,
  before: string,
  after: string,
  limits: readonly string[],
): Promise<boolean> {
  for (const limit of limits) {
    const [{ missing }] = (await analytics.query<{ missing: number }>(
      `SELECT count() AS missing FROM (SELECT cityHash64(${ROW}) AS row FROM ${before} ${limit})
       WHERE row NOT IN (SELECT cityHash64(${ROW}) FROM ${after} ${limit})`,
    )) as [{ missing: number }]
    if (missing > 0) return false
  }
  return true
}

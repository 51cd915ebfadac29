import { readdirSync, readFileSync } from 'node:fs'
import { OperatorError } from '../../services/domain/errors.ts'
import type { Analytics } from './port.ts'
import { defineViews, viewsVersion } from './views.ts'

const MIGRATIONS = new URL('./migrations/', import.meta.url)
const END_OF_STATEMENT = /;\s*$/m
/** Ends the name of a file whose tables a version that does not know it would damage. Other files may be unknown to an earlier version. */
const BREAKING = '.breaking.sql'

/** What migrations need of the store. */
export type Migrated = Pick<Analytics, 'command' | 'query' | 'insert'>

/**
 * Brings the tables up to date: applies every file of `migrations/` once, in the order of their names, and then the views, once for
 * each of their versions. A crash may come before files are recorded as done, so running any file and those after it again must be
 * harmless: they use IF NOT EXISTS, and create nothing that a later file removes.
 * @returns the names of what was applied now.
 * @throws OperatorError when a later version has applied a breaking file.
 */
export async function migrate(analytics: Migrated): Promise<string[]> {
  await analytics.command('CREATE TABLE IF NOT EXISTS migrations (name String) ENGINE = MergeTree ORDER BY name')
  const done = new Set((await analytics.query<{ name: string }>('SELECT name FROM migrations')).map(({ name }) => name))
  const known = [...migrationFiles(), viewsVersion]
  const unknown = [...done].find((name) => name.endsWith(BREAKING) && !known.includes(name))
  if (unknown !== undefined) {
    throw new OperatorError(
      `A later version of the program has changed the tables of Analytics (${unknown}) in a way that this version would damage: start the later version again`,
    )
  }
  const pending = known.filter((name) => !done.has(name))
  for (const name of pending) {
    if (name === viewsVersion) await defineViews(analytics)
    else await applyFile(analytics, name)
  }
  // One insert for all: in a new database, twenty inserts would cost as much as creating all tables.
  const rows = pending.map((name) => ({ name }))
  if (rows.length > 0) await analytics.insert('migrations', rows, { token: pending.join() })
  return pending
}

async function applyFile(analytics: Migrated, name: string): Promise<void> {
  for (const statement of statementsIn(name)) await analytics.command(statement)
}

/** The statements of a file. */
export const statementsIn = (name: string): string[] => statementsOf(readFileSync(new URL(name, MIGRATIONS), 'utf8'))

export function migrationFiles(): string[] {
  return readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort()
}

/** Statements end with a semicolon at the end of a line; comments may stand anywhere. */
function statementsOf(sql: string): string[] {
  return sql
    .replace(/--.*$/gm, '')
    .split(END_OF_STATEMENT)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

/**
 * The name of the store, which is made at the first call and kept in a table: tables that are copied to another server bring it along.
 * @param newId makes a name that no other store has.
 */
export async function storeIdentity(
  analytics: Pick<Analytics, 'query' | 'insert'>,
  newId: () => string,
): Promise<string> {
  const found = await namedStore(analytics)
  if (found !== null) return found
  // Of processes that get here at once, the first names the store: an insert with a token that was seen stores nothing.
  await analytics.insert('store_identity', [{ id: newId() }], { token: 'identity' })
  return (await namedStore(analytics))!
}

/** The name of the store; null when it has none yet. */
export async function namedStore(analytics: Pick<Analytics, 'query'>): Promise<string | null> {
  const [row] = await analytics.query<{ id: string }>('SELECT id FROM store_identity LIMIT 1')
  return row?.id ?? null
}

import { quoted } from './params.ts'
import type { RowBlock } from './port.ts'

export interface InsertTarget {
  table: string
  /** What columns the table has. */
  columns: ReadonlySet<string>
  /** Of the rows' fields. */
  names: readonly string[]
  /** The table function that reads the rows. */
  source: string
  condition: string
}

/** What stands between INSERT INTO and FORMAT: the rows' fields that are columns of the table. */
export function insertTarget({ table, columns, names, source, condition }: InsertTarget): string {
  const list = names
    .filter((name) => columns.has(name))
    .map((name) => `\`${name}\``)
    .join(', ')
  return `${table} (${list}) SELECT ${list} FROM ${source} WHERE ${condition}`
}

/**
 * The argument of a table function that says what the bytes hold. The types are those of the bytes; where the table's differ, as
 * LowCardinality does, ClickHouse casts.
 */
export function structureOf(columns: RowBlock['columns']): string {
  return quoted(columns.map(({ name, type }) => `\`${name}\` ${type}`).join(', '))
}

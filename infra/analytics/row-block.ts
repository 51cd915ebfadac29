import { quoted } from './params.ts'
import type { RowBlock } from './port.ts'

export interface InsertTarget {
  table: string
  /** Columns of the table. */
  columns: ReadonlySet<string>
  /** Names of the rows' fields. */
  names: readonly string[]
  /** The table function that reads the rows. */
  source: string
  condition: string
}

/** The text between INSERT INTO and FORMAT. It names those fields of the rows that are columns of the table. */
export function insertTarget({ table, columns, names, source, condition }: InsertTarget): string {
  const list = names
    .filter((name) => columns.has(name))
    .map((name) => `\`${name}\``)
    .join(', ')
  return `${table} (${list}) SELECT ${list} FROM ${source} WHERE ${condition}`
}

/**
 * The argument of a table function that describes the bytes. The types are those of the bytes; ClickHouse casts them where the
 * table's types differ, such as LowCardinality.
 */
export function structureOf(columns: RowBlock['columns']): string {
  return quoted(columns.map(({ name, type }) => `\`${name}\` ${type}`).join(', '))
}

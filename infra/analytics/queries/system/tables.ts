import type { Analytics } from '../../port.ts'

/** The name of a table in `system.tables`. On a cluster, a server's local part stands for the table. */
export const TABLE_NAME = "replaceRegexpOne(name, '_local$', '')"

/** The tables that have rows, on any server; except the list of migrations, which every server has. */
export async function tablesWithRows(analytics: Pick<Analytics, 'query'>): Promise<string[]> {
  const tables = await analytics.query<{ name: string }>(
    `SELECT ${TABLE_NAME} AS name FROM system.tables
     WHERE database = currentDatabase() AND endsWith(engine, 'MergeTree') AND name != 'migrations' ORDER BY name`,
  )
  const found: string[] = []
  // Counted, and one after the other: a distributed query that ends at its first row can bring a server down beside many others.
  for (const { name } of tables) {
    const [counted] = await analytics.query<{ rows: number }>(`SELECT toInt64(count()) AS rows FROM ${name}`)
    if (counted!.rows > 0) found.push(name)
  }
  return found
}

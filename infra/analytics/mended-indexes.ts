import { type Analytics, AnalyticsRejected, AnalyticsUnavailable } from './port.ts'

/** In ClickHouse's message that a file has the wrong size: `<folder of the table>/<part>/skp_idx_<index>.cmrk4`. */
const DAMAGED_FILE = /marks file '([^']*\/)([0-9A-Za-z]+)_\w+\/skp_idx_([A-Za-z]\w*)\./

/** The skip index of one partition of a table. */
interface IndexOfPartition {
  tableFolder: string
  partitionId: string
  index: string
}

interface MendingLogger {
  warn(details: object, message: string): void
}

/**
 * Makes damaged skip indexes again. When a disk is full, ClickHouse may keep a merged part whose index has an empty file, and then
 * refuses every query that looks at the part. The rows are whole, and the index is made of them, so a query that meets such an index
 * has it dropped and made again, and fails with AnalyticsUnavailable: the same query works later.
 */
export function withMendedIndexes(analytics: Analytics, logger: MendingLogger): Analytics {
  let mending: Promise<boolean> | null = null

  async function mended(error: unknown): Promise<never> {
    const damaged = error instanceof AnalyticsRejected ? damagedIndexOf(error.message) : null
    if (damaged === null) throw error
    mending ??= makeAgain(analytics, damaged, logger).finally(() => {
      mending = null
    })
    if (!(await mending)) throw error
    throw new AnalyticsUnavailable(`The index ${damaged.index} was damaged and is being made again`, { cause: error })
  }

  return {
    ...analytics,
    query: <Row extends object>(...of: Parameters<Analytics['query']>) => analytics.query<Row>(...of).catch(mended),
    queryParquet: (...of) => analytics.queryParquet(...of).catch(mended),
    command: (...of) => analytics.command(...of).catch(mended),
    ...(analytics.onOneServer && {
      onOneServer: async () => withMendedIndexes(await analytics.onOneServer!(), logger),
    }),
  }
}

function damagedIndexOf(message: string): IndexOfPartition | null {
  const [, tableFolder, partitionId, index] = DAMAGED_FILE.exec(message) ?? []
  return tableFolder ? { tableFolder, partitionId: partitionId!, index: index! } : null
}

/** @returns false when the server that was asked has no such table: it is another server of a cluster that has it. */
async function makeAgain(analytics: Analytics, damaged: IndexOfPartition, logger: MendingLogger): Promise<boolean> {
  const { tableFolder, partitionId, index } = damaged
  const sql = `SELECT name FROM system.tables WHERE database = currentDatabase() AND has(data_paths, {tableFolder:String})`
  const server = (await analytics.onOneServer?.()) ?? analytics
  const [table] = await server.query<{ name: string }>(sql, { tableFolder })
  if (!table) return false
  logger.warn({ table: table.name, partitionId, index }, 'a skip index is damaged; it is made again')
  const inPartition = `INDEX ${index} IN PARTITION ID '${partitionId}'`
  // Without the index queries read more, and answer. To make it may take minutes, for which nobody waits.
  await server.command(`ALTER TABLE \`${table.name}\` CLEAR ${inPartition} SETTINGS mutations_sync = 1`)
  await server.command(`ALTER TABLE \`${table.name}\` MATERIALIZE ${inPartition} SETTINGS mutations_sync = 0`)
  return true
}

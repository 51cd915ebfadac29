import { type Analytics, AnalyticsDamaged, AnalyticsRejected, AnalyticsUnavailable } from './port.ts'
import { lookupTables } from './queries/attribution/lookups.ts'

/**
 * What ClickHouse says of a file that lacks bytes or has wrong ones. It also names a part when a query of it takes too much memory or
 * time, so the name of a part alone says nothing.
 */
const DAMAGE = new RegExp(
  [
    'Cannot read all data|Attempt to read after eof|No such file or directory|marks file',
    "Checksum doesn't match|corrupt|Unknown codec|Cannot decompress|Too large size_compressed",
  ].join('|'),
  'i',
)
/** Where a message says which part was read: the folder of the table, and the part. */
const PART_READ = /while reading from part (.+?\/)([\w-]+)\/ in table /
/** Where the message about a lost marks file does. */
const FILE_LOST = /No such file or directory \["(.+\/)([\w-]+)\/[^/"]+"\]/
/** A file of a skip index: `<folder of the table>/<part>/skp_idx_<index>.cmrk4`. */
const INDEX_FILE = /'([^']*\/)([\w-]+)\/skp_idx_([A-Za-z]\w*)\./

/** A part of a table that cannot be read. */
interface DamagedPart {
  tableFolder: string
  part: string
  /** The skip index whose file is damaged; null when the damage is in the rows. */
  index: string | null
}

interface MendingLogger {
  warn(details: object, message: string): void
}

/**
 * Mends parts whose files are damaged, as a full disk may leave them: ClickHouse then refuses every query that looks at the part.
 * - A skip index is made again from the rows.
 * - A part of a look-up table of attribution is dropped. Attribution finds the rows missing and copies them again.
 * - A part of a replicated table is left to ClickHouse, which fetches it from another server.
 * - A part of any other table stays, because its rows may be nowhere else. The error says where to read what to do.
 *
 * The query that met the damage fails with AnalyticsDamaged if a part stays damaged, else with AnalyticsUnavailable: the same query works
 * later.
 */
export function withMending(analytics: Analytics, logger: MendingLogger): Analytics {
  const underWay = new Map<string, Promise<Error | null>>()

  async function mended(error: unknown): Promise<never> {
    const damaged = error instanceof Error ? damagedPartIn(error) : null
    if (damaged === null) throw error
    const place = JSON.stringify(damaged)
    const mending = underWay.get(place) ?? mend(analytics, damaged, { logger, error: error as Error })
    underWay.set(place, mending)
    throw (await mending.finally(() => underWay.delete(place))) ?? error
  }

  return {
    ...analytics,
    query: <Row extends object>(...of: Parameters<Analytics['query']>) => analytics.query<Row>(...of).catch(mended),
    queryParquet: (...of) => analytics.queryParquet(...of).catch(mended),
    command: (...of) => analytics.command(...of).catch(mended),
    ...(analytics.onOneServer && {
      onOneServer: async () => withMending(await analytics.onOneServer!(), logger),
    }),
  }
}

function damagedPartIn(error: Error): DamagedPart | null {
  if (!(error instanceof AnalyticsRejected || error instanceof AnalyticsUnavailable)) return null
  const { message } = error
  if (!DAMAGE.test(message)) return null
  const [, indexFolder, indexPart, index] = INDEX_FILE.exec(message) ?? []
  if (indexFolder) return { tableFolder: indexFolder, part: indexPart!, index: index! }
  const [, tableFolder, part] = PART_READ.exec(message) ?? FILE_LOST.exec(message) ?? []
  return tableFolder ? { tableFolder, part: part!, index: null } : null
}

/** @returns what to tell the caller; null when no server knows the table. */
async function mend(
  analytics: Analytics,
  { tableFolder, part, index }: DamagedPart,
  { logger, error }: { logger: MendingLogger; error: Error },
): Promise<Error | null> {
  const place = await placeOf(analytics, tableFolder)
  if (place === null) return null
  const { server, name, engine } = place
  if (engine.startsWith('Replicated')) {
    return new AnalyticsUnavailable(`The part ${part} of ${name} is damaged and is fetched from another server`, {
      cause: error,
    })
  }
  if (index !== null) {
    await makeAgain(server, { table: name, part, index }, logger)
    return new AnalyticsUnavailable(`The index ${index} was damaged and is being made again`, { cause: error })
  }
  if (!lookupTables.includes(name.replace(/_local$/, ''))) {
    const remedy = 'docs/operating.md#damaged-tables says how to get its rows back'
    return new AnalyticsDamaged(`The part ${part} of ${name} is damaged: ${remedy}. ${error.message}`, { cause: error })
  }
  logger.warn({ table: name, part, reason: error.message }, 'a part of a look-up table is damaged; it is dropped')
  await server.command(`ALTER TABLE \`${name}\` DROP PART '${part}'`)
  return new AnalyticsUnavailable(`The part ${part} of ${name} was damaged and is dropped`, { cause: error })
}

/** The table whose parts are in that folder, and its server: the one that a query is sent to may read from others. */
async function placeOf(
  analytics: Analytics,
  tableFolder: string,
): Promise<{ server: Analytics; name: string; engine: string } | null> {
  const sql = `SELECT name, engine FROM system.tables WHERE database = currentDatabase() AND has(data_paths, {tableFolder:String})`
  for (const server of analytics.eachServer?.() ?? [analytics]) {
    // A server that is away is not the one that has met the damage.
    const [table] = await server.query<{ name: string; engine: string }>(sql, { tableFolder }).catch(() => [])
    if (table) return { server, ...table }
  }
  return null
}

async function makeAgain(
  server: Analytics,
  { table, part, index }: { table: string; part: string; index: string },
  logger: MendingLogger,
): Promise<void> {
  const partitionId = part.slice(0, part.indexOf('_'))
  logger.warn({ table, partitionId, index }, 'a skip index is damaged; it is made again')
  const inPartition = `INDEX ${index} IN PARTITION ID '${partitionId}'`
  // Without the index queries read more, and answer. To make it may take minutes, for which nobody waits.
  await server.command(`ALTER TABLE \`${table}\` CLEAR ${inPartition} SETTINGS mutations_sync = 1`)
  await server.command(`ALTER TABLE \`${table}\` MATERIALIZE ${inPartition} SETTINGS mutations_sync = 0`)
}

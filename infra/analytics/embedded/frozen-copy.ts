import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from 'chdb'
import { quoted } from '../params.ts'

const NAME = 'copy'
/** Folder in which the engine puts frozen parts. */
export const SHADOW = 'shadow'
/** Path of the frozen copy within the engine's folder. */
export const FROZEN_FOLDER = join(SHADOW, NAME)
/** Folders that hold only symbolic links, named after tables and databases. */
const LINKS = ['metadata', 'data']
const DEDUPLICATION_LOGS = 'deduplication_logs'

/**
 * Makes `FROZEN_FOLDER` a folder that an engine can open, with the rows that are stored now. The parts are hard links, which take
 * no space until the originals are merged. No other statement may write meanwhile.
 */
export async function freeze(session: Session, folder: string): Promise<void> {
  await discardFrozen(folder)
  const sql = `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name`
  const tables = (await session.queryAsync(sql, { format: 'TabSeparated' })).text().trim()
  for (const table of tables.split('\n')) {
    await session.queryAsync(`ALTER TABLE ${table} FREEZE WITH NAME ${quoted(NAME)}`, { format: 'Null' })
  }
  const frozen = join(folder, FROZEN_FOLDER)
  for (const links of LINKS)
    await cp(join(folder, links), join(frozen, links), { recursive: true, verbatimSymlinks: true })
  for (const prefix of await readdir(join(folder, 'store'))) {
    for (const id of await readdir(join(folder, 'store', prefix)))
      await copyPlainFiles(folder, join('store', prefix, id))
  }
}

/** Copies the files next to the parts of a table: definitions, and the deduplication tokens that it has seen. */
async function copyPlainFiles(folder: string, path: string): Promise<void> {
  const from = join(folder, path)
  const to = join(folder, FROZEN_FOLDER, path)
  // The folder of a dropped table may be removed meanwhile.
  const entries = await readdir(from, { withFileTypes: true }).catch(() => [])
  if (entries.length > 0) await mkdir(to, { recursive: true })
  for (const entry of entries) {
    const isWanted = entry.isFile() || entry.name === DEDUPLICATION_LOGS
    if (isWanted) await cp(join(from, entry.name), join(to, entry.name), { recursive: true })
  }
}

export async function discardFrozen(folder: string): Promise<void> {
  await rm(join(folder, SHADOW), { recursive: true, force: true })
}

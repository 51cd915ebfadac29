import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const OWNER_ONLY_UMASK = 0o077
const OWNER_ONLY_FOLDER = 0o700
/** The program's folders in the data folder. Other folders are left alone. */
export const STORES: readonly string[] = ['log', 'analytics', 'index', 'counters', 'spool', 'feeds', 'images']

/** Makes files written from now on readable by the process's user only: they hold events, keys and sessions. */
export function keepFilesPrivate(): void {
  process.umask(OWNER_ONLY_UMASK)
}

/** Creates the folder, and restricts access to folders that an earlier version left readable by others. */
export function prepareDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER })
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && STORES.includes(entry.name)) chmodSync(join(folder, entry.name), OWNER_ONLY_FOLDER)
  }
}

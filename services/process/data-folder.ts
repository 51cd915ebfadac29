import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const OWNER_ONLY_UMASK = 0o077
const OWNER_ONLY_FOLDER = 0o700
/** What the program keeps in the data folder. Other folders in it are not ours to change. */
const OURS = new Set(['log', 'analytics', 'index', 'counters', 'spool', 'feeds', 'images'])

/** Whatever this process writes from now on, its user alone may read: events, keys and sessions are in it. */
export function keepFilesPrivate(): void {
  process.umask(OWNER_ONLY_UMASK)
}

/** Makes the folder, and closes to others what an earlier version has left open. */
export function prepareDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER })
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && OURS.has(entry.name)) chmodSync(join(folder, entry.name), OWNER_ONLY_FOLDER)
  }
}

import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { OperatorError } from '../domain/errors.ts'

const OWNER_ONLY_UMASK = 0o077
const OWNER_ONLY_FOLDER = 0o700
/** The program's folders in the data folder. Other folders are left alone. */
export const STORES: readonly string[] = ['log', 'analytics', 'index', 'counters', 'spool', 'feeds', 'images', 'backup']

/** A file that exists in a data folder while it is being filled from a backup. */
export const UNFINISHED_RESTORE = 'restore-unfinished'
/** A file in a data folder whose log was copied into Kafka, at least in part: the id by which the copy knows this log. */
export const COPIED_LOG_ID = 'log-id'

const SQLITE_ERROR = 'ERR_SQLITE_ERROR'
/** What DATA_DIR must be when a file or folder in it cannot be used, by the code of the error. */
const FOLDER_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'a folder that is owned by the user of this process',
  EPERM: 'a folder that is owned by the user of this process',
  EROFS: 'a folder that can be written',
  ENOENT: 'a folder that can be made',
  ENOTDIR: 'a folder',
  EEXIST: 'a folder, with no files of others in it',
  ENOSPC: 'on a disk that has room',
  EDQUOT: 'on a disk that has room',
}

/** Makes an error of the file system, or of a SQLite file, that a start has met in its data folder name the setting. */
export function dataFolderError(error: Error & { code?: string; path?: string }, folder: string): Error {
  const { code = '', path = '', message } = error
  if (code === SQLITE_ERROR) return new OperatorError(`DATA_DIR: a file in ${folder} cannot be opened: ${message}`)
  const isInside = resolve(path).startsWith(resolve(folder))
  if (!isInside || !(code in FOLDER_PROBLEMS)) return error
  return new OperatorError(`DATA_DIR must be ${FOLDER_PROBLEMS[code]}: ${message}`)
}

/** Makes files that are written from now on readable by the process's user only: they hold events, keys and sessions. */
export function keepFilesPrivate(): void {
  process.umask(OWNER_ONLY_UMASK)
}

/**
 * To be called before anything in a data folder is opened, because parts of a log that was restored by half may look like a whole one.
 * @throws when a restore into the folder was not completed.
 */
export function throwIfHalfRestored(folder: string): void {
  if (!existsSync(join(folder, UNFINISHED_RESTORE))) return
  throw new OperatorError(`The restore into ${folder} was not completed: empty the folder and restore again`)
}

/** @throws when the folder's log goes on in Kafka: two programs would take events and bill apart from each other. */
export function throwIfCopied(folder: string): void {
  const mark = join(folder, COPIED_LOG_ID)
  if (!existsSync(mark)) return
  throw new OperatorError(
    `DATA_DIR: make migrate has copied the log in ${folder} into Kafka, where it goes on: set the addresses of the engines as for that command, and run it again if it has not ended. Only to give up the copy and go on here, delete ${mark}`,
  )
}

/**
 * Creates the folder, and restricts access to folders that an earlier version left readable by others.
 * @param holdsLog whether the folder's log is the one to work on, not one in Kafka.
 * @throws when a restore into the folder was not completed, or its log was copied into Kafka.
 */
export function prepareDataFolder(folder: string, holdsLog: boolean): void {
  throwIfHalfRestored(folder)
  if (holdsLog) throwIfCopied(folder)
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER })
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && STORES.includes(entry.name)) chmodSync(join(folder, entry.name), OWNER_ONLY_FOLDER)
  }
}

import { type FileHandle, lstat, open, readdir, readlink, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { OperatorError } from '../domain/errors.ts'
import { STORES } from '../process/data-folder.ts'
import { type ArchiveWriter, BACKUP_FORMAT, writeArchive } from './archive.ts'
import { flushFolder, freeBytes, megabytes } from './disk.ts'
import type { BackupSource } from './source.ts'

/** Suffix of a backup that is not complete. */
const UNFINISHED = '.part'
/** Folders that are copied as they are. Folders in neither list are rebuilt from the log, or do not belong to the program. */
const PLAIN_FOLDERS = ['spool']
const COUNTED_FOLDERS = ['log', 'analytics', 'feeds', ...PLAIN_FOLDERS]

/** The backup cannot be taken as requested; nothing was written. */
export class BackupRefused extends OperatorError {
  override readonly name = 'BackupRefused'
}

/**
 * Writes the log, and everything else in a data folder that cannot be rebuilt from the log, into one file. The file appears
 * under its name once it is complete and flushed to the disk.
 * @returns its size in bytes. @throws BackupRefused, and errors of the source and the disk.
 */
export async function takeBackup(options: {
  source: BackupSource
  dataFolder: string
  file: string
  /** UTC epoch milliseconds. */
  now: () => number
}): Promise<number> {
  const { source, dataFolder, now } = options
  const file = resolve(options.file)
  if (await exists(file)) throw new BackupRefused(`${file} already exists: name another file`)
  await throwIfAmongOwn(dataFolder, dirname(file))
  await checkSpace(dataFolder, dirname(file))
  const unfinished = `${file}${UNFINISHED}`
  const copier = new FileCopier(dataFolder)
  const head = { format: BACKUP_FORMAT, takenAt: new Date(now()).toISOString() }
  let hasBegun = false
  try {
    const log = await source.begin()
    hasBegun = true
    await writeArchive(unfinished, head, async (archive) => {
      await copier.logFile(archive, log.path)
      const { writeAhead, analyticsFolder, feedsFolder } = await source.take()
      await copier.logFile(archive, writeAhead.path, writeAhead.bytes)
      await source.logCopied()
      await copier.folder(archive, analyticsFolder, 'analytics')
      await copier.folder(archive, feedsFolder, 'feeds')
      for (const name of PLAIN_FOLDERS) if (await exists(join(dataFolder, name))) await copier.folder(archive, name)
      await copier.plainFiles(archive)
    })
    await source.end()
    await rename(unfinished, file)
    await flushFolder(dirname(file))
    return (await lstat(file)).size
  } catch (error) {
    // A backup that did not begin has written nothing: the file is that of another backup, which is still being taken.
    if (hasBegun) await rm(unfinished, { force: true })
    await source.end().catch(() => {})
    throw error
  } finally {
    await copier.close()
  }
}

class FileCopier {
  /** Files of the log, which stay open until `close`; file-copy.ts of the log says why. */
  readonly #ofLog: FileHandle[] = []
  readonly #dataFolder: string
  constructor(dataFolder: string) {
    this.#dataFolder = dataFolder
  }

  /** @param bytes how many bytes of the file belong to the copy. Default: all that it has now. */
  async logFile(archive: ArchiveWriter, path: string, bytes?: number): Promise<void> {
    if (bytes === 0) return
    const handle = await open(join(this.#dataFolder, path))
    this.#ofLog.push(handle)
    await addFile(archive, path, handle, bytes)
  }

  async file(archive: ArchiveWriter, path: string, name = path): Promise<void> {
    const handle = await open(join(this.#dataFolder, path))
    try {
      await addFile(archive, name, handle)
    } finally {
      await handle.close()
    }
  }

  async folder(archive: ArchiveWriter, path: string, name = path): Promise<void> {
    const entries = await readdir(join(this.#dataFolder, path), { withFileTypes: true })
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const from = join(path, entry.name)
      const to = join(name, entry.name)
      if (entry.isDirectory()) await this.folder(archive, from, to)
      else if (entry.isSymbolicLink()) await archive.link(to, await readlink(join(this.#dataFolder, from)))
      else if (entry.isFile()) await this.file(archive, from, to)
    }
  }

  /** Copies the keys and all other files that are next to the folders. */
  async plainFiles(archive: ArchiveWriter): Promise<void> {
    for (const entry of await readdir(this.#dataFolder, { withFileTypes: true })) {
      if (entry.isFile()) await this.file(archive, entry.name)
    }
  }

  async close(): Promise<void> {
    for (const handle of this.#ofLog) await handle.close()
  }
}

async function addFile(archive: ArchiveWriter, name: string, handle: FileHandle, bytes?: number): Promise<void> {
  const size = bytes ?? (await handle.stat()).size
  const content =
    size === 0 ? Readable.from([]) : handle.createReadStream({ start: 0, end: size - 1, autoClose: false })
  await archive.file(name, size, content)
}

/**
 * Refuses the data folder itself, whose files are part of every backup, so that each backup would contain the earlier ones, and the
 * program's folders in it, some of which are emptied.
 */
async function throwIfAmongOwn(dataFolder: string, target: string): Promise<void> {
  const folder = await realpath(target).catch((error: Error) => {
    throw new BackupRefused(`${target} cannot be written to: ${error.message}`)
  })
  const [first] = relative(await realpath(dataFolder), folder).split(sep)
  if (first !== '' && !STORES.includes(first!)) return
  throw new BackupRefused(`${target} is one of the program's own folders: name a file in another one`)
}

/** Requires the space of the uncompressed files, although the backup will be smaller. */
async function checkSpace(dataFolder: string, target: string): Promise<void> {
  let needed = 0
  for (const name of COUNTED_FOLDERS) needed += await bytesIn(join(dataFolder, name))
  const free = await freeBytes(target)
  if (free >= needed) return
  throw new BackupRefused(`${target} has ${megabytes(free)} free, but the backup may need ${megabytes(needed)}`)
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  let bytes = 0
  for (const entry of entries) {
    if (!entry.isFile()) continue
    bytes += await lstat(join(entry.parentPath, entry.name)).then(
      ({ size }) => size,
      () => 0,
    )
  }
  return bytes
}

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  )

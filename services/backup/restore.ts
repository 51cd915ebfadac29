import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '../domain/errors.ts'
import { UNFINISHED_RESTORE } from '../process/data-folder.ts'
import { type ArchiveEntry, type BackupHead, BackupUnreadable, readArchive } from './archive.ts'
import { flushFolder, freeBytes, megabytes } from './disk.ts'

const OWNER_ONLY_FOLDER = 0o700
const OWNER_ONLY = 0o600
/** What a file system puts into every new volume. A folder with nothing else counts as empty. */
const OF_VOLUMES = ['lost+found']

/** The backup cannot be restored there; nothing was written. */
export class RestoreRefused extends OperatorError {
  override readonly name = 'RestoreRefused'
}

/**
 * Fills an empty data folder from a backup. The whole backup is read and its checksums are compared before anything is written. Until
 * `prepare` has resolved, no program starts on the folder.
 * @param prepare does what else is to be done in the folder.
 * @throws RestoreRefused, BackupUnreadable
 */
export async function restoreBackup(options: {
  file: string
  dataFolder: string
  prepare: () => Promise<void>
}): Promise<BackupHead> {
  const { file, dataFolder, prepare } = options
  await throwUnlessEmpty(dataFolder)
  let bytes = 0
  const head = await readArchive(file, async ({ size, content }) => {
    bytes += size
    for await (const _ of content);
  })
  await mkdir(dataFolder, { recursive: true, mode: OWNER_ONLY_FOLDER })
  const free = await freeBytes(dataFolder)
  if (free < bytes)
    throw new RestoreRefused(`${dataFolder} has ${megabytes(free)} free, but ${megabytes(bytes)} are needed`)

  const mark = join(dataFolder, UNFINISHED_RESTORE)
  await writeFile(mark, '', { flush: true })
  await flushFolder(dataFolder)
  const folders = new Set([dataFolder])
  await readArchive(file, (entry) => unpack(entry, dataFolder, folders))
  for (const folder of folders) await flushFolder(folder)
  await prepare()
  await rm(mark)
  await flushFolder(dataFolder)
  return head
}

async function throwUnlessEmpty(folder: string): Promise<void> {
  const names = (await readdir(folder).catch(noneWhereMissing)).filter((name) => !OF_VOLUMES.includes(name))
  if (names.length === 0) return
  const why = names.includes(UNFINISHED_RESTORE) ? 'holds a restore that did not end' : 'is not empty'
  throw new RestoreRefused(`${folder} ${why}: remove what is in it, or name another folder in DATA_DIR`)
}

function noneWhereMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code !== 'ENOENT') throw error
  return []
}

/** @param folders known folders. Those that are created are added. */
async function unpack({ name, linkTarget, content }: ArchiveEntry, root: string, folders: Set<string>): Promise<void> {
  const path = inside(root, join(root, name), name)
  const folder = dirname(path)
  if (!folders.has(folder)) await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER })
  for (let each = folder; !folders.has(each); each = dirname(each)) folders.add(each)
  if (linkTarget === null) {
    await pipeline(content, createWriteStream(path, { flags: 'wx', mode: OWNER_ONLY, flush: true }))
  } else {
    inside(root, resolve(folder, linkTarget), name)
    await symlink(linkTarget, path)
  }
}

/** Refuses entries outside of the folder, because anybody may have made the archive. */
function inside(root: string, path: string, name: string): string {
  const from = relative(resolve(root), resolve(path))
  const isInside = from !== '' && from !== '..' && !from.startsWith(`..${sep}`) && !isAbsolute(from)
  if (!isInside) throw new BackupUnreadable(`The backup names a file outside of the data folder: ${name}`)
  return path
}

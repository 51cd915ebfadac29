import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { extract, type Header, type Pack, pack } from 'tar-stream'
import { OperatorError } from '../domain/errors.ts'

/**
 * A backup is a tar file compressed with zstd. Its first entry says what the file is. Its last entry has the SHA-256 of every
 * file in between, in the format of sha256sum; a backup without it is cut off.
 */
const HEAD = 'endcap-backup.json'
const SUMS = 'endcap-backup.sha256'
export const BACKUP_FORMAT = 1
const OWNER_ONLY = 0o600
/** A fast level. It shrinks the log to a third; Analytics is compressed already. */
const COMPRESSION_LEVEL = 1
const HEAD_MAX_BYTES = 64 * 1024
const SUMS_MAX_BYTES = 256 * 1024 * 1024

export interface BackupHead {
  format: number
  /** UTC, ISO 8601. */
  takenAt: string
}

/** The file is not a complete backup, or this version cannot read it. */
export class BackupUnreadable extends OperatorError {
  override readonly name = 'BackupUnreadable'
}

/** @returns once the archive is complete and flushed to the disk. Whatever `write` throws leaves it incomplete. */
export async function writeArchive(
  path: string,
  head: BackupHead,
  write: (to: ArchiveWriter) => Promise<void>,
): Promise<void> {
  const tar = pack()
  const zstd = createZstdCompress({
    params: {
      [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  })
  const written = pipeline(tar, zstd, createWriteStream(path, { mode: OWNER_ONLY, flush: true }))
  const fill = async () => {
    await addText(tar, HEAD, `${JSON.stringify(head)}\n`)
    const writer = new ArchiveWriter(tar)
    await write(writer)
    await addText(tar, SUMS, writer.sums.map(([hash, name]) => `${hash}  ${name}\n`).join(''))
    tar.finalize()
  }
  const filled = fill().catch((error) => {
    tar.destroy(error)
    throw error
  })
  // An error that ends one of them also ends the other.
  await Promise.all([filled, written])
}

export class ArchiveWriter {
  readonly sums: [hash: string, name: string][] = []
  readonly #tar: Pack
  constructor(tar: Pack) {
    this.#tar = tar
  }

  /** @param content of exactly this size. */
  async file(name: string, size: number, content: Readable): Promise<void> {
    const hash = createHash('sha256')
    await pipeline(hashed(content, hash), this.#tar.entry({ name, size, mode: OWNER_ONLY }))
    this.sums.push([hash.digest('hex'), name])
  }

  link(name: string, target: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#tar.entry({ name, type: 'symlink', linkname: target }, (error) => (error ? reject(error) : resolve()))
    this.sums.push([createHash('sha256').update(target).digest('hex'), name])
    return promise
  }
}

type Entry = AsyncIterable<unknown> & { header: Header }

/** An entry of an archive. The `content` of a file must be read. */
export interface ArchiveEntry {
  name: string
  size: number
  /** Null for a file. */
  linkTarget: string | null
  content: Readable
}

/**
 * Reads an archive to its end and compares all checksums.
 * @param take gets the entries in order. An entry may be damaged until `readArchive` has resolved.
 * @returns its head. @throws BackupUnreadable
 */
export async function readArchive(path: string, take: (entry: ArchiveEntry) => Promise<void>): Promise<BackupHead> {
  const tar = extract()
  const read = pipeline(createReadStream(path), createZstdDecompress(), tar)
  let head: BackupHead | null = null
  let expected: string | null = null
  let found = ''
  let failure: unknown
  const takeOrNote = (entry: ArchiveEntry) =>
    take(entry).catch((error) => {
      failure = error
      throw error
    })
  try {
    for await (const entry of tar) {
      if (expected !== null) throw new BackupUnreadable(`${path} has more data after the end of the backup`)
      const { name } = entry.header
      if (head === null) head = headOf(path, name, await textOf(entry, HEAD_MAX_BYTES))
      else if (name === SUMS) expected = await textOf(entry, SUMS_MAX_BYTES)
      else found += `${await hashOf(path, entry, takeOrNote)}  ${name}\n`
    }
    await read
  } catch (error) {
    read.catch(() => {})
    tar.destroy()
    throw failure ?? unreadable(path, error as Error)
  }
  if (head === null) throw new BackupUnreadable(`${path} is not a backup of Endcap`)
  if (expected === null) throw new BackupUnreadable(`${path} is incomplete`)
  if (expected !== found) throw new BackupUnreadable(`${path} is damaged: a checksum is wrong`)
  return head
}

async function hashOf(path: string, entry: Entry, take: (entry: ArchiveEntry) => Promise<void>): Promise<string> {
  const { name, size, type, linkname } = entry.header
  const linkTarget = type === 'symlink' ? linkname! : null
  const hash = createHash('sha256')
  const content = Readable.from(hashed(contentOf(path, entry), hash), { objectMode: false })
  if (linkTarget !== null) content.resume()
  await take({ name, size: size ?? 0, linkTarget, content })
  if (linkTarget !== null) return createHash('sha256').update(linkTarget).digest('hex')
  return hash.digest('hex')
}

/** The content of an entry. A read fails with an error about the backup file, instead of one from the library that unpacks it. */
async function* contentOf(path: string, entry: Entry): AsyncGenerator<unknown> {
  try {
    yield* entry
  } catch (error) {
    throw unreadable(path, error as Error)
  }
}

function headOf(path: string, name: string, text: string): BackupHead {
  if (name !== HEAD) throw new BackupUnreadable(`${path} is not a backup of Endcap`)
  const head = JSON.parse(text) as BackupHead
  if (head.format === BACKUP_FORMAT) return head
  throw new BackupUnreadable(
    `${path} is a backup of format ${head.format}, but this version reads format ${BACKUP_FORMAT}: restore it with the ` +
      'version that made it, or a later one',
  )
}

/** An error that is not of the file system means that the content of the file is wrong. */
function unreadable(path: string, error: Error): Error {
  if (error instanceof BackupUnreadable) return error
  const { syscall } = error as NodeJS.ErrnoException
  const why = syscall === undefined ? 'is damaged, incomplete or not a backup' : 'cannot be read'
  return new BackupUnreadable(`${path} ${why}: ${error.message}`)
}

async function* hashed(content: AsyncIterable<unknown>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    hash.update(chunk as Buffer)
    yield chunk as Buffer
  }
}

async function textOf(entry: Entry, maxBytes: number): Promise<string> {
  if ((entry.header.size ?? 0) > maxBytes) throw new Error(`${entry.header.name} is too large`)
  const chunks: Buffer[] = []
  for await (const chunk of entry) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function addText(tar: Pack, name: string, text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  tar.entry({ name, mode: OWNER_ONLY }, text, (error) => (error ? reject(error) : resolve()))
  return promise
}

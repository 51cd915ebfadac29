import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { EventLog, LogRecord } from '../../../infra/event-log/port.ts'
import { decode } from '../../../schemas/wire/codec.ts'

/** The content of images on this machine's disk. It is a copy of the topic `images`, so it may be lost at any time. */
export interface ImageFiles {
  /** Writes the images that are in the log but not on disk. Resolves when all that were in the log at the call are on disk. */
  catchUp(): Promise<void>
  /** The content of an image; null when it is not on disk. One that has disappeared from there soon is again, with all others. */
  read(id: string): Promise<Readable | null>
}

const TOPIC = 'images'
const PARTITION = 0
/** Records read at once; each is at most a mebibyte. */
const RECORDS_PER_READ = 8
/** Holds the offset of the next record to write. */
const POSITION_FILE = 'position'
/** Suffix of a file that is being written. */
const UNFINISHED = '.part'

/**
 * Copies the topic into a folder, and catches up when asked to. Reading begins where the last run ended, or at the start of the
 * topic when any of `expected` (the ids of all images) is missing.
 */
export async function openImageFiles(deps: {
  log: Pick<EventLog, 'bounds' | 'read'>
  folder: string
  expected: Iterable<string>
}): Promise<ImageFiles> {
  const { log, folder } = deps
  await mkdir(folder, { recursive: true })
  const names = await readdir(folder)
  for (const name of names) if (name.endsWith(UNFINISHED)) await rm(join(folder, name), { force: true })
  const present = new Set(names)
  const isWhole = [...deps.expected].every((id) => present.has(id))
  let position = isWhole ? await readPosition() : 0
  let queue: Promise<unknown> = Promise.resolve()

  async function readPosition(): Promise<number> {
    const text = await readFile(join(folder, POSITION_FILE), 'utf8').catch(() => '0')
    return Number.parseInt(text, 10) || 0
  }

  /** Writes the whole file or nothing, even when the machine stops in between. */
  async function writeWhole(name: string, content: Buffer | string): Promise<void> {
    await writeFile(join(folder, name + UNFINISHED), content, { flush: true })
    await rename(join(folder, name + UNFINISHED), join(folder, name))
  }

  async function writeImage({ value }: LogRecord): Promise<void> {
    if (!value) return
    const { id, bytes } = decode('Image', value)
    if (present.has(id)) return
    await writeWhole(id, bytes)
    present.add(id)
  }

  async function follow(): Promise<void> {
    const bounds = await log.bounds(TOPIC)
    const { start, end } = bounds[PARTITION]!
    // A position past the end of the log is that of another log, so the topic is read from its start.
    let at = position > end ? start : Math.max(position, start)
    while (at < end) {
      const records = await log.read(TOPIC, PARTITION, at, RECORDS_PER_READ)
      for (const record of records) await writeImage(record)
      at = records.length > 0 ? records.at(-1)!.offset + 1 : end
    }
    if (at === position) return
    await writeWhole(POSITION_FILE, String(at))
    position = at
  }

  /** Writes again what has disappeared from the folder. After a failure, it still counts as present, so that the next read retries. */
  async function restore(): Promise<void> {
    await mkdir(folder, { recursive: true })
    const lost = present.difference(new Set(await readdir(folder)))
    if (lost.size === 0) return
    for (const name of lost) present.delete(name)
    position = 0
    try {
      await follow()
    } catch (error) {
      for (const name of lost) present.add(name)
      throw error
    }
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = queue.then(work)
    queue = done.catch(() => {})
    return done
  }

  const files: ImageFiles = {
    catchUp: () => inTurn(follow),
    async read(id) {
      if (!present.has(id)) return null
      const handle = await open(join(folder, id)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') void inTurn(restore).catch(() => {})
        return null
      })
      return handle?.createReadStream() ?? null
    },
  }
  await files.catchUp()
  return files
}

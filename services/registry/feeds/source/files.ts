import { createWriteStream } from 'node:fs'
import { link, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Problem } from '../../../domain/errors.ts'
import { FeedFailure } from '../failure.ts'
import { DOWNLOAD_BYTES_MAX, limited } from './fetch.ts'

/** Limit of an uploaded file that is kept to be read again. Each feed may have one. */
const KEPT_BYTES_MAX = 64 * 1024 ** 2

/** The files of runs: content that is to be read, the last upload of each feed, and the removals of held runs. */
export interface FeedFiles {
  contentPath(runId: string): string
  heldPath(runId: string): string
  /**
   * Stores an upload durably.
   * @param take called with the number of bytes before each part is stored; what it throws refuses the upload.
   * @throws Problem TOO_LARGE, UNAVAILABLE, and what the body fails with.
   */
  receive(runId: string, body: Readable, take: (bytes: number) => void): Promise<void>
  hasContent(runId: string): Promise<boolean>
  /** 0 when there is none. */
  contentBytes(runId: string): Promise<number>
  /** Whether the content of a run is small enough to be kept until the next one. */
  mayKeep(runId: string): Promise<boolean>
  /** Makes the content of a run the content of another run as well. */
  share(fromRunId: string, toRunId: string): Promise<void>
  /** Removes the content and the removals of a run. */
  remove(runId: string): Promise<void>
  removeContent(runId: string): Promise<void>
  removeHeld(runId: string): Promise<void>
  /** Removes the files of all other runs. */
  keepOnly(runIds: ReadonlySet<string>): Promise<void>
}

export async function openFeedFiles(folder: string, bytesMax = DOWNLOAD_BYTES_MAX): Promise<FeedFiles> {
  await mkdir(folder, { recursive: true })
  const contentPath = (runId: string) => join(folder, `${runId}.content`)
  const heldPath = (runId: string) => join(folder, `${runId}.held`)

  async function syncFolder(): Promise<void> {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }

  /** Null when there is no content. */
  async function sizeOf(runId: string): Promise<number | null> {
    const found = await stat(contentPath(runId)).catch(() => null)
    return found?.size ?? null
  }

  const files: FeedFiles = {
    contentPath,
    heldPath,
    async receive(runId, body, take) {
      const file = createWriteStream(contentPath(runId), { flush: true })
      const closed = new Promise<void>((resolve) => file.once('close', () => resolve()))
      try {
        await pipeline(body, limited(bytesMax, take), file)
      } catch (error) {
        // A file that is still being opened would be created after its removal.
        await closed
        await files.remove(runId)
        if (error instanceof FeedFailure) throw new Problem('TOO_LARGE', error.message)
        if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
          throw new Problem('UNAVAILABLE', 'There is not enough disk space to store the feed', { cause: error })
        throw error
      }
      await syncFolder()
    },
    hasContent: async (runId) => (await sizeOf(runId)) !== null,
    contentBytes: async (runId) => (await sizeOf(runId)) ?? 0,
    mayKeep: async (runId) => ((await sizeOf(runId)) ?? Number.POSITIVE_INFINITY) <= KEPT_BYTES_MAX,
    async share(fromRunId, toRunId) {
      await link(contentPath(fromRunId), contentPath(toRunId))
      await syncFolder()
    },
    async removeContent(runId) {
      await rm(contentPath(runId), { force: true })
    },
    async removeHeld(runId) {
      await rm(heldPath(runId), { force: true })
    },
    async remove(runId) {
      await files.removeContent(runId)
      await files.removeHeld(runId)
    },
    async keepOnly(runIds) {
      for (const name of await readdir(folder)) {
        const runId = name.replace(/\.(content|held)$/, '')
        if (runId !== name && !runIds.has(runId)) await rm(join(folder, name), { force: true })
      }
    },
  }
  return files
}

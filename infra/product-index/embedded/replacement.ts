import { existsSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { IndexBuild, IndexBuilds, IndexFill } from '../port.ts'
import { openEmbeddedProductIndex } from './product-index.ts'
import { databaseFile } from './writer.ts'

export interface IndexReplacement {
  builds: IndexBuilds
  /** Closes the new index. If `serve` was called, it then replaces the index in the folder, which must already be closed. */
  close(): Promise<void>
}

/** Opens a new, empty index next to the one in a folder. An unfinished earlier one is removed. */
export async function openReplacement(folder: string): Promise<IndexReplacement> {
  const nextFolder = join(folder, 'next')
  await rm(nextFolder, { recursive: true, force: true })
  const index = await openEmbeddedProductIndex({ folder: nextFolder })
  let fill: IndexFill = { by: null, records: 0, of: 0, complete: false }
  let serves = false
  const build = (): IndexBuild => ({
    id: nextFolder,
    fill,
    index,
    note: async (noted) => {
      fill = noted
    },
    serve: async () => {
      serves = true
    },
    drop: async () => {
      serves = false
    },
  })
  return {
    builds: { look: async () => ({ serving: true, build: build() }), begin: async () => build() },
    async close() {
      await index.close()
      if (serves) replace(databaseFile(folder), databaseFile(nextFolder))
      await rm(nextFolder, { recursive: true, force: true })
    },
  }
}

/** Replaces `file` by a single rename, so that a crash leaves either the old file or the new one. */
function replace(file: string, next: string): void {
  for (const closed of [file, next]) {
    // SQLite would apply a remaining write-ahead log to the other database.
    if (existsSync(`${closed}-wal`)) throw new Error(`${closed} is still open`)
  }
  renameSync(next, file)
}

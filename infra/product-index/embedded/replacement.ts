import { existsSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { IndexBuild, IndexBuilds, IndexFill } from '../port.ts'
import { openEmbeddedProductIndex } from './product-index.ts'
import { databaseFile } from './writer.ts'

export interface IndexReplacement {
  builds: IndexBuilds
  /** Closes the new index. When it was told to serve it takes the place of the one in the folder, which must be closed by then. */
  close(): Promise<void>
}

/** A new index beside the one in a folder. One that was left unfinished is removed: it begins empty. */
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

/** By one rename, so that a crash leaves either file. */
function replace(file: string, next: string): void {
  for (const closed of [file, next]) {
    // A log of the database that is left would be applied to the other file.
    if (existsSync(`${closed}-wal`)) throw new Error(`${closed} is still open`)
  }
  renameSync(next, file)
}

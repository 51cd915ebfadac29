import { execFile } from 'node:child_process'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const BALLAST_BLOCK = Buffer.alloc(64 * 1024)

/** A separate file system that can be filled completely without harm to the machine. */
export interface SmallDisk {
  fill(): Promise<void>
  /** Frees the space that `fill` took. */
  free(): Promise<void>
  remove(): Promise<void>
}

/** Mounts a tmpfs at `folder`. @throws when this user may not mount. */
export async function mountSmallDisk(folder: string, { sizeMb }: { sizeMb: number }): Promise<SmallDisk> {
  await mkdir(folder, { recursive: true })
  // A run that was interrupted may have left a mount.
  await run('umount', [folder]).catch(() => {})
  await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'tmpfs', folder]).catch((error) => {
    throw new Error(`A full disk can only be tried as root, which may mount a tmpfs: ${error.message}`)
  })
  const ballast = join(folder, 'ballast')
  return {
    async fill() {
      const file = await open(ballast, 'w')
      try {
        for (;;) await file.appendFile(BALLAST_BLOCK)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        await file.close()
      }
    },
    free: () => rm(ballast, { force: true }),
    async remove() {
      await run('umount', [folder])
      await rm(folder, { recursive: true })
    },
  }
}

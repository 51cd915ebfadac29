import { open, statfs } from 'node:fs/promises'

const MEGABYTE = 1_000_000

export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

export const megabytes = (bytes: number) => `${Math.ceil(bytes / MEGABYTE)} MB`

/** Flushes a folder, so that the names of its files survive a crash of the machine. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

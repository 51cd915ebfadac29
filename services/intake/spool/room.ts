import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The disk space for all spools below a folder, whichever thread writes them. */
export interface SpoolRoom {
  /** What another thread needs to use the same room: `joinSpoolRoom`. */
  readonly shared: SharedRoom
  /** Takes some bytes of the room. @returns false when so many are not left, and none are taken. */
  take(bytes: number): boolean
  free(bytes: number): void
}

export interface SharedRoom {
  maxBytes: number
  /** One 64-bit integer: the bytes that are taken. */
  taken: SharedArrayBuffer
}

/** Opens the room, in which the spools that earlier starts have left take their place. No spool of the folder may be open yet. */
export async function openSpoolRoom({ folder, maxBytes }: { folder: string; maxBytes: number }): Promise<SpoolRoom> {
  const taken = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)
  new BigInt64Array(taken)[0] = BigInt(await bytesSpooled(folder))
  return joinSpoolRoom({ maxBytes, taken })
}

export function joinSpoolRoom(shared: SharedRoom): SpoolRoom {
  const taken = new BigInt64Array(shared.taken)
  const free = (bytes: number) => void Atomics.sub(taken, 0, BigInt(bytes))
  return {
    shared,
    take(bytes) {
      if (Number(Atomics.add(taken, 0, BigInt(bytes))) + bytes <= shared.maxBytes) return true
      free(bytes)
      return false
    },
    free,
  }
}

async function bytesSpooled(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(noneIfMissing)
  const segments = entries.filter(({ name }) => name.endsWith('.spool'))
  const sizes = await Promise.all(
    segments.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function noneIfMissing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}

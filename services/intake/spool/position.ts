import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/** How far the spool is drained: up to this offset of this segment, with all segments of lower numbers. */
export interface SpoolPosition {
  segment: number
  offset: number
}

/** segment: f64 | offset: f64 | crc32 of both: u32, little-endian */
const BYTES = 20

export interface PositionFile {
  read(): Promise<SpoolPosition>
  write(position: SpoolPosition): Promise<void>
  close(): Promise<void>
}

/**
 * The file `position` in the spool's folder. It is written in place, which works on a full disk too. It is not flushed: if a
 * power failure loses or tears it, records are drained twice and nothing else happens.
 */
export async function openPositionFile(folder: string): Promise<PositionFile> {
  const file = join(folder, 'position')
  const handle: FileHandle = await open(file, 'r+').catch(() => open(file, 'w+'))
  if ((await handle.stat()).size < BYTES) await handle.write(Buffer.alloc(BYTES), 0, BYTES, 0).catch(() => {})
  return {
    async read() {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(BYTES), 0, BYTES, 0)
      const isSound = bytesRead === BYTES && crc32(buffer.subarray(0, 16)) === buffer.readUInt32LE(16)
      return isSound ? { segment: buffer.readDoubleLE(0), offset: buffer.readDoubleLE(8) } : { segment: 0, offset: 0 }
    },
    async write({ segment, offset }) {
      const bytes = Buffer.alloc(BYTES)
      bytes.writeDoubleLE(segment, 0)
      bytes.writeDoubleLE(offset, 8)
      bytes.writeUInt32LE(crc32(bytes.subarray(0, 16)), 16)
      await handle.write(bytes, 0, BYTES, 0)
    },
    close: () => handle.close(),
  }
}

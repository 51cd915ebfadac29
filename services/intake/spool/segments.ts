import { type FileHandle, mkdir, open, readdir, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeFrame } from './frame.ts'
import type { SpoolPosition } from './position.ts'

/** A file of frames. Its first `bytes` are flushed and end with a complete frame. */
export interface Segment {
  readonly number: number
  readonly path: string
  bytes: number
  records: number
}

const NAME = /^(\d{12})\.spool$/

function segmentPath(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(12, '0')}.spool`)
}

/**
 * The segments of a folder that still hold records to drain, oldest first, and how many bytes of drained segments and torn frames were
 * removed. A frame that was torn at the end of a segment when a process was killed is cut off: it was never acknowledged. `records` of
 * the first segment counts those after `from`.
 */
export async function openSegments(
  folder: string,
  from: SpoolPosition,
  onCut: (cut: { path: string; bytes: number }) => void,
): Promise<{ segments: Segment[]; removedBytes: number }> {
  await mkdir(folder, { recursive: true })
  const numbers = (await readdir(folder)).flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number)
  const segments: Segment[] = []
  let removedBytes = 0
  for (const number of numbers.sort((a, b) => a - b)) {
    const path = segmentPath(folder, number)
    const content = await readFile(path)
    const drained = number === from.segment ? from.offset : 0
    const { sound, records } = scan(content, drained)
    const isDrained = number < from.segment || sound === drained
    removedBytes += content.length - (isDrained ? 0 : sound)
    if (isDrained) {
      await rm(path)
      if (content.length > sound && number >= from.segment) onCut({ path, bytes: content.length - sound })
      continue
    }
    if (sound < content.length) {
      await truncate(path, sound)
      onCut({ path, bytes: content.length - sound })
    }
    segments.push({ number, path, bytes: sound, records })
  }
  return { segments, removedBytes }
}

/** How many bytes are complete frames, and how many records follow the first `drained` bytes. */
function scan(content: Buffer, drained: number): { sound: number; records: number } {
  let sound = 0
  let records = 0
  for (let frame = decodeFrame(content, 0); frame !== null; frame = decodeFrame(content, sound)) {
    if (sound >= drained) records += 1
    sound = frame.end
  }
  return { sound, records }
}

/** Creates an empty segment that survives a power failure. @throws what the file system throws. */
export async function createSegment(folder: string, number: number): Promise<{ segment: Segment; handle: FileHandle }> {
  const path = segmentPath(folder, number)
  const handle = await open(path, 'wx')
  try {
    await flushFolder(folder)
  } catch (error) {
    await handle.close()
    throw error
  }
  return { segment: { number, path, bytes: 0, records: 0 }, handle }
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes the bytes at `at` and flushes them to the disk. @throws what the file system throws; any part may then have been written. */
export async function writeDurably(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, at + written)
    written += bytesWritten
  }
  await handle.datasync()
}

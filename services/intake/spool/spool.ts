import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type FileHandle, mkdir, open, realpath, rename, rm, truncate } from 'node:fs/promises'
import { createServer } from 'node:net'
import { LogUnavailable, type NewRecord } from '../../../infra/event-log/port.ts'
import { OperatorError } from '../../domain/errors.ts'
import { decodeFrame, encodeFrame, FRAME_MAX_BYTES } from './frame.ts'
import { openPositionFile } from './position.ts'
import { openSpoolRoom, type SpoolRoom } from './room.ts'
import { createSegment, openSegments, type Segment, writeDurably } from './segments.ts'

const MAX_BYTES_DEFAULT = 1024 ** 3
/** Size at which the next segment begins. A drained segment is deleted, which frees its space. */
const SEGMENT_BYTES = 16 * 1024 * 1024
/** The most that may wait for a flush: a disk that hangs must not fill the memory. */
const UNWRITTEN_MAX_BYTES = 64 * 1024 * 1024
/** Limit of a drained batch: enough for any one record, or for some thousands of the usual size. */
const BATCH_BYTES = FRAME_MAX_BYTES
const BATCH_RECORDS = 5_000

export interface SpoolOptions {
  /** Only one process at a time may use it. */
  folder: string
  /** The room for the spool's segments, including the drained part of the first one. Default: 1 GiB of its own. */
  room?: SpoolRoom
  /** Called at the start when a torn end, which was never acknowledged, was cut off. */
  onCut?: (cut: { path: string; bytes: number }) => void
  /** Called when the disk returns other bytes than were written: the segment is kept under this path, and its records are lost. */
  onDamage?: (damage: { path: string; records: number }) => void
}

export interface SpooledBatch {
  records: NewRecord[]
  /** Whether nothing on disk follows this batch. */
  isLast: boolean
  /** Call it once the records are in the log; the next batch begins after them. */
  done(): Promise<void>
}

/** A queue of records on the disk, first in, first out. */
export interface Spool {
  /**
   * Resolves once the records are flushed to the disk. Waiting calls share one flush.
   * @throws LogUnavailable when the spool is full or closed, or the disk is full, fails or is slow; after a failed write, any
   * part may be stored. RecordTooLarge.
   */
  append(records: readonly NewRecord[]): Promise<void>
  /** The first records, in order; null when there are none at the moment. One batch at a time. */
  next(): Promise<SpooledBatch | null>
  /** Resolves once the current flush, if any, has ended. */
  settled(): Promise<void>
  /** The records to drain, including those that still wait for the disk. */
  waiting(): { records: number; bytes: number }
  close(): Promise<void>
}

interface Unwritten {
  bytes: Buffer
  records: number
  resolve: () => void
  reject: (error: Error) => void
}

/**
 * Opens the spool of a folder: the segments `000000000001.spool`, … and the file `position`, which says how far it is drained.
 * @throws OperatorError when another process uses the folder; Error when it has records of a topic that this version does not know.
 */
export async function openSpool(options: SpoolOptions): Promise<Spool> {
  const { folder, onCut = () => {}, onDamage = () => {} } = options
  await mkdir(folder, { recursive: true })
  const unlock = await lockFolder(folder)
  const position = await openPositionFile(folder)
  const head = await position.read()
  const room = options.room ?? (await openSpoolRoom({ folder, maxBytes: MAX_BYTES_DEFAULT }))
  const { segments, removedBytes } = await openSegments(folder, head, onCut)
  room.free(removedBytes)
  let nextNumber = Math.max(head.segment, segments.at(-1)?.number ?? 0) + 1
  /** The segment that is written to; null when the next append begins a new one. */
  let tail: { segment: Segment; handle: FileHandle } | null = null
  let unwritten: Unwritten[] = []
  let unwrittenBytes = 0
  let unwrittenRecords = 0
  let flushing: Promise<void> | null = null
  /** The current flush. Flushes follow one another. */
  let writing: Promise<void> = Promise.resolve()
  let closed = false

  const diskBytes = () => segments.reduce((sum, { bytes }) => sum + bytes, 0)
  const recordsOf = (list: readonly { records: number }[]) => list.reduce((sum, { records }) => sum + records, 0)

  async function flush(): Promise<void> {
    while (unwritten.length > 0) {
      writing = writeGroup(unwritten)
      unwritten = []
      await writing
    }
    // Reset in the same turn of the event loop as the last look at the queue, so that a later append begins a new flush.
    flushing = null
  }

  async function writeGroup(group: readonly Unwritten[]): Promise<void> {
    const bytes = Buffer.concat(group.map((each) => each.bytes))
    try {
      await writeToTail(bytes, recordsOf(group))
      for (const { resolve } of group) resolve()
    } catch (error) {
      await abandonTail()
      const unavailable = new LogUnavailable(`The spool could not be written: ${(error as Error).message}`)
      room.free(bytes.length)
      for (const { reject } of group) reject(unavailable)
    }
    unwrittenBytes -= bytes.length
    unwrittenRecords -= recordsOf(group)
  }

  async function writeToTail(bytes: Buffer, records: number): Promise<void> {
    if (tail && tail.segment.bytes >= SEGMENT_BYTES) await sealTail()
    if (!tail) {
      tail = await createSegment(folder, nextNumber++)
      segments.push(tail.segment)
    }
    await writeDurably(tail.handle, bytes, tail.segment.bytes)
    tail.segment.bytes += bytes.length
    tail.segment.records += records
  }

  async function sealTail(): Promise<void> {
    const sealed = tail
    tail = null
    await sealed?.handle.close()
  }

  /** After a failed write it is unknown what follows the last flush. The segment is cut off there, and the next write begins a new one. */
  async function abandonTail(): Promise<void> {
    const segment = tail?.segment
    await sealTail().catch(() => {})
    if (!segment) return
    if (segment.bytes > 0) await truncate(segment.path, segment.bytes).catch(() => {})
    else await forget(segment).catch(() => {})
  }

  async function forget(segment: Segment): Promise<void> {
    segments.splice(segments.indexOf(segment), 1)
    await rm(segment.path, { force: true })
    room.free(segment.bytes)
  }

  /** The segment that is drained next; null when there is none. Moves `head` to it. */
  function firstSegment(): Segment | null {
    const first = segments[0] ?? null
    if (first && first.number !== head.segment) Object.assign(head, { segment: first.number, offset: 0 })
    return first
  }

  /** Deletes drained segments; the last one only while nothing is being written to it. */
  async function dropDrained(): Promise<void> {
    for (let first = firstSegment(); first && head.offset >= first.bytes; first = firstSegment()) {
      if (first === tail?.segment && flushing) return
      if (first === tail?.segment) await sealTail()
      await forget(first)
    }
  }

  async function setAside(segment: Segment): Promise<void> {
    if (segment === tail?.segment) await sealTail()
    const path = `${segment.path}.damaged`
    await rename(segment.path, path)
    await forget(segment)
    onDamage({ path, records: segment.records })
  }

  return {
    async append(records) {
      if (closed) throw new LogUnavailable('The spool has been closed')
      const bytes = Buffer.concat(records.map(encodeFrame))
      if (bytes.length === 0) return
      if (unwrittenBytes + bytes.length > UNWRITTEN_MAX_BYTES) throw new LogUnavailable('The disk of the spool is slow')
      if (!room.take(bytes.length)) throw new LogUnavailable('The spool is full')
      unwrittenBytes += bytes.length
      unwrittenRecords += records.length
      const written = new Promise<void>((resolve, reject) => {
        unwritten.push({ bytes, records: records.length, resolve, reject })
      })
      flushing ??= flush()
      await written
    },
    async next() {
      await dropDrained()
      const segment = firstSegment()
      if (!segment || head.offset >= segment.bytes) return null
      const bytes = await readRange(segment.path, head.offset, Math.min(segment.bytes, head.offset + BATCH_BYTES))
      const records: NewRecord[] = []
      let end = 0
      for (
        let frame = decodeFrame(bytes, 0);
        frame && records.length < BATCH_RECORDS;
        frame = decodeFrame(bytes, end)
      ) {
        records.push(frame.record)
        end = frame.end
      }
      if (records.length === 0) {
        await setAside(segment)
        return null
      }
      const isLast = head.offset + end === segment.bytes && segments.length === 1
      return {
        records,
        isLast,
        async done() {
          head.offset += end
          segment.records -= records.length
          await position.write(head)
          await dropDrained()
        },
      }
    },
    settled: () => writing,
    waiting: () => ({
      records: recordsOf(segments) + unwrittenRecords,
      bytes: diskBytes() - (firstSegment() ? head.offset : 0) + unwrittenBytes,
    }),
    async close() {
      closed = true
      await flushing
      await sealTail()
      await position.close()
      unlock()
    },
  }
}

async function readRange(path: string, from: number, to: number): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/**
 * Locks a folder for this process. The lock is an abstract socket, which Linux frees however the process ends. On other systems
 * there is no lock.
 * @returns a function that unlocks the folder.
 * @throws OperatorError when another process of this machine has locked it.
 */
async function lockFolder(folder: string): Promise<() => void> {
  if (process.platform !== 'linux') return () => {}
  const name = createHash('sha256')
    .update(await realpath(folder))
    .digest('hex')
  const socket = createServer().unref()
  try {
    socket.listen(`\0endcap-${name.slice(0, 32)}`)
    await once(socket, 'listening')
  } catch (error) {
    throw new OperatorError(`DATA_DIR: the folder ${folder} is used by another process: give each one its own`, {
      cause: error,
    })
  }
  return () => void socket.close()
}

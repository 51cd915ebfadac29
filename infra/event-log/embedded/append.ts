import type { Remote } from '../../threads/calls.ts'
import { LogUnavailable, type NewRecord, type Position } from '../port.ts'
import { checkedBytes } from '../record-check.ts'
import { packAppends } from './frame.ts'

/** Bytes of unanswered appends. More are refused, so that a stalled disk does not fill memory. */
const IN_FLIGHT_MAX_BYTES = 64 * 1024 * 1024

interface Call {
  records: readonly NewRecord[]
  bytes: number
  resolve: (positions: Position[]) => void
  reject: (error: Error) => void
}

/** This many queued calls or bytes are sent without waiting `gatherMs`: at such a rate, appends share a message anyway. */
const GATHERED_MAX_CALLS = 16
const GATHERED_MAX_BYTES = 64 * 1024

/**
 * Sends appends to the worker together, as one message and one commit: those of one turn of the event loop, and those that come
 * within `gatherMs` of the last message. An append that comes later than that does not wait for others.
 */
export function createAppender(remote: Remote, gatherMs: number) {
  let calls: Call[] = []
  let callsBytes = 0
  let flushedAt = Number.NEGATIVE_INFINITY
  let later: NodeJS.Timeout | undefined
  let soon: NodeJS.Immediate | undefined
  let inFlightBytes = 0

  function schedule(): void {
    const isFull = calls.length >= GATHERED_MAX_CALLS || callsBytes >= GATHERED_MAX_BYTES
    if (soon || (later && !isFull)) return
    const waitMs = flushedAt + gatherMs - performance.now()
    if (isFull || waitMs <= 0) soon = setImmediate(flush)
    else later = setTimeout(flush, waitMs)
  }

  function flush(): void {
    clearTimeout(later)
    clearImmediate(soon)
    later = soon = undefined
    if (calls.length === 0) return
    callsBytes = 0
    flushedAt = performance.now()
    const sent = calls
    calls = []
    const records = sent.length === 1 ? sent[0]!.records : sent.flatMap((call) => call.records)
    const bytes = sent.reduce((sum, call) => sum + call.bytes, 0)
    const frame = packAppends(records, bytes)
    remote
      .call<Float64Array>('append', [frame], [frame.buffer])
      .then((positions) => {
        let from = 0
        for (const { records, resolve } of sent) {
          resolve(positionsOf(records, positions, from))
          from += records.length
        }
      })
      .catch((error: Error) => {
        for (const { reject } of sent) reject(error)
      })
      .finally(() => {
        inFlightBytes -= bytes
      })
  }

  async function append(records: readonly NewRecord[]): Promise<Position[]> {
    const bytes = checkedBytes(records)
    if (records.length === 0) return []
    if (inFlightBytes > 0 && inFlightBytes + bytes > IN_FLIGHT_MAX_BYTES) {
      throw new LogUnavailable('Too much is waiting to be written to the log')
    }
    inFlightBytes += bytes
    return new Promise((resolve, reject) => {
      calls.push({ records, bytes, resolve, reject })
      callsBytes += bytes
      schedule()
    })
  }

  return { append, flush }
}

/** @returns the frame `appends` of some records. @throws RecordTooLarge, TypeError */
export function pack(records: readonly NewRecord[]): Uint8Array<ArrayBuffer> {
  return packAppends(records, checkedBytes(records))
}

/** @param positions partition and offset of each record in turn. @param from how many of its records come before `records`. */
export function positionsOf(records: readonly NewRecord[], positions: Float64Array, from = 0): Position[] {
  return records.map(({ topic }, index) => {
    const at = 2 * (from + index)
    return { topic, partition: positions[at]!, offset: positions[at + 1]! }
  })
}

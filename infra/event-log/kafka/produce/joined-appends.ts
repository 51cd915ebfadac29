import { LogUnavailable, type NewRecord, type Position } from '../../port.ts'
import { checkedBytes } from '../../record-check.ts'

/** Calls are joined up to this many bytes. A call with more of its own is sent alone. */
const JOINED_MAX_BYTES = 1024 * 1024
/** Bytes of waiting calls. More are refused, so that an absent Kafka does not fill memory. */
const WAITING_MAX_BYTES = 64 * 1024 * 1024

interface Call {
  records: readonly NewRecord[]
  bytes: number
  deadline: number
  resolve: (positions: Position[]) => void
  reject: (error: Error) => void
}

type Send = (records: readonly NewRecord[], deadline: number) => Promise<Position[]>

/**
 * Sends one append at a time. Those that are called meanwhile are joined and sent next, because a transaction takes about as long for
 * the records of many calls as for those of one. Joined calls succeed or fail together, by the deadline of the first.
 */
export function joinAppends(send: Send): Send {
  const waiting: Call[] = []
  let waitingBytes = 0
  let isSending = false

  function takeNext(): Call[] {
    let bytes = 0
    const end = waiting.findIndex((call, at) => {
      bytes += call.bytes
      return at > 0 && bytes > JOINED_MAX_BYTES
    })
    const next = waiting.splice(0, end === -1 ? waiting.length : end)
    for (const call of next) waitingBytes -= call.bytes
    return next
  }

  async function sendJoined(calls: readonly Call[]): Promise<void> {
    try {
      const positions = await send(
        calls.flatMap(({ records }) => records),
        calls[0]!.deadline,
      )
      for (const { records, resolve } of calls) resolve(positions.splice(0, records.length))
    } catch (error) {
      for (const { reject } of calls) reject(error as Error)
    }
  }

  async function sendWaiting(): Promise<void> {
    if (isSending) return
    isSending = true
    while (waiting.length > 0) await sendJoined(takeNext())
    isSending = false
  }

  return async (records, deadline) => {
    const bytes = checkedBytes(records)
    if (records.length === 0) return []
    if (waitingBytes > 0 && waitingBytes + bytes > WAITING_MAX_BYTES) {
      throw new LogUnavailable('Too much is waiting to be written to the log')
    }
    waitingBytes += bytes
    return new Promise((resolve, reject) => {
      waiting.push({ records, bytes, deadline, resolve, reject })
      void sendWaiting()
    })
  }
}

import {
  type Appender,
  type NewRecord,
  RECORD_MAX_BYTES,
  RecordTooLarge,
  recordBytes,
} from '../../../infra/event-log/port.ts'
import { within } from '../../../infra/within.ts'
import type { Emission } from '../../../schemas/records/events.ts'
import { encode } from '../../../schemas/wire/codec.ts'

/** About 1 KB each. Emissions that come while the queue is full are lost, and counted. */
const QUEUED_MAX = 50_000
/** A page decides how large its emission is: up to 1,000 times as large. Those that do not fit are lost, and counted, too. */
const QUEUED_MAX_BYTES = 64 * 1024 * 1024
const BATCH_RECORDS = 500
/** Encoding this much takes a few milliseconds, and every log takes it. */
const BATCH_BYTES = 1024 * 1024
/** Emissions of this period are encoded together, which takes half the time of encoding each one between requests. */
const GATHER_MS = 20
const RETRY_FIRST_MS = 100
const RETRY_MAX_MS = 5_000

/** Writes emissions to the log after the requests are answered, in batches and in order. Retries until the log accepts them. */
export interface EmissionQueue {
  /** `make` is called within 20 ms. */
  add(make: () => Emission): void
  /** Writes other records in the same way. */
  append(records: readonly NewRecord[]): void
  readonly size: number
  /** Accepts no more, and resolves when all is written or `timeoutMs` has passed. @returns how many were not written. */
  close(timeoutMs: number): Promise<number>
}

export function createEmissionQueue(deps: {
  log: Appender
  onLost: (count: number) => void
  onError: (error: unknown) => void
}): EmissionQueue {
  let gathered: (() => Emission)[] = []
  let gathering: NodeJS.Timeout | null = null
  let queue: NewRecord[] = []
  let queuedBytes = 0
  let writing: Promise<void> | null = null
  let closing = false
  let givenUp = false

  function encodeGathered() {
    gathering = null
    for (const make of gathered) {
      try {
        enqueue(recordOf(make()))
      } catch (error) {
        // A record that the log will never take must not hold up the others.
        deps.onError(error)
        deps.onLost(1)
      }
    }
    gathered = []
    startWriting()
  }

  function enqueue(record: NewRecord): void {
    const bytes = recordBytes(record)
    if (queuedBytes + bytes > QUEUED_MAX_BYTES) {
      deps.onLost(1)
      return
    }
    queue.push(record)
    queuedBytes += bytes
  }

  function startWriting() {
    writing ??= write().finally(() => {
      writing = null
    })
  }

  async function write() {
    let retryMs = RETRY_FIRST_MS
    while (queue.length > 0 && !givenUp) {
      const { batch, bytes } = firstOf(queue)
      try {
        await deps.log.append(batch)
        queue = queue.slice(batch.length)
        queuedBytes -= bytes
        retryMs = RETRY_FIRST_MS
      } catch (error) {
        deps.onError(error)
        await sleep(retryMs)
        retryMs = Math.min(retryMs * 2, RETRY_MAX_MS)
      }
    }
  }

  return {
    add(make) {
      if (closing || gathered.length + queue.length >= QUEUED_MAX) {
        deps.onLost(1)
        return
      }
      gathered.push(make)
      gathering ??= setTimeout(encodeGathered, GATHER_MS)
    },
    append(records) {
      if (closing || gathered.length + queue.length >= QUEUED_MAX) {
        deps.onLost(records.length)
        return
      }
      for (const record of records) enqueue(record)
      startWriting()
    },
    get size() {
      return gathered.length + queue.length
    },
    async close(timeoutMs) {
      closing = true
      if (gathering) clearTimeout(gathering)
      encodeGathered()
      // Whatever is still queued after the timeout is given up.
      if (writing) await within(writing, timeoutMs, () => new Error('late')).catch(() => {})
      givenUp = true
      const lost = queue.length
      if (lost > 0) deps.onLost(lost)
      return lost
    },
  }
}

/** The records to write next: the first BATCH_RECORDS, or as many as have BATCH_BYTES together, but at least one. */
function firstOf(queue: readonly NewRecord[]): { batch: NewRecord[]; bytes: number } {
  const batch: NewRecord[] = []
  let bytes = 0
  for (const record of queue) {
    const more = recordBytes(record)
    if (batch.length === BATCH_RECORDS || (batch.length > 0 && bytes + more > BATCH_BYTES)) break
    batch.push(record)
    bytes += more
  }
  return { batch, bytes }
}

/** @throws RecordTooLarge; an error of the encoder, when the emission breaks its schema by a bug of this program. */
function recordOf(emission: Emission): NewRecord {
  const record: NewRecord = { topic: 'emissions', key: emission.cid, value: encode('Emission', emission) }
  const bytes = recordBytes(record)
  if (bytes > RECORD_MAX_BYTES) throw new RecordTooLarge(`An emission of ${bytes} bytes is over ${RECORD_MAX_BYTES}`)
  return record
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}

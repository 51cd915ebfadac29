import type { NewRecord } from '../../../infra/event-log/port.ts'
import type { RegistryEntry } from '../../../schemas/records/entities.ts'

/** Writes that are stored by one append. */
const BATCH_MAX_WRITES = 500
const BATCH_MAX_BYTES = 4 * 1024 * 1024
/** A batch takes no further write once deciding has taken this long, because the decided writes wait to be stored. */
const DECIDING_MAX_MS = 50

/** What one write has decided to store. */
export interface Decided {
  entries: RegistryEntry[]
  records: NewRecord[]
}

export interface WriteQueue<W> {
  /** Decides and stores a write, after all earlier ones. @throws what deciding it or storing its batch throws. */
  write(write: W): Promise<RegistryEntry[]>
  /** Runs work once every earlier write is in force, and before any later one is decided. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when no call is waiting or under way. */
  settled(): Promise<void>
}

interface QueuedWrite<W> {
  write: W
  resolve: (entries: RegistryEntry[]) => void
  reject: (error: unknown) => void
}

/**
 * Decides and stores writes in the order of the calls. Writes that arrive during an append form the next batch: they are
 * decided one after the other, each seeing the decisions before it, and are stored by one append. No caller is answered before
 * that append is durable, not even with a refusal, because its reason may be a write that is not stored in the end.
 */
export function createWriteQueue<W>(deps: {
  /** Begins a batch. The returned function decides its writes, one after the other. */
  beginBatch: () => (write: W) => Decided
  /** Stores a batch, all of it or nothing, and applies it. */
  store: (batch: Decided) => Promise<void>
  /** Runs the work of a batch, and converts its errors to those that callers get. */
  guarded: <T>(work: () => Promise<T>) => Promise<T>
  /** UTC epoch milliseconds. */
  now: () => number
}): WriteQueue<W> {
  const { beginBatch, store, guarded, now } = deps
  const queue: (QueuedWrite<W> | (() => Promise<void>))[] = []
  let draining: Promise<void> | null = null

  function add(item: (typeof queue)[number]): void {
    queue.push(item)
    draining ??= drain()
  }

  /** Takes the next item of the queue if it is a write. */
  function takeWrite(): QueuedWrite<W> | undefined {
    return typeof queue[0] === 'object' ? (queue.shift() as QueuedWrite<W>) : undefined
  }

  async function drain(): Promise<void> {
    // Waits one turn, so that calls of the same moment share a batch.
    await Promise.resolve()
    while (queue.length > 0) {
      if (typeof queue[0] === 'function') await (queue.shift() as () => Promise<void>)()
      else await storeBatch()
    }
    // Set in the same turn as the queue was found empty, so that the next item starts a new drain.
    draining = null
  }

  async function storeBatch(): Promise<void> {
    const taken: QueuedWrite<W>[] = []
    try {
      const answers = await guarded(() => decideAndStore(taken))
      for (const answer of answers) answer()
    } catch (error) {
      // The writes that wait would fail in the same way, for example because the log is away.
      for (let write = takeWrite(); write; write = takeWrite()) taken.push(write)
      for (const { reject } of taken) reject(error)
    }
  }

  async function decideAndStore(taken: QueuedWrite<W>[]): Promise<(() => void)[]> {
    const decide = beginBatch()
    const batch: Decided = { entries: [], records: [] }
    const answers: (() => void)[] = []
    const begunAt = now()
    let bytes = 0
    const hasRoom = () =>
      taken.length < BATCH_MAX_WRITES && bytes < BATCH_MAX_BYTES && now() - begunAt < DECIDING_MAX_MS
    for (let next = takeWrite(); next; next = hasRoom() ? takeWrite() : undefined) {
      const { write, resolve, reject } = next
      taken.push(next)
      try {
        const { entries, records } = decide(write)
        batch.entries.push(...entries)
        batch.records.push(...records)
        for (const { value } of records) bytes += value?.length ?? 0
        answers.push(() => resolve(entries))
      } catch (error) {
        answers.push(() => reject(error))
      }
    }
    if (batch.records.length > 0) await store(batch)
    return answers
  }

  return {
    write: (write) => new Promise((resolve, reject) => add({ write, resolve, reject })),
    alone: (work) => new Promise((resolve, reject) => add(() => work().then(resolve, reject))),
    async settled() {
      while (draining) await draining
    },
  }
}

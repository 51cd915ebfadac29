import type { NewRecord } from '../../../infra/event-log/port.ts'
import type { RegistryEntry } from '../../../schemas/records/entities.ts'

/** Writes that are stored by one append. */
const BATCH_MAX_WRITES = 500
const BATCH_MAX_BYTES = 4 * 1024 * 1024
/** No further write is decided once those before have waited so long to be stored. */
const DECIDING_MAX_MS = 50

/** What one write has decided to store. */
export interface Decided {
  entries: RegistryEntry[]
  records: NewRecord[]
}

export interface WriteQueue<W> {
  /** Decides and stores a write, after all earlier ones. @throws what deciding it throws, or storing its batch. */
  write(write: W): Promise<RegistryEntry[]>
  /** Runs work once every earlier write is in force, and before any later one is decided. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when all that was called before has ended. */
  settled(): Promise<void>
}

interface QueuedWrite<W> {
  write: W
  resolve: (entries: RegistryEntry[]) => void
  reject: (error: unknown) => void
}

/**
 * Puts writes in force in the order of their calls. Those that wait while an append is under way are decided one after the
 * other, each seeing what those before it have decided, and stored by one append. Nobody is answered before that append is
 * durable, not even with a refusal: its reason may be a write that is not stored in the end.
 */
export function createWriteQueue<W>(deps: {
  /** Decides the writes of one batch, in turn. */
  beginBatch: () => (write: W) => Promise<Decided>
  /** Stores a batch, all or none, and applies it. */
  store: (batch: Decided) => Promise<void>
  /** Runs the work of a batch, and turns its errors into those of the answers. */
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

  /** The next in the queue, if it is a write. */
  function takeWrite(): QueuedWrite<W> | undefined {
    return typeof queue[0] === 'object' ? (queue.shift() as QueuedWrite<W>) : undefined
  }

  async function drain(): Promise<void> {
    // Callers of the same moment share a batch.
    await Promise.resolve()
    while (queue.length > 0) {
      if (typeof queue[0] === 'function') await (queue.shift() as () => Promise<void>)()
      else await storeBatch()
    }
    // In the same turn as the look at the queue: what is added from now on begins anew.
    draining = null
  }

  async function storeBatch(): Promise<void> {
    const taken: QueuedWrite<W>[] = []
    try {
      const answers = await guarded(() => decideAndStore(taken))
      for (const answer of answers) answer()
    } catch (error) {
      // When the log is away, whoever waits would find the same.
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
        const { entries, records } = await decide(write)
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

import type { DatabaseSync } from 'node:sqlite'
import { LogUnavailable } from '../../port.ts'
import type { BlockWriter } from '../blocks/writer.ts'
import type { Partition } from '../database.ts'

interface LogChange<T> {
  /** Throws to refuse this change alone; must not write. It sees the writes of the changes before it. */
  check?: () => void
  write: () => T
}

export interface CommitQueue {
  /** Resolves once the change is on disk. @throws what `check` threw; LogUnavailable when nothing could be written. */
  run<T>(change: LogChange<T>): Promise<T>
  /** Does work in memory once every earlier change is on disk or could not be written, so that it sees none that is undone later. */
  afterwards<T>(work: () => T): Promise<T>
  /** Resolves when every earlier change is written; later ones are refused. */
  close(): Promise<void>
}

/** A call that waits for its turn. */
interface Waiting {
  /** Makes the call's change within the transaction. */
  write(): void
  /** Settles the call once the transaction has ended. @param failure why nothing was written; null when everything was. */
  end(failure: LogUnavailable | null): void
}

/**
 * Group commit: all changes that arrive while a transaction is written share the next one and its one fsync.
 * @param onGrown is called with the partitions that have new records, once these are on disk.
 * @param onUndone is called when a transaction was rolled back.
 */
export function createCommitQueue(
  database: DatabaseSync,
  writer: BlockWriter,
  onGrown: (partitions: Partition[]) => void,
  onUndone: () => void,
): CommitQueue {
  let waiting: Waiting[] = []
  let closed = false

  function commitAll(): void {
    const group = waiting
    waiting = []
    const failure = writeAll(group)
    const grown = failure ? [] : writer.committed()
    for (const each of group) each.end(failure)
    if (grown.length > 0) onGrown(grown)
  }

  /** @returns why nothing was written; null when everything is on disk. */
  function writeAll(group: readonly Waiting[]): LogUnavailable | null {
    try {
      database.exec('BEGIN')
      for (const each of group) each.write()
      writer.finish()
      database.exec('COMMIT')
      return null
    } catch (error) {
      undo()
      return new LogUnavailable(`The log could not be written: ${(error as Error).message}`)
    }
  }

  function undo(): void {
    writer.abandon()
    if (database.isTransaction) database.exec('ROLLBACK')
    onUndone()
  }

  function enqueue<T>(toWaiting: (resolve: (value: T) => void, reject: (error: Error) => void) => Waiting): Promise<T> {
    if (closed) return Promise.reject(new LogUnavailable('The log has been closed'))
    return new Promise((resolve, reject) => {
      // Wait for the messages that have already arrived: their changes share the transaction.
      if (waiting.length === 0) setImmediate(commitAll)
      waiting.push(toWaiting(resolve, reject))
    })
  }

  /** A refused change does not affect the others. */
  function run<T>(change: LogChange<T>): Promise<T> {
    return enqueue((resolve, reject) => {
      let settle: () => void
      return {
        write() {
          const refusal = refusalOf(change)
          const value = refusal ? null : change.write()
          settle = () => (refusal ? reject(refusal) : resolve(value as T))
        },
        end: (failure) => (failure ? reject(failure) : settle()),
      }
    })
  }

  return {
    run,
    afterwards: (work) =>
      enqueue((resolve, reject) => ({
        write() {},
        end() {
          try {
            resolve(work())
          } catch (error) {
            reject(error as Error)
          }
        },
      })),
    close() {
      const written = run({ write: () => {} })
      closed = true
      return written
    },
  }
}

function refusalOf(change: LogChange<unknown>): Error | null {
  try {
    change.check?.()
    return null
  } catch (error) {
    return error as Error
  }
}

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
  /** Resolves when every earlier change is written; later ones are refused. */
  close(): Promise<void>
}

interface Waiting {
  change: LogChange<unknown>
  resolve: (value: unknown) => void
  reject: (error: Error) => void
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

  /** Settles each caller only after the commit. A refused change does not affect the others. */
  function commitAll(): void {
    const group = waiting
    waiting = []
    const settle: (() => void)[] = []
    try {
      database.exec('BEGIN')
      for (const each of group) {
        const refusal = refusalOf(each.change)
        if (refusal) {
          settle.push(() => each.reject(refusal))
          continue
        }
        const value = each.change.write()
        settle.push(() => each.resolve(value))
      }
      writer.finish()
      database.exec('COMMIT')
    } catch (error) {
      undo()
      const unavailable = new LogUnavailable(`The log could not be written: ${(error as Error).message}`)
      for (const each of group) each.reject(unavailable)
      return
    }
    const grown = writer.committed()
    for (const done of settle) done()
    if (grown.length > 0) onGrown(grown)
  }

  function undo(): void {
    writer.abandon()
    if (database.isTransaction) database.exec('ROLLBACK')
    onUndone()
  }

  function run<T>(change: LogChange<T>): Promise<T> {
    if (closed) return Promise.reject(new LogUnavailable('The log has been closed'))
    return new Promise<T>((resolve, reject) => {
      // Wait for the messages that have already arrived: their changes share the transaction.
      if (waiting.length === 0) setImmediate(commitAll)
      waiting.push({ change, resolve: resolve as (value: unknown) => void, reject })
    })
  }

  return {
    run,
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

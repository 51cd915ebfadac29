import type { DatabaseSync } from 'node:sqlite'
import { LogUnavailable } from '../../port.ts'
import type { BlockWriter } from '../blocks/writer.ts'
import type { Partition } from '../database.ts'

/** One change of the log. */
export interface Change<T> {
  /** Throws to refuse this change alone; must not write. Sees what the changes before it wrote. */
  check?: () => void
  write: () => T
}

export interface CommitQueue {
  /** Resolves once the change is on disk. @throws what `check` threw; LogUnavailable when nothing could be written. */
  run<T>(change: Change<T>): Promise<T>
  /** Resolves when all that was asked for is written; later changes are refused. */
  close(): Promise<void>
}

interface Waiting {
  change: Change<unknown>
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

/**
 * Group commit: all changes that arrived while the last transaction was written share the next one and its one fsync.
 * @param onGrown is told which partitions have new records, after they are on disk.
 */
export function createCommitQueue(
  database: DatabaseSync,
  writer: BlockWriter,
  onGrown: (partitions: Partition[]) => void,
): CommitQueue {
  let waiting: Waiting[] = []
  let closed = false

  /** Settles each caller only after the commit; a refusal does not touch the others. */
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
  }

  function run<T>(change: Change<T>): Promise<T> {
    if (closed) return Promise.reject(new LogUnavailable('The log has been closed'))
    return new Promise<T>((resolve, reject) => {
      // After the messages that have arrived by now have been taken in.
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

function refusalOf(change: Change<unknown>): Error | null {
  try {
    change.check?.()
    return null
  } catch (error) {
    return error as Error
  }
}

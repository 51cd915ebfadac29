import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { CHECKPOINT_PAGES, cutWriteAhead } from './database.ts'

/** The write-ahead file grows while the database file is copied. When it grows beyond this, the copy is given up. */
const WRITE_AHEAD_MAX_BYTES = 4 * 1024 ** 3

/**
 * Lets another process copy the files of the log while appends go on. During a copy nothing is moved from the write-ahead file into
 * the database file: the database file stays as it is, and the write-ahead file only grows. Read the files in another process. A
 * reader in this process must keep them open until the log is closed, because closing a file drops the locks that SQLite holds on it
 * in the same process.
 */
export function createFileCopy(database: DatabaseSync, writeAheadFile: string) {
  let state: 'NONE' | 'UNDER_WAY' | 'GIVEN_UP' = 'NONE'
  let over = Promise.withResolvers<void>()

  const writeAheadBytes = () => statSync(writeAheadFile, { throwIfNoEntry: false })?.size ?? 0

  function giveUp(): void {
    if (state !== 'UNDER_WAY') return
    state = 'GIVEN_UP'
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    over.resolve()
  }

  return {
    begin(): void {
      if (state !== 'NONE') throw new Error('The log is being copied already')
      cutWriteAhead(database)
      database.exec('PRAGMA wal_autocheckpoint = 0')
      state = 'UNDER_WAY'
      over = Promise.withResolvers()
    },
    /** `cutWriteAhead`, once no copy is under way any more. */
    async checkpoint(): Promise<void> {
      while (state === 'UNDER_WAY') await over.promise
      cutWriteAhead(database)
    },
    /** @returns how many bytes of the write-ahead file hold everything committed until now. Call it outside of transactions. */
    take: writeAheadBytes,
    /** @returns whether the copy is complete, that is, was not given up since `begin`. */
    end(): boolean {
      const isWhole = state === 'UNDER_WAY'
      giveUp()
      state = 'NONE'
      return isWhole
    },
    /** Call it when a transaction was rolled back: the pages that it left in the write-ahead file will be overwritten. */
    undone: giveUp,
    limitGrowth(): void {
      if (state === 'UNDER_WAY' && writeAheadBytes() > WRITE_AHEAD_MAX_BYTES) giveUp()
    },
  }
}

/**
 * Lets another process copy the files of the embedded engines while they run. The copy is what a kill of the process at the moment
 * of `take` would have left, so a process that starts on it recovers as after a crash. Counters and ProductIndex are not part of the
 * copy: they are rebuilt from the log.
 *
 * One copy at a time. `end` must follow `begin`, whatever happens in between.
 */
export interface EngineCopy {
  /** From now on the database file of the log does not change: what is appended stays in its write-ahead file. */
  begin(): Promise<LogFile>
  /** The moment of the copy. Writes to Analytics wait until it has resolved; appends to the log do not. */
  take(): Promise<TakenFiles>
  /** Call it when the files of the log have been copied and may change again. @throws when they changed during the copy. */
  logCopied(): Promise<void>
  /** Ends the copy, and removes the files that were made for it. */
  end(): Promise<void>
}

/** Paths are relative to the data folder. */
export interface LogFile {
  path: string
}

export interface TakenFiles {
  /** The first `bytes` of this file belong to the copy. */
  writeAhead: { path: string; bytes: number }
  /** All contents of this folder belong to the copy, as its folder `analytics`. */
  analyticsFolder: string
}

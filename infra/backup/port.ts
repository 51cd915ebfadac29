/**
 * Embedded engines whose files another process copies while they work. The copy is what a kill of the process at the moment of
 * `take` would have left, so that whoever starts on it goes on as after a crash. Counters and ProductIndex are no part of it: they
 * are made again from the log.
 *
 * One copy at a time. `end` must follow `begin`, whatever happens in between.
 */
export interface EngineCopy {
  /** From now on the file of the log does not change: what is appended stays in its write-ahead file. */
  begin(): Promise<LogFile>
  /** The moment of the copy. Writes to Analytics wait until it has resolved; appends to the log do not. */
  take(): Promise<TakenFiles>
  /** The files of the log have been copied, and may change again. @throws when they did not stay as they were. */
  logCopied(): Promise<void>
  /** Forgets the copy: its files may be removed. */
  end(): Promise<void>
}

/** Paths are relative to the data folder. */
export interface LogFile {
  path: string
}

export interface TakenFiles {
  /** Its first bytes belong to the copy. */
  writeAhead: { path: string; bytes: number }
  /** Everything in it belongs to the copy, under the name `analytics`. */
  analyticsFolder: string
}

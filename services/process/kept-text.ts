import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const UNFINISHED = '.new'

/**
 * Reads a short text from a file, and creates the file if it does not exist. A crash or a full disk leaves the file whole or not at
 * all: one without its text would keep the program from ever starting again.
 * @returns the text, without space around it.
 */
export function keptText(file: string, make: () => string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const text = make()
  writeFileSync(`${file}${UNFINISHED}`, `${text}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}${UNFINISHED}`, file)
  flushFolder(dirname(file))
  return text
}

/** Flushes a folder, so that the names of its files survive a crash of the machine. */
function flushFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

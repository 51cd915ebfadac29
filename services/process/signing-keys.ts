import { readFileSync, writeFileSync } from 'node:fs'
import { parseShowIdKeys, type ShowIdKey } from '../domain/show-id/show-id.ts'

/** The keys of a file; one is made when there is no file yet. */
export function keptShowIdKeys(file: string, randomBytes: (size: number) => Buffer): ShowIdKey[] {
  try {
    return parseShowIdKeys(readFileSync(file, 'utf8').trim())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const made = `1:${randomBytes(32).toString('base64url')}`
    writeFileSync(file, `${made}\n`, { mode: 0o600, flag: 'wx', flush: true })
    return parseShowIdKeys(made)
  }
}

import { readFileSync, writeFileSync } from 'node:fs'
import { parseShowIdKeys, type ShowIdKey } from '../domain/show-id/show-id.ts'

/** Reads the signing keys from a file, and creates the file with a new key if it does not exist. */
export function loadOrCreateKeys(file: string, randomBytes: (size: number) => Buffer): ShowIdKey[] {
  try {
    return parseShowIdKeys(readFileSync(file, 'utf8').trim())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const keys = `1:${randomBytes(32).toString('base64url')}`
    writeFileSync(file, `${keys}\n`, { mode: 0o600, flag: 'wx', flush: true })
    return parseShowIdKeys(keys)
  }
}

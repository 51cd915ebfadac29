import { OperatorError } from '../domain/errors.ts'
import { parseServerKeys, SERVER_KEY_BYTES, type ServerKey } from '../domain/identity/server-keys.ts'
import { keptText } from './kept-text.ts'

/** Reads server keys from a file, and creates the file with a new key if it does not exist. */
export function loadOrCreateServerKeys(file: string, randomBytes: (size: number) => Buffer): ServerKey[] {
  const text = keptText(file, () => `1:${randomBytes(SERVER_KEY_BYTES).toString('base64url')}`)
  try {
    return parseServerKeys(text)
  } catch (error) {
    throw new OperatorError(`DATA_DIR: ${file} does not hold keys: ${(error as Error).message}`)
  }
}

import { OperatorError } from '../domain/errors.ts'
import { parseShowIdKeys, type ShowIdKey } from '../domain/show-id/show-id.ts'
import { keptText } from './kept-text.ts'

/** Reads the signing keys from a file, and creates the file with a new key if it does not exist. */
export function loadOrCreateKeys(file: string, randomBytes: (size: number) => Buffer): ShowIdKey[] {
  const text = keptText(file, () => `1:${randomBytes(32).toString('base64url')}`)
  try {
    return parseShowIdKeys(text)
  } catch (error) {
    throw new OperatorError(`DATA_DIR: ${file} does not hold keys: ${(error as Error).message}`)
  }
}

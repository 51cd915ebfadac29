/** A secret that all processes of an installation share. SHOW_ID_KEYS seal showIds, SESSION_KEYS sign what the panel's users carry. */
export interface ServerKey {
  /** 0 to 255. It is part of what the key seals. */
  id: number
  /** Of SERVER_KEY_BYTES. */
  secret: Buffer
}

export const SERVER_KEY_BYTES = 32

/**
 * Reads keys as the environment gives them, newest first: `2:<base64url of 32 bytes>,1:<base64url of 32 bytes>`.
 * @throws Error that says which key is wrong, never showing a secret.
 */
export function parseServerKeys(text: string): ServerKey[] {
  const keys = text.split(',').map((entry, index) => {
    const [, id, secret] = /^\s*(\d{1,3}):([A-Za-z0-9+/_-]+={0,2})\s*$/.exec(entry) ?? []
    const key = { id: Number(id), secret: Buffer.from(secret ?? '', 'base64') }
    if (secret === undefined || key.id > 255 || key.secret.length !== SERVER_KEY_BYTES) {
      throw new Error(`key number ${index + 1} is not <id 0 to 255>:<base64url of ${SERVER_KEY_BYTES} bytes>`)
    }
    return key
  })
  if (new Set(keys.map((key) => key.id)).size < keys.length) throw new Error('two keys have the same id')
  return keys
}

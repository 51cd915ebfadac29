import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts secrets that are kept in the log and must be readable again: those of authenticator apps. */
export interface Sealing {
  /** @param owner whose secret it is. It can be opened for this owner only. */
  seal(text: string, owner: string): string
  /** Null when none of the keys sealed it for this owner. */
  open(sealed: string, owner: string): string | null
}

/** AES-256-GCM with keys derived from those of the installation. The first key seals; any of them can open. */
export function createSealing(deps: { keys: readonly Buffer[]; randomBytes: (size: number) => Buffer }): Sealing {
  const keys = deps.keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'secrets of second factors', 32)))
  return {
    seal(text, owner) {
      const nonce = deps.randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keys[0]!, nonce).setAAD(Buffer.from(owner))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open(sealed, owner) {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return null
      const nonce = bytes.subarray(0, NONCE_BYTES)
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
      for (const key of keys) {
        const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner)).setAuthTag(tag)
        try {
          return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
        } catch {
          // Try the next key.
        }
      }
      return null
    },
  }
}

import sodium from 'sodium-native'
import { createLimiter } from '../../resources/limiter.ts'

/**
 * Passwords hashed at once. Each takes 64 MiB and one of libuv's four threads, which also read and write files. Sign-ins and
 * new passwords have separate queues, so that neither can block the other.
 */
const CHECKS = { running: 2, waiting: 30 }
const HASHES = { running: 1, waiting: 8 }

const { crypto_pwhash_OPSLIMIT_INTERACTIVE: OPERATIONS, crypto_pwhash_MEMLIMIT_INTERACTIVE: MEMORY_BYTES } = sodium

/** A hash of random bytes that nobody kept. It is checked when there is no such user, so that the refusal takes as long as any. */
const HASH_OF_NOBODY =
  '$argon2id$v=19$m=65536,t=2,p=1$NSLjaYuGFNiS7DbnisaBwg$uzB/cR4m561AzT02kTf6hO3D/iaXO01JVqga4DlHLjQ'

/** Hashes and checks passwords: Argon2id with libsodium's limits for interactive use, on other threads. */
export interface Passwords {
  /** @throws Problem UNAVAILABLE when too many are under way. */
  hash(password: string): Promise<string>
  /**
   * Whether the hash was made from the password. Null (no such user) never matches, but takes as long. A caller who is known waits
   * for other known ones only, because strangers could keep their queue full. @throws as `hash`.
   */
  matches(password: string, hash: string | null, caller?: { isKnown: boolean }): Promise<boolean>
}

export function createPasswords(): Passwords {
  const [checking, hashing] = [createLimiter(CHECKS), createLimiter(HASHES)]
  return {
    hash(password) {
      return hashing(async () => {
        const hash = Buffer.alloc(sodium.crypto_pwhash_STRBYTES)
        await withBytes(password, (bytes) => sodium.crypto_pwhash_str_async(hash, bytes, OPERATIONS, MEMORY_BYTES))
        return hash.toString('latin1', 0, hash.indexOf(0))
      })
    },
    matches(password, known, { isKnown } = { isKnown: false }) {
      const check = async () => {
        const hash = Buffer.alloc(sodium.crypto_pwhash_STRBYTES)
        hash.write(known ?? HASH_OF_NOBODY, 'latin1')
        const isRight = await withBytes(password, (bytes) => sodium.crypto_pwhash_str_verify_async(hash, bytes))
        return isRight && known !== null
      }
      return checking(check, { priority: isKnown ? 1 : 0 })
    },
  }
}

/**
 * Calls `work` with the password in one normal form of Unicode, because keyboards differ (NIST SP 800-63B, section 3.1.1.2). The
 * bytes are wiped afterwards.
 */
async function withBytes<T>(password: string, work: (bytes: Buffer) => Promise<T>): Promise<T> {
  const bytes = Buffer.from(password.normalize('NFKC'))
  try {
    return await work(bytes)
  } finally {
    bytes.fill(0)
  }
}

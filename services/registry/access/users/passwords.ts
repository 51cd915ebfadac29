import sodium from 'sodium-native'
import { createLimiter } from '../../resources/limiter.ts'

/**
 * Passwords hashed at once: each takes 64 MiB and one of the four threads that files are read and written with. Signing in
 * and setting passwords wait in queues apart, so that neither can keep the other from its turn.
 */
const CHECKS = { running: 2, waiting: 30 }
const HASHES = { running: 1, waiting: 8 }

const { crypto_pwhash_OPSLIMIT_INTERACTIVE: OPERATIONS, crypto_pwhash_MEMLIMIT_INTERACTIVE: MEMORY_BYTES } = sodium

/** Of random bytes that nobody kept: checked where there is no such user, so that this takes as long as any refusal. */
const HASH_OF_NOBODY =
  '$argon2id$v=19$m=65536,t=2,p=1$NSLjaYuGFNiS7DbnisaBwg$uzB/cR4m561AzT02kTf6hO3D/iaXO01JVqga4DlHLjQ'

/** Hashes and checks passwords: Argon2id with libsodium's limits for interactive use, on other threads. */
export interface Passwords {
  /** @throws Problem UNAVAILABLE when too many are under way. */
  hash(password: string): Promise<string>
  /** Whether the hash was made of it; null, of no user, never is but takes as long. @throws as `hash`. */
  matches(password: string, hash: string | null): Promise<boolean>
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
    matches(password, known) {
      return checking(async () => {
        const hash = Buffer.alloc(sodium.crypto_pwhash_STRBYTES)
        hash.write(known ?? HASH_OF_NOBODY, 'latin1')
        const isRight = await withBytes(password, (bytes) => sodium.crypto_pwhash_str_verify_async(hash, bytes))
        return isRight && known !== null
      })
    },
  }
}

/** The password in one form of Unicode: keyboards differ (NIST SP 800-63B, section 3.1.1.2). Wiped afterwards. */
async function withBytes<T>(password: string, work: (bytes: Buffer) => Promise<T>): Promise<T> {
  const bytes = Buffer.from(password.normalize('NFKC'))
  try {
    return await work(bytes)
  } finally {
    bytes.fill(0)
  }
}

import sodium from 'sodium-native'
import type { ShowIdClaims } from '../../../schemas/records/events.ts'
import { readClaims, writeClaims } from '../../../schemas/wire/show-id-claims.ts'
import type { ServerKey } from '../identity/server-keys.ts'

/**
 * A showId is base64url of
 *
 *     version (1 byte) | key id (1 byte) | nonce (24 bytes) | XChaCha20-Poly1305(Avro claims) | tag (16 bytes)
 *
 * with version and key id authenticated as additional data. 192-bit nonces are drawn at random: a key may seal
 * without a limit (draft-irtf-cfrg-xchacha-03, section 2.1).
 */
const VERSION = 1
const HEAD_BYTES = 2
const NONCE_BYTES = sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
const TAG_BYTES = sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES
const BODY_AT = HEAD_BYTES + NONCE_BYTES

/** Longer strings cannot be show ids; they are refused unread. */
export const SHOW_ID_MAX_CHARS = 2000
const SEALED_MAX_BYTES = (SHOW_ID_MAX_CHARS * 3) / 4
const CLAIMS_MAX_BYTES = SEALED_MAX_BYTES - BODY_AT - TAG_BYTES
/** Longest cid or uid in UTF-8: both fit into a showId next to two offer ids in any script. */
export const PERSON_ID_MAX_BYTES = 256
/** Nonces drawn from the system at once. */
const NONCES_POOLED = 512

export interface ShowIds {
  /** @throws RangeError when the claims' strings are too long for SHOW_ID_MAX_CHARS. */
  seal(claims: ShowIdClaims): string
  /** The claims, or null for anything that `seal` did not make under one of the keys. */
  open(showId: string): ShowIdClaims | null
  /** Like `open`, with the claims as encoded by `writeClaims`. The buffer is valid until the next call of any method. */
  openBytes(showId: string): Buffer | null
}

/** Seals with the first (newest) key and opens with any. Needs at least one key, ids unique. */
export function createShowIds({ keys }: { keys: readonly ServerKey[] }): ShowIds {
  const newest = keys[0]
  if (!newest) throw new Error('At least one showId key is needed')
  const secrets = new Map(keys.map((key) => [key.id, key.secret]))
  if (secrets.size < keys.length) throw new Error('Two showId keys have the same id')

  // All methods are synchronous, so one set of buffers serves all calls.
  const claimsBytes = Buffer.alloc(CLAIMS_MAX_BYTES)
  const sealed = Buffer.alloc(SEALED_MAX_BYTES)
  const head = sealed.subarray(0, HEAD_BYTES)
  const nonce = sealed.subarray(HEAD_BYTES, BODY_AT)
  const nonces = Buffer.alloc(NONCE_BYTES * NONCES_POOLED)
  let noncesAt = nonces.length

  const fillNonce = () => {
    if (noncesAt === nonces.length) {
      sodium.randombytes_buf(nonces)
      noncesAt = 0
    }
    nonces.copy(nonce, 0, noncesAt, noncesAt + NONCE_BYTES)
    noncesAt += NONCE_BYTES
  }

  const openBytes = (showId: string): Buffer | null => {
    if (showId.length > SHOW_ID_MAX_CHARS || !isCanonical(showId)) return null
    const end = sealed.write(showId, 'base64url')
    const secret = sealed[0] === VERSION ? secrets.get(sealed[1]!) : undefined
    if (!secret || end < BODY_AT + TAG_BYTES) return null
    const message = claimsBytes.subarray(0, end - BODY_AT - TAG_BYTES)
    try {
      const ciphertext = sealed.subarray(BODY_AT, end)
      sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(message, null, ciphertext, head, nonce, secret)
    } catch {
      return null
    }
    return message
  }

  return {
    seal(claims) {
      const length = writeClaims(claims, claimsBytes)
      const end = BODY_AT + length + TAG_BYTES
      sealed[0] = VERSION
      sealed[1] = newest.id
      fillNonce()
      sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
        sealed.subarray(BODY_AT, end),
        claimsBytes.subarray(0, length),
        head,
        null,
        nonce,
        newest.secret,
      )
      return sealed.toString('base64url', 0, end)
    },

    open(showId) {
      const message = openBytes(showId)
      return message && readClaims(message)
    },
    openBytes,
  }
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/**
 * Whether a text is the canonical base64url of what it decodes to. The decoder does not check this: it skips other
 * characters, accepts those of base64 too, and drops spare bits. Encoding again to compare would take as long as decrypting.
 */
function isCanonical(text: string): boolean {
  const rest = text.length % 4
  const spareBits = rest === 2 ? 0b1111 : rest === 3 ? 0b11 : 0
  return rest !== 1 && /^[\w-]+$/.test(text) && (BASE64URL.indexOf(text.at(-1)!) & spareBits) === 0
}

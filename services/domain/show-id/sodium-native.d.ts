/** The part of libsodium that is used here; the package ships no types. */
declare module 'sodium-native' {
  interface Sodium {
    readonly crypto_aead_xchacha20poly1305_ietf_KEYBYTES: number
    readonly crypto_aead_xchacha20poly1305_ietf_NPUBBYTES: number
    readonly crypto_aead_xchacha20poly1305_ietf_ABYTES: number
    /** Writes cipher text and tag into `cipher`, which must be exactly `message` + ABYTES long. */
    crypto_aead_xchacha20poly1305_ietf_encrypt(
      cipher: Uint8Array,
      message: Uint8Array,
      additionalData: Uint8Array | null,
      secretNonce: null,
      nonce: Uint8Array,
      key: Uint8Array,
    ): number
    /** Writes the message into `message`, which must be exactly `cipher` - ABYTES long. @throws when the tag is wrong. */
    crypto_aead_xchacha20poly1305_ietf_decrypt(
      message: Uint8Array,
      secretNonce: null,
      cipher: Uint8Array,
      additionalData: Uint8Array | null,
      nonce: Uint8Array,
      key: Uint8Array,
    ): number
    randombytes_buf(buffer: Uint8Array): void
    readonly crypto_pwhash_STRBYTES: number
    readonly crypto_pwhash_OPSLIMIT_INTERACTIVE: number
    /** Bytes. */
    readonly crypto_pwhash_MEMLIMIT_INTERACTIVE: number
    /** Writes a string that ends with zeros into `hash`, which must be exactly STRBYTES long. Runs on another thread. */
    crypto_pwhash_str_async(
      hash: Uint8Array,
      password: Uint8Array,
      operationsLimit: number,
      memoryLimitBytes: number,
    ): Promise<void>
    crypto_pwhash_str_verify_async(hash: Uint8Array, password: Uint8Array): Promise<boolean>
    crypto_pwhash_str_needs_rehash(hash: Uint8Array, operationsLimit: number, memoryLimitBytes: number): boolean
  }
  const sodium: Sodium
  export default sodium
}

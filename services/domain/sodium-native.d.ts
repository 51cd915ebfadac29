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
  }
  const sodium: Sodium
  export default sodium
}

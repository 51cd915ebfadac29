/**
 * The partition that a key belongs to: murmur2 of its UTF-8 bytes, sign bit dropped, modulo partitions. This is Kafka's default
 * partitioner, so that a key lies in the same partition in either log.
 */
export function partitionOf(key: Uint8Array, partitions: number): number {
  return hashOf(key) % partitions
}

/** The number of which a key's partition is the remainder. */
export function hashOf(key: Uint8Array, length = key.length): number {
  return murmur2(key, length) & 0x7fffffff
}

const BYTES_A_UNIT_MAX = 3
/** Keys are encoded into this one buffer: allocating a buffer for each key would cost more than hashing it. */
const encoded = Buffer.alloc(1_024)

/** As `partitionOf`, for a key as text. */
export function partitionOfKey(key: string, partitions: number): number {
  if (key.length * BYTES_A_UNIT_MAX > encoded.length) return partitionOf(Buffer.from(key), partitions)
  return hashOf(encoded, encoded.write(key)) % partitions
}

const SEED = 0x9747b28c
const M = 0x5bd1e995

/** MurmurHash2, 32 bits, as in org.apache.kafka.common.utils.Utils.murmur2; a signed integer. */
export function murmur2(bytes: Uint8Array, length = bytes.length): number {
  let hash = SEED ^ length
  let at = 0
  for (; at + 4 <= length; at += 4) {
    let word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    word = Math.imul(word, M)
    word = Math.imul(word ^ (word >>> 24), M)
    hash = Math.imul(hash, M) ^ word
  }
  const left = length - at
  if (left >= 3) hash ^= bytes[at + 2]! << 16
  if (left >= 2) hash ^= bytes[at + 1]! << 8
  if (left >= 1) hash = Math.imul(hash ^ bytes[at]!, M)
  hash = Math.imul(hash ^ (hash >>> 13), M)
  return hash ^ (hash >>> 15)
}

import { fingerprintOf, type IdFingerprint } from '../fingerprint.ts'
import type { CounterKey } from '../port.ts'

const FIELD_BYTES = 6
const BUCKET_BASE = 36

/** The names of what Redis holds of one shard: all of one hash slot, that of the tag in braces. */
export interface ShardKeys {
  position(source: string): string
  note(source: string): string
  /** Set anew by every change of seen keys. */
  seenToken: string
  seenBlock(path: string): string
  complete: string
  holders(key: string): string
  counter(key: CounterKey): CounterPlace
}

export interface CounterPlace {
  hash: string
  /** The number of the hash among those of the group. */
  bucket: number
  field: Buffer | string
}

/** @param namespace without which nobody else's keys are met. */
export function shardKeys(namespace: string, shards: number, shard: number): ShardKeys {
  const prefix = `${namespace}:{${shards}.${shard}}:`
  return {
    position: (source) => `${prefix}at/${source}`,
    note: (source) => `${prefix}note/${source}`,
    seenToken: `${prefix}seen`,
    seenBlock: (path) => `${prefix}s/${path}`,
    complete: `${prefix}complete`,
    holders: (key) => `${prefix}h/${key}`,
    counter({ group: { name, spread, exact }, id }) {
      const fingerprint = fingerprintOf(id)
      const bucket = bucketOf(fingerprint, spread)
      const ending = `/${name}/${bucket.toString(BUCKET_BASE)}`
      return exact
        ? { hash: `${prefix}e${ending}`, bucket, field: id }
        : { hash: `${prefix}c${ending}`, bucket, field: fieldOf(fingerprint) }
    },
  }
}

/** By bits that the field does not hold, for as long as there are such. */
function bucketOf({ high }: IdFingerprint, spread: number): number {
  return ((high >>> 16) | (high << 16)) & (spread - 1)
}

/** 48 bits: with those of the bucket, a million counters of a group meet by a chance of one in millions. */
function fieldOf({ low, high }: IdFingerprint): Buffer {
  const field = Buffer.allocUnsafe(FIELD_BYTES)
  field.writeInt32LE(low, 0)
  field.writeUInt16LE(high & 0xffff, 4)
  return field
}

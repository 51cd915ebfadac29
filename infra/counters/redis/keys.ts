import { fingerprintIn, type IdFingerprint } from '../fingerprint.ts'
import type { CounterGroup, CounterKey, TallyGroup } from '../port.ts'

const FIELD_BYTES = 6
const BUCKET_BASE = 36
/** Precomputed, because writing a number in that base takes longer than making the rest of a name. */
const BUCKET_NAMES = Array.from({ length: 1024 }, (_, bucket) => bucket.toString(BUCKET_BASE))

/** The files of `scripts/`, by the commands that they become. */
export type CounterScripts = 'storeChange' | 'readValues' | 'reserveAmounts' | 'raiseNumber'

/** A group of counters or of tallies. */
export type BucketGroup = CounterGroup | TallyGroup

/** The names of the Redis keys of one shard. The tag in braces puts all of them into one hash slot. */
export interface ShardKeys {
  position(source: string): string
  note(source: string): string
  /** A token that every change of seen keys replaces. */
  seenToken: string
  seenBlock(path: string): string
  complete: string
  /** A token that every change replaces. */
  changes: string
  holders(key: string): string
  /** A hash of counters, or a tally block. @param bucket its number within the group. */
  bucket(group: BucketGroup, bucket: number): string
  /** Exists when any tally block of the group is wide. */
  anyWide(group: TallyGroup): string
  counter(key: CounterKey): { hash: string; field: Buffer | string }
}

/** @param namespace keeps these keys apart from all others in the same Redis. */
export function shardKeys(namespace: string, shards: number, shard: number): ShardKeys {
  const prefix = `${namespace}:{${shards}.${shard}}:`
  const beginnings = new WeakMap<BucketGroup, string>()
  function nameOf(group: BucketGroup, bucket: number): string {
    let beginning = beginnings.get(group)
    if (beginning === undefined) {
      beginning = `${prefix}${kindOf(group)}/${group.name}/`
      beginnings.set(group, beginning)
    }
    return beginning + (BUCKET_NAMES[bucket] ?? bucket.toString(BUCKET_BASE))
  }
  return {
    position: (source) => `${prefix}at/${source}`,
    note: (source) => `${prefix}note/${source}`,
    seenToken: `${prefix}seen`,
    seenBlock: (path) => `${prefix}s/${path}`,
    complete: `${prefix}complete`,
    changes: `${prefix}changes`,
    holders: (key) => `${prefix}h/${key}`,
    bucket: nameOf,
    anyWide: ({ name }) => `${prefix}wide/${name}`,
    counter(key) {
      const { group, id } = key
      const fingerprint = fingerprintIn(key)
      return { hash: nameOf(group, bucketOf(fingerprint, group)), field: group.exact ? id : fieldOf(fingerprint) }
    },
  }
}

/** The ledger of a shard: its positions and notes, whether it is complete, and its exact counters, which are those of money. */
const LEDGER = /^[^:]+:\{([^}]+)\}:(?:(?:at|note|e)\/|complete$)/

/** The shard whose ledger a key belongs to, as in the key; null when it belongs to none. */
export const shardOfLedger = (key: string): string | null => LEDGER.exec(key)?.[1] ?? null

/** What a group holds: counters, exact counters or tallies. */
export function kindOf(group: BucketGroup): 'c' | 'e' | 't' {
  if ('counts' in group) return 't'
  return group.exact ? 'e' : 'c'
}

/** The bucket of a fingerprint. It is chosen by bits that the field does not hold, as far as there are enough. */
export function bucketOf({ high }: IdFingerprint, { spread }: Pick<BucketGroup, 'spread'>): number {
  return ((high >>> 16) | (high << 16)) & (spread - 1)
}

/** How many counters an id has. */
export const countsOf = (group: BucketGroup): number => ('counts' in group ? group.counts : 1)

/** How many bytes the fields of a group's hashes have; 0 when that differs. */
export const fieldBytes = ({ exact }: CounterGroup): number => (exact ? 0 : FIELD_BYTES)

/** 48 bits: with those of the bucket, the chance that any of a million counters of a group collide is one in millions. */
function fieldOf({ low, high }: IdFingerprint): Buffer {
  const field = Buffer.allocUnsafe(FIELD_BYTES)
  field.writeInt32LE(low, 0)
  field.writeUInt16LE(high & 0xffff, 4)
  return field
}

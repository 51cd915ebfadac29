import { fingerprintIn, type IdFingerprint } from '../fingerprint.ts'
import type { CounterGroup, CounterKey, TallyGroup } from '../port.ts'

const FIELD_BYTES = 6
const BUCKET_BASE = 36
/** To write a number in that base takes longer than all else of a name. */
const BUCKET_NAMES = Array.from({ length: 1024 }, (_, bucket) => bucket.toString(BUCKET_BASE))

/** The files of `scripts/`, by the commands that they become. */
export type CounterScripts = 'storeChange' | 'readValues' | 'reserveAmounts' | 'raiseNumber'

/** Of counters, or of tallies. */
export type BucketGroup = CounterGroup | TallyGroup

/** The names of what Redis holds of one shard: all of one hash slot, that of the tag in braces. */
export interface ShardKeys {
  position(source: string): string
  note(source: string): string
  /** Set anew by every change of seen keys. */
  seenToken: string
  seenBlock(path: string): string
  complete: string
  /** Set anew by every change. */
  changes: string
  holders(key: string): string
  /** A hash of counters, or a tally block. @param bucket its number among those of the group. */
  bucket(group: BucketGroup, bucket: number): string
  /** Is there when any tally block of the group is wide. */
  anyWide(group: TallyGroup): string
  counter(key: CounterKey): { hash: string; field: Buffer | string }
}

/** @param namespace without which nobody else's keys are met. */
export function shardKeys(namespace: string, shards: number, shard: number): ShardKeys {
  const prefix = `${namespace}:{${shards}.${shard}}:`
  const nameOf: ShardKeys['bucket'] = (group, bucket) =>
    `${prefix}${kindOf(group)}/${group.name}/${BUCKET_NAMES[bucket] ?? bucket.toString(BUCKET_BASE)}`
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

function kindOf(group: BucketGroup): 'c' | 'e' | 't' {
  if ('counts' in group) return 't'
  return group.exact ? 'e' : 'c'
}

/** By bits that the field does not hold, for as long as there are such. */
export function bucketOf({ high }: IdFingerprint, { spread }: Pick<BucketGroup, 'spread'>): number {
  return ((high >>> 16) | (high << 16)) & (spread - 1)
}

/** How many counters an id has. */
export const countsOf = (group: BucketGroup): number => ('counts' in group ? group.counts : 1)

/** How many bytes the fields of a group's hashes have; 0: any number. */
export const fieldBytes = ({ exact }: CounterGroup): number => (exact ? 0 : FIELD_BYTES)

/** 48 bits: with those of the bucket, a million counters of a group meet by a chance of one in millions. */
function fieldOf({ low, high }: IdFingerprint): Buffer {
  const field = Buffer.allocUnsafe(FIELD_BYTES)
  field.writeInt32LE(low, 0)
  field.writeUInt16LE(high & 0xffff, 4)
  return field
}

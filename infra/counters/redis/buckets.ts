import { chunksOf } from '../../../services/domain/chunks.ts'
import { fingerprintIn, type IdFingerprint } from '../fingerprint.ts'
import type { CounterKey } from '../port.ts'
import { type BucketGroup, bucketOf } from './keys.ts'
import type { PackedArguments } from './packed.ts'

/** Lua cannot unpack more than some thousand values at once. */
const FIELDS_MAX = 1_000
/** The largest packed number. */
const PARTS_MAX = 65_535

/** What is read or changed in one hash or tally block, at most `FIELDS_MAX` fields: a stretch of the places of its group. */
export interface BucketPart {
  bucket: number
  from: number
  to: number
}

/** The parts of one group, at most `PARTS_MAX`. */
export interface GroupParts<Group extends BucketGroup> {
  group: Group
  /** The indexes of its counters in the list of keys, by bucket. */
  places: Float64Array
  parts: readonly BucketPart[]
}

/**
 * Groups keys by the hash or tally block in which they lie.
 * @param fingerprints of their ids, in order.
 */
export function byBucket<Group extends BucketGroup>(
  keys: readonly { group: Group }[],
  fingerprints: readonly IdFingerprint[],
): GroupParts<Group>[] {
  return byGroup(keys).flatMap(({ group, places }) => {
    // Sorted as numbers, with the bucket as the high part and the place as the low part: that needs no object for each bucket.
    const sorted = new Float64Array(places.length)
    for (let i = 0; i < places.length; i++) {
      sorted[i] = bucketOf(fingerprints[places[i]!]!, group) * keys.length + places[i]!
    }
    sorted.sort()
    const parts: BucketPart[] = []
    for (let from = 0, to = 0; from < sorted.length; from = to) {
      const bucket = Math.floor(sorted[from]! / keys.length)
      const first = bucket * keys.length
      for (; to < sorted.length && to - from < FIELDS_MAX && sorted[to]! < first + keys.length; to++)
        sorted[to]! -= first
      parts.push({ bucket, from, to })
    }
    return Array.from(chunksOf(parts, PARTS_MAX), (chunk) => ({ group, places: sorted, parts: chunk }))
  })
}

interface GroupPlaces<Group> {
  group: Group
  /** The indexes of its keys. */
  places: number[]
}

function byGroup<Group extends BucketGroup>(keys: readonly { group: Group }[]): GroupPlaces<Group>[] {
  const groups = new Map<string, GroupPlaces<Group>>()
  let current: GroupPlaces<Group> | undefined
  for (let place = 0; place < keys.length; place++) {
    const { group } = keys[place]!
    if (current?.group !== group) {
      const name: string = `${(group as CounterKey['group']).exact ? 'e' : 'c'}/${group.name}`
      current = groups.get(name) ?? { group, places: [] }
      groups.set(name, current)
    }
    current.places.push(place)
  }
  return [...groups.values()]
}

/** Writes the field of a key in its hash. */
export function packField({ group, id }: CounterKey, fingerprint: IdFingerprint, to: PackedArguments): void {
  if (group.exact) to.word(id)
  else to.field(fingerprint)
}

export const fingerprintsOf = (keys: readonly CounterKey[]): IdFingerprint[] => keys.map(fingerprintIn)

import { chunksOf } from '../../../services/domain/chunks.ts'
import { fingerprintIn, type IdFingerprint } from '../fingerprint.ts'
import type { CounterKey } from '../port.ts'
import { type BucketGroup, bucketOf, kindOf } from './keys.ts'
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
    for (let i = 0; i < places.length; i++) places[i]! += bucketOf(fingerprints[places[i]!]!, group) * keys.length
    places.sort()
    const parts: BucketPart[] = []
    for (let from = 0, to = 0; from < places.length; from = to) {
      const bucket = Math.floor(places[from]! / keys.length)
      const first = bucket * keys.length
      for (; to < places.length && to - from < FIELDS_MAX && places[to]! < first + keys.length; to++)
        places[to]! -= first
      parts.push({ bucket, from, to })
    }
    return Array.from(chunksOf(parts, PARTS_MAX), (chunk) => ({ group, places, parts: chunk }))
  })
}

interface GroupPlaces<Group> {
  group: Group
  /** The indexes of its keys. */
  places: Float64Array
}

function byGroup<Group extends BucketGroup>(keys: readonly { group: Group }[]): GroupPlaces<Group>[] {
  const numberOf = groupNumbers<Group>()
  const numbers = new Uint32Array(keys.length)
  const groups: Group[] = []
  const sizes: number[] = []
  for (let place = 0; place < keys.length; place++) {
    const { group } = keys[place]!
    const number = numberOf(group)
    if (number === groups.length) sizes[groups.push(group) - 1] = 0
    sizes[number]!++
    numbers[place] = number
  }
  const all = groups.map((group, number) => ({ group, places: new Float64Array(sizes[number]!) }))
  const filled = new Uint32Array(all.length)
  for (let place = 0; place < keys.length; place++) {
    const number = numbers[place]!
    all[number]!.places[filled[number]!++] = place
  }
  return all
}

/** Numbers groups from 0 on. Groups of one kind and name are the same, but mostly one object stands for them. */
function groupNumbers<Group extends BucketGroup>(): (group: Group) => number {
  const byObject = new Map<Group, number>()
  const byName = new Map<string, number>()
  return (group) => {
    let number = byObject.get(group)
    if (number === undefined) {
      const name = `${kindOf(group)}/${group.name}`
      number = byName.get(name) ?? byName.size
      byName.set(name, number)
      byObject.set(group, number)
    }
    return number
  }
}

/** Writes the field of a key in its hash. */
export function packField({ group, id }: CounterKey, fingerprint: IdFingerprint, to: PackedArguments): void {
  if (group.exact) to.word(id)
  else to.field(fingerprint)
}

export const fingerprintsOf = (keys: readonly CounterKey[]): IdFingerprint[] => keys.map(fingerprintIn)

import { fingerprintIn, type IdFingerprint } from '../fingerprint.ts'
import type { CounterKey } from '../port.ts'
import { type BucketGroup, bucketOf } from './keys.ts'
import type { PackedArguments } from './packed.ts'

/** Lua cannot take more than some thousand values at once. */
const FIELDS_MAX = 1_000
/** As many as a packed number can tell. */
const PARTS_MAX = 65_535

/** What is asked or changed of one hash or tally block, at most `FIELDS_MAX` fields. */
export interface BucketPart {
  bucket: number
  /** Where its counters stand among the keys. */
  places: number[]
}

/** What lies in buckets of a group, at most `PARTS_MAX` of them. */
export interface GroupParts<Group extends BucketGroup> {
  group: Group
  parts: readonly BucketPart[]
}

/**
 * Keys by what they lie in.
 * @param fingerprints of their ids, in order.
 */
export function byBucket<Group extends BucketGroup>(
  keys: readonly { group: Group }[],
  fingerprints: readonly IdFingerprint[],
): GroupParts<Group>[] {
  const groups = new Map<string, { group: Group; parts: BucketPart[]; open: Map<number, BucketPart> }>()
  let current: Group | null = null
  let ofGroup!: { parts: BucketPart[]; open: Map<number, BucketPart> }
  for (let place = 0; place < keys.length; place++) {
    const { group } = keys[place]!
    if (group !== current) {
      current = group
      const name = `${(group as CounterKey['group']).exact ? 'e' : 'c'}/${group.name}`
      const found = groups.get(name) ?? { group, parts: [], open: new Map<number, BucketPart>() }
      if (found.parts.length === 0) groups.set(name, found)
      ofGroup = found
    }
    const bucket = bucketOf(fingerprints[place]!, group)
    const open = ofGroup.open.get(bucket)
    if (open && open.places.length < FIELDS_MAX) {
      open.places.push(place)
    } else {
      const part = { bucket, places: [place] }
      ofGroup.open.set(bucket, part)
      ofGroup.parts.push(part)
    }
  }
  return [...groups.values()].flatMap(({ group, parts }) =>
    chunksOf(parts, PARTS_MAX).map((chunk) => ({ group, parts: chunk })),
  )
}

/** Writes the field of a key in its hash. */
export function packField({ group, id }: CounterKey, fingerprint: IdFingerprint, to: PackedArguments): void {
  if (group.exact) to.word(id)
  else to.field(fingerprint)
}

export const fingerprintsOf = (keys: readonly CounterKey[]): IdFingerprint[] => keys.map(fingerprintIn)

function chunksOf<T>(list: T[], max: number): T[][] {
  if (list.length <= max) return [list]
  return Array.from({ length: Math.ceil(list.length / max) }, (_, i) => list.slice(i * max, (i + 1) * max))
}

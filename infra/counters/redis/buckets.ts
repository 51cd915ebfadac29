import { fingerprintOf, type IdFingerprint } from '../fingerprint.ts'
import type { CounterGroup, CounterKey } from '../port.ts'
import { bucketOf } from './keys.ts'
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

/** Keys by what they lie in. */
export interface KeysByBucket {
  /** At most `PARTS_MAX` parts each. */
  groups: readonly { group: CounterGroup; parts: readonly BucketPart[] }[]
  fingerprints: readonly IdFingerprint[]
}

export function byBucket(keys: readonly CounterKey[]): KeysByBucket {
  const fingerprints = fingerprintsOf(keys)
  const groups = new Map<string, { group: CounterGroup; parts: BucketPart[]; open: Map<number, BucketPart> }>()
  let current: CounterGroup | null = null
  let ofGroup!: { parts: BucketPart[]; open: Map<number, BucketPart> }
  for (let place = 0; place < keys.length; place++) {
    const { group } = keys[place]!
    if (group !== current) {
      current = group
      const name = `${group.exact ? 'e' : (group.counts ?? 'c')}/${group.name}`
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
  return {
    groups: [...groups.values()].flatMap(({ group, parts }) =>
      chunksOf(parts, PARTS_MAX).map((chunk) => ({ group, parts: chunk })),
    ),
    fingerprints,
  }
}

/** Writes the field of a key in its hash. */
export function packField({ group, id }: CounterKey, fingerprint: IdFingerprint, to: PackedArguments): void {
  if (group.exact) to.word(id)
  else to.field(fingerprint)
}

/** Keys of one id mostly come one after the other. */
function fingerprintsOf(keys: readonly CounterKey[]): IdFingerprint[] {
  let last: { id: string; fingerprint: IdFingerprint } | null = null
  return keys.map(({ id }) => {
    if (last?.id !== id) last = { id, fingerprint: fingerprintOf(id) }
    return last.fingerprint
  })
}

function chunksOf<T>(list: T[], max: number): T[][] {
  if (list.length <= max) return [list]
  return Array.from({ length: Math.ceil(list.length / max) }, (_, i) => list.slice(i * max, (i + 1) * max))
}

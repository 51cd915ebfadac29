import type { CounterKey, ShardChange } from '../port.ts'
import { type BucketPart, byBucket, fingerprintsOf, type GroupParts, packField } from './buckets.ts'
import { type BucketGroup, fieldBytes, type ShardKeys } from './keys.ts'
import type { LastingBuckets } from './lasting-buckets.ts'
import { PackedArguments } from './packed.ts'
import type { BlockAppend } from './seen-blocks.ts'
import { ENTRY_BYTES } from './tallies.ts'

/** The KEYS and ARGV of store.lua. */
export interface ScriptInput {
  keys: string[]
  args: (string | number | Buffer)[]
  /** The hashes and tally blocks that last until the end of their group after the change. */
  written: { group: BucketGroup; parts: readonly BucketPart[] }[]
}

/** What a change appends to the seen keys of its shard, and the token that it expects and the one that it sets. */
export interface SeenChange {
  expected: string
  token: string
  blocks: readonly BlockAppend[]
}

/** What is needed to write a change, besides the change itself. */
interface ChangeContext {
  names: ShardKeys
  lasting: LastingBuckets
  /** UTC epoch milliseconds. */
  now: number
  /** The token of changes that the change sets. */
  token: string
}

export function changeArguments(change: ShardChange, context: ChangeContext, seen: SeenChange | null): ScriptInput {
  const { names } = context
  const { source, after, upTo, note, add, lower, released } = change
  const input: ScriptInput = {
    keys: [names.position(source), names.note(source), names.seenToken, names.changes],
    args: [after, upTo, note === null ? 0 : 1, note ?? '', seen?.expected ?? '', seen?.token ?? '', context.token],
    written: [],
  }
  const packed = new PackedArguments()
  const to = { packed, input, context }
  packTallies(change.tally, to)
  const adds = add.filter(({ amount }) => amount !== 0)
  packChanges('ADD', { keys: adds.map(({ key }) => key), amountAt: (i) => adds[i]!.amount }, to)
  packChanges('LOWER', { keys: lower.map(({ key }) => key), amountAt: (i) => lower[i]!.value }, to)
  input.args.push(packed.bytes())
  input.args.push(seen?.blocks.length ?? 0)
  for (const { path, keptUntil, bytes } of seen?.blocks ?? []) {
    input.keys.push(names.seenBlock(path))
    input.args.push(keptUntil ?? '', bytes)
  }
  input.args.push(released.length)
  for (const { key, holder } of released) {
    input.keys.push(names.holders(key))
    input.args.push(holder)
  }
  return input
}

interface PackTo {
  packed: PackedArguments
  input: ScriptInput
  context: ChangeContext
}

interface Run<Group extends BucketGroup> extends GroupParts<Group> {
  /** The end that its buckets get; '' when they last that long already, or for ever. */
  keptUntil: string
}

/** Divides each group into the buckets that last until its end already, and the others, which it notes in `written`. */
function runsOf<Group extends BucketGroup>(
  groups: readonly GroupParts<Group>[],
  { input, context: { lasting, now } }: PackTo,
): Run<Group>[] {
  return groups.flatMap(({ group, places, parts }) => {
    const isLasting = lasting.of(group, now)
    const old: BucketPart[] = []
    const young: BucketPart[] = []
    for (const part of parts) (isLasting(part.bucket) ? old : young).push(part)
    input.written.push({ group, parts: young })
    const runs = [
      { group, places, keptUntil: '', parts: old },
      { group, places, keptUntil: `${group.keptUntil ?? ''}`, parts: young },
    ]
    return runs.filter((run) => run.parts.length > 0)
  })
}

/** Packs the entries that each tally block gets. */
function packTallies(tally: ShardChange['tally'], to: PackTo): void {
  const {
    packed,
    input,
    context: { names },
  } = to
  const keys = tally.map(({ key }) => key)
  const fingerprints = keys.map(({ fingerprint }) => fingerprint)
  for (const { group, keptUntil, places, parts } of runsOf(byBucket(keys, fingerprints), to)) {
    packed.word('TALLY')
    packed.word(keptUntil)
    packed.number(ENTRY_BYTES)
    packed.number(parts.length)
    input.keys.push(names.anyWide(group))
    for (const { bucket, from, to } of parts) {
      input.keys.push(names.bucket(group, bucket))
      let entries = 0
      for (let i = from; i < to; i++) entries += raisedIn(tally[places[i]!]!)
      packed.number(entries)
      for (let i = from; i < to; i++) {
        const { key, amounts } = tally[places[i]!]!
        for (let count = 0; count < amounts.length; count++) {
          if (amounts[count]! > 0) packed.tally(key.fingerprint, count, amounts[count]!)
        }
      }
    }
  }
}

/** How many counters of a tally are raised. */
function raisedIn({ amounts }: ShardChange['tally'][number]): number {
  let raised = 0
  for (let count = 0; count < amounts.length; count++) if (amounts[count]! > 0) raised++
  return raised
}

function packChanges(
  name: 'ADD' | 'LOWER',
  { keys, amountAt }: { keys: readonly CounterKey[]; amountAt: (place: number) => number },
  to: PackTo,
): void {
  const {
    packed,
    input,
    context: { names },
  } = to
  const fingerprints = fingerprintsOf(keys)
  for (const { group, keptUntil, places, parts } of runsOf(byBucket(keys, fingerprints), to)) {
    packed.word(name)
    packed.word(keptUntil)
    packed.number(fieldBytes(group))
    packed.number(parts.length)
    for (const { bucket, from, to } of parts) {
      input.keys.push(names.bucket(group, bucket))
      packed.number(to - from)
      for (let i = from; i < to; i++) {
        const place = places[i]!
        packField(keys[place]!, fingerprints[place]!, packed)
        packed.word(`${amountAt(place)}`)
      }
    }
  }
}

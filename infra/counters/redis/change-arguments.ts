import type { CounterGroup, CounterKey, ShardChange } from '../port.ts'
import { byBucket, fingerprintsOf, packField } from './buckets.ts'
import { fieldBytes, type ShardKeys } from './keys.ts'
import type { LastingHashes } from './lasting-hashes.ts'
import { PackedArguments } from './packed.ts'
import type { BlockAppend } from './seen-blocks.ts'
import { ENTRY_BYTES } from './tallies.ts'

/** The KEYS and ARGV of store.lua. */
export interface ScriptInput {
  keys: string[]
  args: (string | number | Buffer)[]
  /** The hashes that have a time to live after the change. */
  written: { group: CounterGroup; bucket: number }[]
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
  lasting: LastingHashes
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

/** Packs the entries that each tally block gets. */
function packTallies(tally: ShardChange['tally'], { packed, input, context: { names } }: PackTo): void {
  const keys = tally.map(({ key }) => key)
  const fingerprints = keys.map(({ fingerprint }) => fingerprint)
  for (const { group, parts } of byBucket(keys, fingerprints)) {
    packed.word('TALLY')
    packed.word(`${group.keptUntil ?? ''}`)
    packed.number(ENTRY_BYTES)
    packed.number(parts.length)
    input.keys.push(names.anyWide(group))
    for (const { bucket, places } of parts) {
      input.keys.push(names.bucket(group, bucket))
      let entries = 0
      for (const place of places) for (const amount of tally[place]!.amounts) if (amount > 0) entries++
      packed.number(entries)
      for (const place of places) {
        const { key, amounts } = tally[place]!
        for (let count = 0; count < amounts.length; count++) {
          if (amounts[count]! > 0) packed.tally(key.fingerprint, count, amounts[count]!)
        }
      }
    }
  }
}

function packChanges(
  name: 'ADD' | 'LOWER',
  { keys, amountAt }: { keys: readonly CounterKey[]; amountAt: (place: number) => number },
  { packed, input, context }: PackTo,
): void {
  const { names, lasting, now } = context
  const fingerprints = fingerprintsOf(keys)
  for (const { group, parts } of byBucket(keys, fingerprints)) {
    const isLasting = lasting.of(group, now)
    const [old, young] = [
      parts.filter(({ bucket }) => isLasting(bucket)),
      parts.filter(({ bucket }) => !isLasting(bucket)),
    ]
    for (const { bucket } of young) input.written.push({ group, bucket })
    for (const [keptUntil, hashes] of [
      [null, old],
      [group.keptUntil, young],
    ] as const) {
      if (hashes.length === 0) continue
      packed.word(name)
      packed.word(`${keptUntil ?? ''}`)
      packed.number(fieldBytes(group))
      packed.number(hashes.length)
      for (const { bucket, places } of hashes) {
        input.keys.push(names.bucket(group, bucket))
        packed.number(places.length)
        for (const place of places) {
          packField(keys[place]!, fingerprints[place]!, packed)
          packed.word(`${amountAt(place)}`)
        }
      }
    }
  }
}

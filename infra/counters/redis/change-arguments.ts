import type { CounterKey, ShardChange } from '../port.ts'
import type { ShardKeys } from './keys.ts'
import type { LastingHashes } from './lasting-hashes.ts'
import type { BlockAppend } from './seen-blocks.ts'

/** Lua cannot take more than some thousand values at once. */
const FIELDS_MAX = 1_000

/** The KEYS and ARGV of store.lua. */
export interface ScriptInput {
  keys: string[]
  args: (string | number | Buffer)[]
  /** The hashes that have a time to live after it. */
  written: { key: CounterKey; bucket: number }[]
}

/** What a change makes of the seen keys of its shard; null: nothing. */
export interface SeenChange {
  expected: string
  token: string
  blocks: readonly BlockAppend[]
}

/** What a change is written with besides itself. */
interface ChangeContext {
  names: ShardKeys
  lasting: LastingHashes
  /** UTC epoch milliseconds. */
  now: number
}

export function changeArguments(change: ShardChange, context: ChangeContext, seen: SeenChange | null): ScriptInput {
  const { names } = context
  const { source, after, upTo, note, add, lower, released } = change
  const input: ScriptInput = {
    keys: [names.position(source), names.note(source), names.seenToken],
    args: [after, upTo, note === null ? 0 : 1, note ?? '', seen?.expected ?? '', seen?.token ?? ''],
    written: [],
  }
  // Only what is taken away can reach 0, and only then does the order of a key's amounts matter.
  const taken = new Set(add.filter(({ amount }) => amount < 0).map(({ key }) => nameOf(key)))
  const isOrdered = ({ key }: { key: CounterKey }) => taken.size > 0 && taken.has(nameOf(key))
  pushGroups(input, taken.size === 0 ? add : add.filter((each) => !isOrdered(each)), context)
  const ordered = [
    ...add.filter(isOrdered).map(({ key, amount }) => ({ name: 'ADD', key, amount })),
    ...lower.map(({ key, value }) => ({ name: 'LOWER', key, amount: value })),
  ]
  input.args.push(ordered.length)
  for (const { name, key, amount } of ordered) {
    const { hash, field } = names.counter(key)
    input.keys.push(hash)
    input.args.push(name, key.group.keptUntil ?? '', field, amount)
  }
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

/** A counter among those of a shard. The group's name may contain what separates them, and is told apart by its length. */
const nameOf = ({ group, id }: CounterKey) => `${group.exact ? 'e' : 'c'}${group.name.length}/${group.name}/${id}`

/** The fields of one hash, and what each is raised by. */
type Raises = Map<string, { field: Buffer | string; amount: number }>

function pushGroups({ keys, args, written }: ScriptInput, add: ShardChange['add'], context: ChangeContext): void {
  const { names, lasting, now } = context
  const groups = new Map<number | null, Map<string, Raises>>()
  for (const { key, amount } of add) {
    if (amount === 0) continue
    const { hash, bucket, field } = names.counter(key)
    const isLasting = lasting.has(key, bucket, now)
    if (!isLasting) written.push({ key, bucket })
    const hashes = entryOf(groups, isLasting ? null : key.group.keptUntil, () => new Map<string, Raises>())
    const raises = entryOf(hashes, hash, (): Raises => new Map())
    const raise = entryOf(raises, typeof field === 'string' ? field : field.toString('latin1'), () => ({
      field,
      amount: 0,
    }))
    raise.amount += amount
  }
  args.push(groups.size)
  for (const [keptUntil, hashes] of groups) {
    const lists = [...hashes].flatMap(([hash, raises]) =>
      chunksOf([...raises.values()]).map((list) => ({ hash, list })),
    )
    const single = lists.filter(({ list }) => list.length === 1)
    const several = lists.filter(({ list }) => list.length > 1)
    args.push(keptUntil ?? '', single.length, several.length)
    for (const { hash, list } of single) {
      keys.push(hash)
      args.push(list[0]!.field, list[0]!.amount)
    }
    for (const { hash, list } of several) {
      keys.push(hash)
      args.push(list.length, ...list.map(({ field }) => field), ...list.map(({ amount }) => amount))
    }
  }
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

const chunksOf = <T>(list: T[]): T[][] =>
  list.length <= FIELDS_MAX
    ? [list]
    : Array.from({ length: Math.ceil(list.length / FIELDS_MAX) }, (_, i) =>
        list.slice(i * FIELDS_MAX, (i + 1) * FIELDS_MAX),
      )

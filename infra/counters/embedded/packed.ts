import { fingerprintIn, numberOf } from '../fingerprint.ts'
import type { CounterGroup, CounterKey, SeenKey, ShardChange, ShardLoad, SourceInShard, TallyKey } from '../port.ts'

/** The row id of a tally's counter: this many bits of the id's fingerprint, and below them the number of the counter. */
const ID_BITS = 50
const COUNTS_MAX = 8

/** A group as it is stored: its name begins with what the group holds (schema.sql). */
export interface RowGroup extends Pick<CounterGroup, 'name' | 'keptUntil'> {
  /** How many rows with consecutive ids each id has. */
  counts: number
}

/**
 * Keys as they are sent to the thread of the counters: lists of numbers, which are copied as they are. An object for each key would
 * be cloned property by property, which takes longer than counting with it.
 */
export interface PackedKeys {
  groups: RowGroup[]
  /** For each key, the index of its group in `groups`. */
  groupOf: Uint32Array
  /** Row ids. In a group of exact counters, the index of the id in `texts`. */
  ids: Float64Array
  texts: string[]
}

/** A `ShardLoad` on its way to the thread. */
export interface PackedLoad extends Pick<ShardLoad, 'shard' | 'source' | 'after'> {
  keys: PackedKeys
  tallies: PackedKeys
  seen: PackedKeys
}

/** A `ShardChange` on its way to the thread. Amounts and values are in the order of their keys; a tally has several. */
export interface PackedChange
  extends SourceInShard,
    Pick<ShardChange, 'after' | 'upTo' | 'note'>,
    Pick<ShardChange, 'released'> {
  add: PackedKeys
  added: Float64Array
  tally: PackedKeys
  tallied: Float64Array
  lower: PackedKeys
  lowered: Float64Array
  seen: PackedKeys
}

export function packLoad({ shard, source, after, keys, tallies, seen }: ShardLoad): PackedLoad {
  return { shard, source, after, keys: packCounters(keys), tallies: packTallies(tallies), seen: packSeen(seen) }
}

export function packChange({ add, tally, lower, seen, ...change }: ShardChange): PackedChange {
  const { shard, source, after, upTo, note, released } = change
  return {
    ...{ shard, source, after, upTo, note, released },
    add: packCounters(add.map(({ key }) => key)),
    added: numbersOf(add, ({ amount }) => amount),
    tally: packTallies(tally.map(({ key }) => key)),
    tallied: amountsOf(tally),
    lower: packCounters(lower.map(({ key }) => key)),
    lowered: numbersOf(lower, ({ value }) => value),
    seen: packSeen(seen),
  }
}

/** As `Float64Array.from`, but without going through the list by its iterator. */
function numbersOf<T>(list: readonly T[], numberIn: (each: T) => number): Float64Array {
  const numbers = new Float64Array(list.length)
  for (let i = 0; i < list.length; i++) numbers[i] = numberIn(list[i]!)
  return numbers
}

/** The amounts of all keys, one key after the other. */
function amountsOf(tally: ShardChange['tally']): Float64Array {
  let length = 0
  for (const { key } of tally) length += key.group.counts
  const all = new Float64Array(length)
  let at = 0
  for (const { amounts } of tally) {
    for (const amount of amounts) all[at++] = amount
  }
  return all
}

/** The row of a counter. */
export function rowOf(key: CounterKey): { group: RowGroup; id: number | string } {
  const { group, id } = key
  return { group: groupOfCounters(group), id: group.exact ? id : numberOf(fingerprintIn(key)) }
}

const groupOfCounters = ({ name, keptUntil, exact }: CounterGroup): RowGroup => {
  return { name: `${exact ? 'e' : 'c'}/${name}`, keptUntil, counts: 1 }
}

function packCounters(keys: readonly CounterKey[]): PackedKeys {
  const texts: string[] = []
  const idOf = (key: CounterKey) => (key.group.exact ? texts.push(key.id) - 1 : numberOf(fingerprintIn(key)))
  return { ...pack(keys, groupOfCounters, idOf), texts }
}

function packTallies(keys: readonly TallyKey[]): PackedKeys {
  const groupFor = ({ name, keptUntil, counts }: TallyKey['group']) => ({ name: `c/${name}`, keptUntil, counts })
  return pack(keys, groupFor, ({ fingerprint }) => (numberOf(fingerprint) % 2 ** ID_BITS) * COUNTS_MAX)
}

function packSeen(keys: readonly SeenKey[]): PackedKeys {
  const groupFor = ({ name, keptUntil }: SeenKey['group']) => ({ name: `s/${name}`, keptUntil, counts: 1 })
  return pack(keys, groupFor, ({ fingerprint }) => numberOf(fingerprint))
}

function pack<Key extends { group: object }>(
  keys: readonly Key[],
  groupFor: (group: Key['group']) => RowGroup,
  idOf: (key: Key) => number,
): PackedKeys {
  const groups: RowGroup[] = []
  const places = new Map<object, number>()
  const groupOf = new Uint32Array(keys.length)
  const ids = new Float64Array(keys.length)
  for (let i = 0; i < keys.length; i++) {
    const { group } = keys[i]!
    let place = places.get(group)
    if (place === undefined) {
      place = groups.push(groupFor(group)) - 1
      places.set(group, place)
    }
    groupOf[i] = place
    ids[i] = idOf(keys[i]!)
  }
  return { groups, groupOf, ids, texts: [] }
}

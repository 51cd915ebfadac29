import type { DatabaseSync } from 'node:sqlite'
import { lruCache } from '../../../services/domain/caches.ts'
import type { CounterKey } from '../port.ts'
import { type PackedKeys, type RowGroup, rowOf } from './packed.ts'

/** Groups whose rows are kept in memory. */
const GROUPS_CACHED = 20_000
/** Entries of forgotten groups that one call removes. */
const SWEPT_PER_CALL = 2_000

/** The counters and seen keys of a database. Calls that write must run in a transaction. */
export interface Entries {
  value(key: CounterKey): number
  values(shard: number, keys: PackedKeys): number[]
  /** The counters of all ids, one id after the other. */
  tallies(shard: number, keys: PackedKeys): Float64Array
  areSeen(shard: number, keys: PackedKeys): boolean[]
  add(shard: number, keys: PackedKeys, amounts: Float64Array): void
  tally(shard: number, keys: PackedKeys, amounts: Float64Array): void
  lower(shard: number, keys: PackedKeys, values: Float64Array): void
  see(shard: number, keys: PackedKeys): void
  /**
   * Removes some entries of a group that may be forgotten at `now`. @returns the end of that group, or null when there is none; both
   * UTC epoch milliseconds.
   */
  sweep(now: number): number | null
  /** Drops what is cached in memory. Call it after a transaction that did not commit. */
  reload(): void
  clear(): void
}

export function openEntries(db: DatabaseSync): Entries {
  const findGroup = db.prepare('SELECT id, kept_until AS keptUntil FROM groups WHERE shard = ? AND name = ?')
  // The latest end holds, and none, as the maximum with a null, longer than any.
  const addGroup = db.prepare(
    `INSERT INTO groups (shard, name, kept_until) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET kept_until = max(kept_until, excluded.kept_until)
     RETURNING id, kept_until AS keptUntil`,
  )
  const find = db.prepare('SELECT value FROM entries WHERE group_id = ? AND id = ?')
  const findSeveral = db.prepare('SELECT id, value FROM entries WHERE group_id = ? AND id >= ? AND id < ?')
  for (const each of [find, findSeveral]) each.setReturnArrays(true)
  const add = db.prepare(
    `INSERT INTO entries VALUES (?, ?, max(0, ?))
     ON CONFLICT DO UPDATE SET value = max(0, value + ?)`,
  )
  const lower = db.prepare(
    `INSERT INTO entries VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET value = excluded.value WHERE value = 0 OR value > excluded.value`,
  )
  const see = db.prepare('INSERT OR IGNORE INTO entries VALUES (?, ?, 1)')
  const findEnded = db.prepare('SELECT id, kept_until FROM groups WHERE kept_until <= ? LIMIT 1')
  const removeSome = db.prepare(
    `DELETE FROM entries WHERE group_id = $group
     AND id IN (SELECT id FROM entries WHERE group_id = $group LIMIT ${SWEPT_PER_CALL})`,
  )
  const removeGroup = db.prepare('DELETE FROM groups WHERE id = ?')
  /** By shard and name. A row id is never used again. */
  const groups = lruCache<StoredGroup>(GROUPS_CACHED)

  function storedGroup(shard: number, { name }: RowGroup): StoredGroup | null {
    const key = `${shard}/${name}`
    const known = groups.get(key)
    if (known !== undefined) return known
    const found = findGroup.get(shard, name) as unknown as StoredGroup | undefined
    if (found) groups.set(key, found)
    return found ?? null
  }

  const groupId = (shard: number, group: RowGroup): number | null => storedGroup(shard, group)?.id ?? null

  function groupIdFor(shard: number, group: RowGroup): number {
    const found = storedGroup(shard, group)
    if (found !== null && endOf(found) >= endOf(group)) return found.id
    const stored = addGroup.get(shard, group.name, group.keptUntil) as unknown as StoredGroup
    groups.set(`${shard}/${group.name}`, stored)
    return stored.id
  }

  function valueAt(group: number | null, id: number | string): number {
    if (group === null) return 0
    const row = find.get(group, id) as [number] | undefined
    return row === undefined ? 0 : row[0]
  }

  function valuesAt(shard: number, keys: PackedKeys): number[] {
    const groupIds = keys.groups.map((group) => groupId(shard, group))
    return Array.from(keys.ids, (_, i) => valueAt(groupIds[keys.groupOf[i]!]!, idAt(keys, i)))
  }

  /** Calls `work` for every key, with the row id of its group. Adds missing groups. */
  function forEach(
    shard: number,
    keys: PackedKeys,
    work: (group: number, id: number | string, i: number) => void,
  ): void {
    const groupIds = keys.groups.map((group) => groupIdFor(shard, group))
    for (let i = 0; i < keys.ids.length; i++) work(groupIds[keys.groupOf[i]!]!, idAt(keys, i), i)
  }

  return {
    value(key) {
      const { group, id } = rowOf(key)
      return valueAt(groupId(key.shard, group), id)
    },
    values: valuesAt,
    tallies(shard, { groups, groupOf, ids }) {
      const groupIds = groups.map((group) => groupId(shard, group))
      let length = 0
      for (const place of groupOf) length += groups[place]!.counts
      const found = new Float64Array(length)
      let at = 0
      for (let i = 0; i < ids.length; i++) {
        const { counts } = groups[groupOf[i]!]!
        const group = groupIds[groupOf[i]!]!
        const first = ids[i]!
        if (group !== null) {
          const rows = findSeveral.all(group, first, first + counts) as unknown as [number, number][]
          for (const [id, value] of rows) found[at + id - first] = value
        }
        at += counts
      }
      return found
    },
    areSeen: (shard, keys) => valuesAt(shard, keys).map((value) => value > 0),
    add: (shard, keys, amounts) => forEach(shard, keys, (group, id, i) => add.run(group, id, amounts[i]!, amounts[i]!)),
    tally(shard, keys, amounts) {
      let at = 0
      forEach(shard, keys, (group, first, i) => {
        const { counts } = keys.groups[keys.groupOf[i]!]!
        for (let count = 0; count < counts; count++) {
          const amount = amounts[at++]!
          if (amount > 0) add.run(group, (first as number) + count, amount, amount)
        }
      })
    },
    lower: (shard, keys, values) => forEach(shard, keys, (group, id, i) => lower.run(group, id, values[i]!)),
    see: (shard, keys) => forEach(shard, keys, (group, id) => see.run(group, id)),
    sweep(now) {
      const ended = findEnded.get(now) as { id: number; kept_until: number } | undefined
      if (!ended) return null
      const removed = Number(removeSome.run({ $group: ended.id }).changes)
      if (removed === SWEPT_PER_CALL) return ended.kept_until
      removeGroup.run(ended.id)
      for (const [key, { id }] of groups.entries()) if (id === ended.id) groups.delete(key)
      return ended.kept_until
    },
    reload: () => groups.clear(),
    clear() {
      db.exec('DELETE FROM groups; DELETE FROM entries')
      groups.clear()
    },
  }
}

/** The row of a group. */
interface StoredGroup extends Pick<RowGroup, 'keptUntil'> {
  id: number
}

const endOf = ({ keptUntil }: Pick<RowGroup, 'keptUntil'>): number => keptUntil ?? Number.POSITIVE_INFINITY

/** The id of the row of the key at index `i`. */
function idAt({ groups, groupOf, ids, texts }: PackedKeys, i: number): number | string {
  return groups[groupOf[i]!]!.name.startsWith('e/') ? texts[ids[i]!]! : ids[i]!
}

import type { DatabaseSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { fingerprintIn, numberOf } from '../fingerprint.ts'
import type { CounterKey, SeenKey, TallyKey } from '../port.ts'

/** Groups whose row ids are kept in memory. */
const GROUPS_CACHED = 20_000
/** Entries of forgotten groups that one call removes. */
const SWEPT_PER_CALL = 2_000

/** A tally has so many bits of the fingerprint of its id, and the number of the counter below them. */
const ID_BITS = 50
const COUNTS_MAX = 8

type Group = Pick<CounterKey['group'], 'name' | 'keptUntil'>

/** The counters and seen keys of a database. All calls belong into a transaction, except those that only read. */
export interface Entries {
  value(key: CounterKey): number
  add(key: CounterKey, amount: number): void
  /** The counters of an id. */
  tallies(key: TallyKey): number[]
  tally(key: TallyKey, amounts: readonly number[]): void
  lower(key: CounterKey, value: number): void
  isSeen(shard: number, key: SeenKey): boolean
  see(shard: number, key: SeenKey): void
  /** Removes some of what may be forgotten by `now`, UTC epoch milliseconds. */
  sweep(now: number): void
  /** Forgets what is held in memory: after a transaction that did not commit. */
  reload(): void
  clear(): void
}

export function openEntries(db: DatabaseSync): Entries {
  const findGroup = db.prepare('SELECT id FROM groups WHERE shard = ? AND name = ?')
  const addGroup = db.prepare('INSERT INTO groups (shard, name, kept_until) VALUES (?, ?, ?)')
  const find = db.prepare('SELECT value FROM entries WHERE group_id = ? AND id = ?')
  const findSeveral = db.prepare('SELECT id, value FROM entries WHERE group_id = ? AND id >= ? AND id < ?')
  const add = db.prepare(
    `INSERT INTO entries VALUES ($group, $id, max(0, $amount))
     ON CONFLICT DO UPDATE SET value = max(0, value + $amount)`,
  )
  const lower = db.prepare(
    `INSERT INTO entries VALUES ($group, $id, $value)
     ON CONFLICT DO UPDATE SET value = $value WHERE value = 0 OR value > $value`,
  )
  const see = db.prepare('INSERT OR IGNORE INTO entries VALUES (?, ?, 1)')
  const findEnded = db.prepare('SELECT id FROM groups WHERE kept_until <= ? LIMIT 1')
  const removeSome = db.prepare(
    `DELETE FROM entries WHERE group_id = $group
     AND id IN (SELECT id FROM entries WHERE group_id = $group LIMIT ${SWEPT_PER_CALL})`,
  )
  const removeGroup = db.prepare('DELETE FROM groups WHERE id = ?')
  /** Row ids, which are never used again, by shard and name. */
  const groups = new LRUCache<string, number>({ max: GROUPS_CACHED })

  function groupId(shard: number, name: string): number | null {
    const key = `${shard}/${name}`
    const known = groups.get(key)
    if (known !== undefined) return known
    const found = findGroup.get(shard, name) as { id: number } | undefined
    if (found) groups.set(key, found.id)
    return found?.id ?? null
  }

  function groupIdFor(shard: number, name: string, { keptUntil }: Group): number {
    const found = groupId(shard, name)
    if (found !== null) return found
    const id = Number(addGroup.run(shard, name, keptUntil).lastInsertRowid)
    groups.set(`${shard}/${name}`, id)
    return id
  }

  function readValue(shard: number, name: string, id: number | string): number {
    const group = groupId(shard, name)
    return group === null ? 0 : ((find.get(group, id)?.value as number | undefined) ?? 0)
  }

  const counterGroup = ({ group }: CounterKey) => (group.exact ? `e/${group.name}` : `c/${group.name}`)
  const counterId = (key: CounterKey) => (key.group.exact ? key.id : numberOf(fingerprintIn(key)))
  const tallyGroup = ({ group }: TallyKey) => `c/${group.name}`
  const tallyId = ({ fingerprint }: TallyKey) => (numberOf(fingerprint) % 2 ** ID_BITS) * COUNTS_MAX
  const rowOf = (key: CounterKey) => ({
    $group: groupIdFor(key.shard, counterGroup(key), key.group),
    $id: counterId(key),
  })
  const seenId = ({ fingerprint }: SeenKey) => numberOf(fingerprint)

  return {
    value: (key) => readValue(key.shard, counterGroup(key), counterId(key)),
    add: (key, amount) => void add.run({ ...rowOf(key), $amount: amount }),
    tallies(key) {
      const counts = new Array<number>(key.group.counts).fill(0)
      const group = groupId(key.shard, tallyGroup(key))
      if (group === null) return counts
      const first = tallyId(key)
      for (const { id, value } of findSeveral.all(group, first, first + counts.length)) {
        counts[Number(id) - first] = Number(value)
      }
      return counts
    },
    tally(key, amounts) {
      const $group = groupIdFor(key.shard, tallyGroup(key), key.group)
      const first = tallyId(key)
      for (const [count, $amount] of amounts.entries())
        if ($amount > 0) add.run({ $group, $id: first + count, $amount })
    },
    lower: (key, value) => void lower.run({ ...rowOf(key), $value: value }),
    isSeen: (shard, key) => readValue(shard, `s/${key.group.name}`, seenId(key)) > 0,
    see: (shard, key) => void see.run(groupIdFor(shard, `s/${key.group.name}`, key.group), seenId(key)),
    sweep(now) {
      const ended = findEnded.get(now) as { id: number } | undefined
      if (!ended) return
      if (Number(removeSome.run({ $group: ended.id }).changes) === SWEPT_PER_CALL) return
      removeGroup.run(ended.id)
      for (const [key, id] of groups.entries()) if (id === ended.id) groups.delete(key)
    },
    reload: () => groups.clear(),
    clear() {
      db.exec('DELETE FROM groups; DELETE FROM entries')
      groups.clear()
    },
  }
}

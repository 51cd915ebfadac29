import type { DatabaseSync } from 'node:sqlite'

/** Keys moved to the sorted table for each key changed: over 1, so that a generation is gone before the next is full. */
const MERGED_PER_CHANGE = 2
/** Rows looked at for removal for each key changed: over 1, so that at most half the table is waiting for it. */
const SWEPT_PER_CHANGE = 2

export interface Entry {
  value: number
  /** UTC epoch milliseconds; null: never. */
  expiresAt: number | null
  source: number
}

type Tuple = [key: string, value: number, expiresAt: number | null, source: number]

export interface KeyTable {
  /** Brings these keys within reach of `get`, until the next `load`. */
  load(keys: Iterable<string>): void
  get(key: string): Entry | undefined
  set(key: string, entry: Entry): void
  /** Stores what was set since the last write, within the caller's transaction. */
  write(): void
  /** Goes back to what is stored; after a transaction that did not commit. */
  reload(): void
}

/**
 * Keys and values in `entries`, with the latest changes in memory and in the journal `changes`.
 * A full memory of changes becomes a generation that each write moves on a little, in the order of its keys; values are
 * absolute, so after a crash the whole journal is read into memory again and moved once more.
 */
export function openKeyTable(db: DatabaseSync, { changedKeysMax }: { changedKeysMax: number }): KeyTable {
  const find = db.prepare(
    `SELECT e.key, e.value, e.expires_at, e.source FROM json_each(?) AS wanted
    CROSS JOIN entries AS e ON e.key = wanted.value`,
  )
  const journal = db.prepare('INSERT INTO changes (generation, tuples) VALUES (?, ?)')
  const journaled = db.prepare('SELECT generation, tuples FROM changes ORDER BY id')
  const forget = db.prepare('DELETE FROM changes WHERE generation <= ?')
  const merge = db.prepare(`INSERT INTO entries (key, value, expires_at, source)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?) WHERE true
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at, source = excluded.source`)
  const keyAfter = db.prepare('SELECT key FROM entries WHERE key > ? ORDER BY key LIMIT 1 OFFSET ?')
  const sweep = db.prepare(`DELETE FROM entries WHERE key > ?1 AND (?2 IS NULL OR key <= ?2)
    AND expires_at <= (SELECT last_now FROM sources WHERE id = entries.source)`)

  let generation = 0
  let recent = new Map<string, Entry>()
  let merging: { entries: Map<string, Entry>; keys: string[]; next: number } | null = null
  const unwritten = new Set<string>()
  const loaded = new Map<string, Entry>()
  let sweptTo = ''

  const tuple = (key: string, { value, expiresAt, source }: Entry): Tuple => [key, value, expiresAt, source]

  function mergeSome(keysMax: number): void {
    if (!merging) {
      if (recent.size < changedKeysMax) return
      merging = { entries: recent, keys: [...recent.keys()].sort(), next: 0 }
      recent = new Map()
      generation += 1
    }
    const { entries, keys, next } = merging
    merging.next += keysMax
    merge.run(JSON.stringify(keys.slice(next, merging.next).map((key) => tuple(key, entries.get(key)!))))
    if (merging.next >= keys.length) {
      forget.run(generation - 1)
      merging = null
    }
  }

  function sweepSome(rowsMax: number): void {
    const end = keyAfter.get(sweptTo, rowsMax)
    sweep.run(sweptTo, end ? (end.key as string) : null)
    sweptTo = end ? (end.key as string) : ''
  }

  function reload(): void {
    recent = new Map()
    merging = null
    unwritten.clear()
    loaded.clear()
    for (const row of journaled.iterate()) {
      generation = row.generation as number
      for (const [key, value, expiresAt, source] of JSON.parse(row.tuples as string) as Tuple[]) {
        recent.set(key, { value, expiresAt, source })
      }
    }
  }

  reload()
  return {
    load(keys) {
      loaded.clear()
      const unknown = [...keys].filter((key) => !recent.has(key) && !merging?.entries.has(key))
      for (const row of find.iterate(JSON.stringify(unknown))) {
        loaded.set(row.key as string, {
          value: row.value as number,
          expiresAt: row.expires_at as number | null,
          source: row.source as number,
        })
      }
    },
    get: (key) => recent.get(key) ?? merging?.entries.get(key) ?? loaded.get(key),
    set(key, entry) {
      recent.set(key, entry)
      unwritten.add(key)
    },
    write() {
      if (unwritten.size === 0) return
      journal.run(generation, JSON.stringify([...unwritten].map((key) => tuple(key, recent.get(key)!))))
      mergeSome(unwritten.size * MERGED_PER_CHANGE)
      sweepSome(unwritten.size * SWEPT_PER_CHANGE)
      unwritten.clear()
    },
    reload,
  }
}

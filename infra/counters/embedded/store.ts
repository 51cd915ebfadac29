import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { notWritten } from '../../engine-unavailable.ts'
import {
  type CounterKey,
  CountersBehind,
  CountersMoved,
  CountersUnavailable,
  type LoadedShard,
  type Reservation,
  type SourceInShard,
} from '../port.ts'
import { createReservationTable } from '../reservations.ts'
import { openEntries } from './entries.ts'
import type { PackedChange, PackedLoad } from './packed.ts'

/** The version of schema.sql. Counters are a projection: a file of another version is dropped, and everything is counted again. */
const SCHEMA_VERSION = 2
const PAGE_CACHE_KIB = 65_536
/** WAL pages (4 KiB) between checkpoints. */
const CHECKPOINT_PAGES = 4_000
const LOCK_WAIT_MS = 5_000
/** A clock may be set back by this much without harm: counters that decide about money are kept a day longer than they are needed. */
const SET_BACK_MAX_MS = 60_000

/**
 * The port `Counters`, with synchronous calls. Reservations and secrets are in memory only; everything else outlives the process. A
 * crash of the machine may undo the last changes, all from some moment on; the judge then counts them again from the log.
 */
export interface CounterStore {
  load(loads: readonly PackedLoad[]): LoadedShard[]
  /** Stores changes in one transaction. @returns for each, in order, why it was refused, or null when it is stored. */
  storeAll(changes: readonly PackedChange[]): (CountersMoved | null)[]
  read(keys: readonly CounterKey[]): number[]
  positions(sources: readonly SourceInShard[]): number[]
  complete(): boolean[]
  markComplete(shard: number): void
  raiseWatermark(at: number): void
  watermark(): number
  reserve(reservations: readonly Reservation[]): number[]
  agree(name: string, proposed: string, ttlMs: number): string
  clear(): void
  /** The number of counters and seen keys on disk, including forgotten ones that wait for their removal. */
  size(): number
  close(): void
}

export interface CounterStoreOptions {
  folder: string
  shards: number
  /** UTC epoch milliseconds. */
  clock?: () => number
}

/** Counters in one SQLite file of `folder`, for one process and thread at a time. */
export function openCounterStore({ folder, shards, clock = Date.now }: CounterStoreOptions): CounterStore {
  const db = openDatabase(join(folder, 'counters.sqlite'), shards)
  const entries = openEntries(db)
  const findSource = db.prepare('SELECT position, note FROM sources WHERE shard = ? AND source = ?')
  const moveSource = db.prepare(
    `INSERT INTO sources VALUES ($shard, $source, $position, $note)
     ON CONFLICT DO UPDATE SET position = $position, note = coalesce($note, note)`,
  )
  const findComplete = db.prepare('SELECT 1 FROM complete WHERE shard = ?')
  const addComplete = db.prepare('INSERT OR IGNORE INTO complete VALUES (?)')
  const findWatermark = db.prepare('SELECT at FROM watermark')
  const raise = db.prepare('INSERT INTO watermark VALUES (0, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)')
  const findForgotten = db.prepare('SELECT until FROM forgotten')
  const noteForgotten = db.prepare(
    'INSERT INTO forgotten VALUES (0, ?) ON CONFLICT DO UPDATE SET until = max(until, excluded.until)',
  )
  const reservations = createReservationTable()
  const secrets = new Map<string, { value: string; expiresAt: number }>()

  function sourceAt({ shard, source }: SourceInShard): { position: number; note: string | null } {
    const found = findSource.get(shard, source) as { position: number; note: string | null } | undefined
    return found ?? { position: -1, note: null }
  }

  const isComplete = (shard: number) => findComplete.get(shard) !== undefined

  /** Drops the cache of entries when the transaction does not commit, as it may hold rows that were rolled back. */
  function transaction<T>(work: () => T): T {
    try {
      db.exec('BEGIN IMMEDIATE')
      const result = work()
      db.exec('COMMIT')
      return result
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      entries.reload()
      throw notWritten(error as Error, 'The counters', CountersUnavailable)
    }
  }

  /** Applies one change within the transaction. A refused change changes nothing. */
  function apply({ shard, source, after, upTo, note, ...change }: PackedChange): CountersMoved | null {
    const { position } = sourceAt({ shard, source })
    if (position !== after) {
      return new CountersMoved(`${source} stands at ${position} in shard ${shard}, not at ${after}`)
    }
    entries.add(shard, change.add, change.added)
    entries.tally(shard, change.tally, change.tallied)
    entries.lower(shard, change.lower, change.lowered)
    entries.see(shard, change.seen)
    moveSource.run({ $shard: shard, $source: source, $position: upTo, $note: note })
    const forgottenUntil = entries.sweep(clock())
    if (forgottenUntil !== null) noteForgotten.run(forgottenUntil)
    return null
  }

  /** Clears everything, so that it is counted again, when a clock that was ahead has made the store forget groups too early. */
  function clearIfForgottenEarly(): void {
    const until = (findForgotten.get()?.until as number | undefined) ?? Number.NEGATIVE_INFINITY
    if (until > clock() + SET_BACK_MAX_MS) clear()
  }

  function clear(): void {
    transaction(() => {
      db.exec('DELETE FROM sources; DELETE FROM complete; DELETE FROM forgotten; DELETE FROM watermark')
      entries.clear()
    })
    reservations.clear()
  }

  clearIfForgottenEarly()
  return {
    load: (loads) =>
      loads.map(({ shard, source, after, keys, tallies, seen }) => {
        const { position, note } = sourceAt({ shard, source })
        if (position < after) {
          throw new CountersBehind(`${source} stands at ${position} in shard ${shard}, not at ${after}`)
        }
        return {
          position,
          note,
          values: entries.values(shard, keys),
          tallies: entries.tallies(shard, tallies),
          seen: entries.areSeen(shard, seen),
          complete: isComplete(shard),
        }
      }),
    storeAll(changes) {
      clearIfForgottenEarly()
      const refusals = transaction(() => changes.map(apply))
      for (const [i, { shard, released }] of changes.entries()) {
        if (refusals[i]) continue
        for (const { key, holder } of released) reservations.release(shard, key, holder)
      }
      return refusals
    },
    read(keys) {
      for (const shard of new Set(keys.map((key) => key.shard))) {
        if (!isComplete(shard)) throw new CountersUnavailable(`Shard ${shard} of the counters is being recounted`)
      }
      return keys.map(entries.value)
    },
    positions: (sources) => sources.map((each) => sourceAt(each).position),
    complete: () => Array.from({ length: shards }, (_, shard) => isComplete(shard)),
    markComplete: (shard) => void transaction(() => addComplete.run(shard)),
    raiseWatermark: (at) => void transaction(() => raise.run(at)),
    watermark: () => (findWatermark.get()?.at as number | undefined) ?? -1,
    reserve: (wanted) => wanted.map((reservation) => reservations.reserve(reservation, entries.value)),
    agree(name, proposed, ttlMs) {
      const at = clock()
      for (const [each, { expiresAt }] of secrets) if (expiresAt <= at) secrets.delete(each)
      const agreed = secrets.get(name) ?? { value: proposed, expiresAt: at + ttlMs }
      secrets.set(name, agreed)
      return agreed.value
    },
    clear,
    size: () => db.prepare('SELECT count(*) AS entries FROM entries').get()!.entries as number,
    close() {
      db.close()
    },
  }
}

/** Opens the file. One of another schema, or of another number of shards, which puts keys into other shards, is replaced. */
function openDatabase(file: string, shards: number): DatabaseSync {
  const open = () => {
    const db = new DatabaseSync(file, { timeout: LOCK_WAIT_MS })
    db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -${PAGE_CACHE_KIB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`)
    return db
  }
  const version = SCHEMA_VERSION * 10_000 + shards
  const db = open()
  if (db.prepare('PRAGMA user_version').get()!.user_version === version) return db
  db.close()
  for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true })
  const empty = open()
  empty.exec(`BEGIN; ${readFileSync(new URL('./schema.sql', import.meta.url), 'utf8')}
    PRAGMA user_version = ${version}; COMMIT;`)
  return empty
}

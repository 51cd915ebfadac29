import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { runsOf } from '../chunks.ts'
import { CountersBehind, type Outcome, type Progress, type Reservation, type Step } from '../port.ts'
import { createReservationTable, type ReservationState } from '../reservations.ts'
import { openKeyTable } from './keys.ts'
import { applyStep, type CounterState } from './step.ts'

/** How far back outcomes are kept for each source, in offsets. */
const OUTCOMES_KEPT = 100_000
/** Changed keys that are held in memory before they go to the sorted table. */
const CHANGED_KEYS_MAX = 100_000
const PAGE_CACHE_KIB = 65_536
/** WAL pages (4 KiB) between checkpoints. */
const CHECKPOINT_PAGES = 4_000
const LOCK_WAIT_MS = 5_000

interface Source {
  id: number
  lastOffset: number
  /** Time of the latest step, UTC epoch milliseconds. */
  lastNow: number
}

export interface CounterStore {
  /** Applies the steps in one transaction, durable on return. Throws with nothing applied. */
  apply(steps: readonly Step[], progress?: Progress): Outcome[]
  /** In memory only. */
  reserve(reservations: readonly Reservation[]): number[]
  /** In memory only: a secret is gone with the process at the latest. */
  agree(name: string, proposed: string, ttlMs: number): string
  /** Values at the latest time that any step has told. */
  read(keys: readonly string[]): number[]
  positions(sources: readonly string[]): number[]
  clear(): void
  /** Keys on disk, expired ones that still wait for removal among them; changes not yet sorted in are not counted. */
  size(): number
  close(): void
}

/** Counters in one SQLite file of `folder`, for one process and thread at a time. */
export function openCounterStore({
  folder,
  changedKeysMax = CHANGED_KEYS_MAX,
  clock = Date.now,
}: {
  folder: string
  changedKeysMax?: number
  /** UTC epoch milliseconds. */
  clock?: () => number
}): CounterStore {
  const db = new DatabaseSync(join(folder, 'counters.sqlite'), { timeout: LOCK_WAIT_MS })
  db.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    PRAGMA cache_size = -${PAGE_CACHE_KIB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`)
  db.exec(readFileSync(new URL('./schema.sql', import.meta.url), 'utf8'))
  const keys = openKeyTable(db, { changedKeysMax })
  const outcomes = openOutcomes(db)
  const allSources = db.prepare('SELECT id, name, last_offset, last_now FROM sources')
  const addSource = db.prepare('INSERT INTO sources (name, last_offset, last_now) VALUES (?, -1, 0)')
  const advance = db.prepare('UPDATE sources SET last_offset = ?, last_now = ? WHERE id = ?')
  const reservationTable = createReservationTable()
  const secrets = new Map<string, { value: string; expiresAt: number }>()
  let sources = loadSources()

  function loadSources(): Map<string, Source> {
    const rows = allSources.all() as { id: number; name: string; last_offset: number; last_now: number }[]
    return new Map(rows.map((row) => [row.name, { id: row.id, lastOffset: row.last_offset, lastNow: row.last_now }]))
  }

  function sourceOf(name: string): Source {
    const known = sources.get(name)
    if (known) return known
    const source = { id: Number(addSource.run(name).lastInsertRowid), lastOffset: -1, lastNow: 0 }
    sources.set(name, source)
    return source
  }

  function valueAt(key: string, now: number): number {
    const entry = keys.get(key)
    return entry && (entry.expiresAt === null || entry.expiresAt > now) ? entry.value : 0
  }

  const reservationState: ReservationState = {
    value: (key, now) => valueAt(counted(key), now),
    isTaken: (key, now) => valueAt(taken(key), now) > 0,
  }

  const stateFor = (source: Source): CounterState => ({
    value: reservationState.value,
    set: (key, value, expiresAt) => keys.set(counted(key), { value, expiresAt, source: source.id }),
    takeOnce(key, expiresAt, now) {
      if (valueAt(taken(key), now) > 0) return false
      keys.set(taken(key), { value: 1, expiresAt, source: source.id })
      return true
    },
    isTaken: reservationState.isTaken,
  })

  /** Applies steps of one source; its positions at or below the last get what they got. */
  function applyRun(name: string, steps: readonly Step[]): Outcome[] {
    const source = sourceOf(name)
    const state = stateFor(source)
    const applied = new Map<number, Outcome>()
    const answers = steps.map((step) => {
      if (step.offset <= source.lastOffset)
        return applied.get(step.offset) ?? outcomes.get(name, source.id, step.offset)
      const outcome = applyStep(step, state)
      applied.set(step.offset, outcome)
      source.lastOffset = step.offset
      source.lastNow = Math.max(source.lastNow, step.now)
      return outcome
    })
    outcomes.keep(source.id, applied)
    advance.run(source.lastOffset, source.lastNow, source.id)
    return answers
  }

  function expect({ source: name, after }: Progress): void {
    const at = sources.get(name)?.lastOffset ?? -1
    if (at < after) throw new CountersBehind(`${name} stands at ${at}, not at ${after}`)
  }

  function moveUpTo({ source: name, upTo }: Progress): void {
    const source = sourceOf(name)
    if (upTo <= source.lastOffset) return
    source.lastOffset = upTo
    advance.run(source.lastOffset, source.lastNow, source.id)
  }

  /** Nothing in memory may outlive a transaction that did not commit. */
  function transaction<T>(work: () => T): T {
    try {
      db.exec('BEGIN IMMEDIATE')
      const result = work()
      db.exec('COMMIT')
      return result
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      reload()
      throw error
    }
  }

  function reload(): void {
    keys.reload()
    sources = loadSources()
  }

  return {
    apply: (steps, progress) =>
      transaction(() => {
        if (progress) expect(progress)
        keys.load(keysOf(steps))
        const answers = runsOf(steps).flatMap((run) => applyRun(run[0]!.source, run))
        keys.write()
        if (progress) moveUpTo(progress)
        return answers
      }),
    reserve(reservations) {
      const named = reservations.flatMap(({ limits }) => limits.flatMap((limit) => limit.counted ?? []))
      keys.load([...named.map(counted), ...reservationTable.onceKeys(reservations).map(taken)])
      return reservations.map((reservation) => reservationTable.reserve(reservation, reservationState))
    },
    agree(name, proposed, ttlMs) {
      const at = clock()
      for (const [each, { expiresAt }] of secrets) if (expiresAt <= at) secrets.delete(each)
      const agreed = secrets.get(name) ?? { value: proposed, expiresAt: at + ttlMs }
      secrets.set(name, agreed)
      return agreed.value
    },
    read(names) {
      const now = Math.max(0, ...[...sources.values()].map((source) => source.lastNow))
      const wanted = names.map(counted)
      keys.load(wanted)
      return wanted.map((key) => valueAt(key, now))
    },
    positions: (names) => names.map((name) => sources.get(name)?.lastOffset ?? -1),
    clear() {
      transaction(() => {
        for (const table of ['sources', 'outcomes', 'entries', 'changes']) db.exec(`DELETE FROM ${table}`)
      })
      reload()
      reservationTable.clear()
    },
    size: () => db.prepare('SELECT count(*) AS keys FROM entries').get()!.keys as number,
    close() {
      db.close()
    },
  }
}

/** Counters and once keys share a table, apart by prefix. */
const counted = (key: string) => `c/${key}`
const taken = (key: string) => `o/${key}`

function keysOf(steps: readonly Step[]): Set<string> {
  const keys = new Set<string>()
  for (const { once, limits, carry, actor } of steps) {
    if (once) keys.add(taken(once.key))
    for (const { key, window, allowances, unlessTaken } of limits) {
      keys.add(counted(key))
      for (const each of window ?? []) keys.add(counted(each))
      for (const allowance of allowances ?? []) for (const each of allowance.keys) keys.add(counted(each))
      if (unlessTaken !== undefined) keys.add(taken(unlessTaken))
    }
    if (carry) keys.add(counted(carry.key))
    if (actor) keys.add(counted(actor.key))
  }
  return keys
}

function openOutcomes(db: DatabaseSync) {
  const insert = db.prepare('INSERT INTO outcomes (source, first_offset, last_offset, pairs) VALUES (?, ?, ?, ?)')
  const find = db.prepare(
    'SELECT pairs FROM outcomes WHERE source = ? AND first_offset <= ? ORDER BY first_offset DESC LIMIT 1',
  )
  const remove = db.prepare('DELETE FROM outcomes WHERE source = ? AND last_offset <= ?')
  /** The row read last: a repeated batch asks for one position after the other. */
  let last = { text: '', outcomes: new Map<number, Outcome>() }

  return {
    /** Offsets of `applied` rise, past all kept before. */
    keep(sourceId: number, applied: ReadonlyMap<number, Outcome>): void {
      if (applied.size === 0) return
      const pairs = [...applied]
      const lastOffset = pairs.at(-1)![0]
      insert.run(sourceId, pairs[0]![0], lastOffset, JSON.stringify(pairs))
      remove.run(sourceId, lastOffset - OUTCOMES_KEPT)
    },
    /** What the position got when it was applied. Asking for one that is not kept is a broken invariant. */
    get(name: string, sourceId: number, offset: number): Outcome {
      const text = (find.get(sourceId, offset)?.pairs ?? '[]') as string
      if (text !== last.text) last = { text, outcomes: new Map(JSON.parse(text) as [number, Outcome][]) }
      const outcome = last.outcomes.get(offset)
      if (outcome === undefined) throw new Error(`No outcome of ${name} offset ${offset}: older than kept, or skipped`)
      return outcome
    },
  }
}

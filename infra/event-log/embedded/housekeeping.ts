import type { DatabaseSync } from 'node:sqlite'
import { DAY_MS } from '../../../schemas/durations.ts'
import { topics } from '../../../schemas/topics.ts'
import type { Partition, Partitions } from './database.ts'

/** Blocks that one step processes: a few milliseconds of work, so that appends do not wait long. */
const STEP_BLOCKS = 500
/** How long a tombstone stays, so that readers see the removal: a day, like Kafka's delete.retention.ms. */
export const TOMBSTONE_RETENTION_MS = DAY_MS

/**
 * Removes superseded values and old tombstones of compacted topics, and expired blocks of retained ones.
 * @returns one bounded step, to be run in a transaction; it returns whether there is more to do.
 */
export function createHousekeeping(database: DatabaseSync, partitions: Partitions, now: () => number): () => boolean {
  const all = Object.values(partitions).flat()
  const compacted = new Map(all.filter((each) => each.compacted).map((each) => [each.id, each]))
  const places = database.prepare('SELECT id, compacted_to FROM partitions')
  const uncompacted = database.prepare(
    `SELECT first_offset, key FROM blocks WHERE partition_id = ? AND first_offset >= ? AND first_offset < ?
     ORDER BY first_offset LIMIT ${STEP_BLOCKS}`,
  )
  const removeOlder = database.prepare('DELETE FROM blocks WHERE partition_id = ? AND key = ? AND first_offset < ?')
  const setCompacted = database.prepare('UPDATE partitions SET compacted_to = ? WHERE id = ?')
  // Only below compacted_to: there, no older value of the key is left that would reappear once its tombstone is removed.
  const removeTombstones = database.prepare(
    `DELETE FROM blocks WHERE id IN (
       SELECT blocks.id FROM blocks JOIN partitions ON partitions.id = blocks.partition_id
       WHERE is_tombstone = 1 AND appended_at < ? AND first_offset < compacted_to LIMIT ${STEP_BLOCKS})`,
  )
  const oldest = database.prepare('SELECT appended_at FROM blocks WHERE partition_id = ? ORDER BY first_offset LIMIT 1')
  // Only from the front: after a clock was set back, older blocks follow newer ones, and a partition must have no gaps.
  const removeExpired = database.prepare(
    `DELETE FROM blocks WHERE id IN (
       SELECT id FROM (
         SELECT id, max(appended_at) OVER (ORDER BY first_offset) AS latest FROM (
           SELECT id, first_offset, appended_at FROM blocks WHERE partition_id = :id
           ORDER BY first_offset LIMIT ${STEP_BLOCKS}))
       WHERE latest < :before)`,
  )

  /** Each record, in order of offset, supersedes the earlier ones of its key. */
  function compact({ id, end }: Partition, from: number): boolean {
    const rows = uncompacted.all(id, from, end) as { first_offset: number; key: Uint8Array }[]
    for (const { first_offset, key } of rows) removeOlder.run(id, key, first_offset)
    const done = rows.length < STEP_BLOCKS
    setCompacted.run(done ? end : rows.at(-1)!.first_offset + 1, id)
    return !done
  }

  function compactNext(): boolean {
    for (const { id, compacted_to } of places.all() as { id: number; compacted_to: number }[]) {
      const partition = compacted.get(id)
      if (partition && compacted_to < partition.end && compact(partition, compacted_to)) return true
    }
    return false
  }

  function expire({ id, topic }: Partition): boolean {
    const { retentionMs } = topics[topic]
    if (retentionMs < 0) return false
    const before = now() - retentionMs
    // While nothing has expired, this reads one block; the statement below would read as many as it may remove.
    const first = oldest.get(id) as { appended_at: number } | undefined
    if (!first || first.appended_at >= before) return false
    return removeExpired.run({ id, before }).changes === STEP_BLOCKS
  }

  return () => {
    if (compactNext()) return true
    if (all.some(expire)) return true
    return removeTombstones.run(now() - TOMBSTONE_RETENTION_MS).changes === STEP_BLOCKS
  }
}

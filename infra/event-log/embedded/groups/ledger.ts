import type { DatabaseSync } from 'node:sqlite'
import type { Commit } from '../../port.ts'

/** What consumer groups have committed, and the epochs of exclusive writers. Writes need a transaction around them. */
export function createGroupLedger(database: DatabaseSync) {
  const select = database.prepare(
    'SELECT topic, partition, next_offset AS offset, metadata FROM commits WHERE group_name = ?',
  )
  const upsert = database.prepare(
    `INSERT INTO commits (group_name, topic, partition, next_offset, metadata) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET next_offset = excluded.next_offset, metadata = excluded.metadata`,
  )
  const remove = database.prepare('DELETE FROM commits WHERE group_name = ?')
  const raiseEpoch = database.prepare(
    `INSERT INTO writers (name, epoch) VALUES (?, 1) ON CONFLICT DO UPDATE SET epoch = epoch + 1 RETURNING epoch`,
  )
  const epoch = database.prepare('SELECT epoch FROM writers WHERE name = ?')

  return {
    commits: (group: string) => select.all(group).map((row) => ({ ...row }) as unknown as Commit),
    commit(group: string, { topic, partition, offset, metadata }: Commit): void {
      upsert.run(group, topic, partition, offset, metadata)
    },
    forget(group: string): void {
      remove.run(group)
    },
    /** The epoch of a new writer of that name; every earlier one is fenced from now on. */
    openWriter: (name: string) => (raiseEpoch.get(name) as { epoch: number }).epoch,
    isCurrent: (name: string, ofWriter: number) => (epoch.get(name) as { epoch: number }).epoch === ofWriter,
  }
}

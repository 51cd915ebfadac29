import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { TopicName } from '../../../schemas/topics.ts'
import { type Commit, Fenced, type PartitionBounds, type Replacement, Revoked } from '../port.ts'
import { createBlockReader } from './blocks/reader.ts'
import { createBlockReplacer } from './blocks/replacer.ts'
import { createBlockWriter } from './blocks/writer.ts'
import { loadPartitions, openDatabase, type Partition, WRITE_AHEAD_FILE } from './database.ts'
import { createFileCopy } from './file-copy.ts'
import { packRuns } from './frame.ts'
import { createCommitQueue } from './groups/commit-queue.ts'
import { createConsumerGroups, type Member } from './groups/consumer-groups.ts'
import { createHousekeeping } from './housekeeping.ts'

export interface LogStoreOptions {
  folder: string
  /** UTC epoch milliseconds. */
  now: () => number
}

/** The log inside its worker. Records go in and out as the frames of `frame.ts`. */
export function openLogStore({ folder, now }: LogStoreOptions) {
  const database = openDatabase(folder)
  const partitions = loadPartitions(database)
  const ledger = openLedger(database)
  const reader = createBlockReader(database)
  const writer = createBlockWriter(database, partitions, now)
  const replace = createBlockReplacer(database)
  const groups = createConsumerGroups(partitions, reader, ledger.commits)
  const fileCopy = createFileCopy(database, join(folder, WRITE_AHEAD_FILE))
  const queue = createCommitQueue(database, writer, groups.onGrown, fileCopy.undone)
  const housekeep = createHousekeeping(database, partitions, now)

  const append = (frame: Uint8Array) => writer.append(Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength))

  function partitionAt(topic: TopicName, partition: number): Partition {
    const found = partitions[topic]?.[partition]
    if (!found) throw new RangeError(`There is no partition ${partition} of ${topic}`)
    return found
  }

  /** The calls of one client. When the client disconnects, its members leave their groups. */
  function connect() {
    const members = new Map<number, Member>()

    function member(id: number): Member {
      const found = members.get(id)
      if (!found) throw new Error('This consumer has been closed')
      return found
    }
    // In turn, so that earlier commits are on disk first and the next owner of a partition starts after them.
    const leave = (leaving: Member[]) =>
      queue.afterwards(() => {
        for (const each of leaving) {
          members.delete(each.id)
          groups.leave(each)
        }
      })

    return {
      append: (frame: Uint8Array) => queue.run({ write: () => append(frame) }),

      openWriter: (name: string) => queue.run({ write: () => ledger.openWriter(name) }),
      appendAs: (name: string, epoch: number, frame: Uint8Array) =>
        queue.run({
          check() {
            if (!ledger.isCurrent(name, epoch)) throw new Fenced(`Another writer has taken over ${name}`)
          },
          write: () => append(frame),
        }),

      join: (group: string | null, topics: readonly TopicName[], from?: readonly Commit[]) =>
        queue.afterwards(() => {
          const joined = groups.join(group, topics, from)
          members.set(joined.id, joined)
          return joined.id
        }),
      poll: (id: number, maxRecords: number, maxWaitMs: number) => groups.poll(member(id), maxRecords, maxWaitMs),
      seek: (id: number, topic: TopicName, partition: number, assignmentId: number, offset: number) =>
        groups.seek(member(id), topic, partitionAt(topic, partition).partition, assignmentId, offset),
      refuse(id: number, topic: TopicName, partition: number, assignmentId: number) {
        const refusing = member(id)
        groups.refuse(refusing, topic, partitionAt(topic, partition).partition, assignmentId)
        return queue.afterwards(() => groups.reassign(refusing))
      },
      commit: (id: number, assignmentId: number, commit: Commit, outputs: Uint8Array | null) =>
        queue.run({
          check() {
            const { topic, partition } = commit
            const committer = members.get(id)
            if (!committer || !groups.owns(committer, topic, partition, assignmentId)) {
              throw new Revoked(`${topic}/${partition} has gone to another member of the group`)
            }
          },
          write: () => {
            ledger.commit(member(id).group!, commit)
            if (outputs) append(outputs)
          },
        }),
      async leave(id: number) {
        groups.interrupt(member(id))
        await leave([member(id)])
      },

      bounds: (topic: TopicName): PartitionBounds[] =>
        partitions[topic].map((each) => ({ partition: each.partition, start: reader.start(each), end: each.end })),
      count: (topic: TopicName, partition: number, from: number, to: number) =>
        reader.count(partitionAt(topic, partition), from, to),
      read: (topic: TopicName, partition: number, from: number, max: number) =>
        packRuns(reader.fetch(partitionAt(topic, partition), from, max).runs),

      async replace(topic: TopicName, partition: number, records: readonly Replacement[]): Promise<void> {
        await queue.run({ write: () => replace(partitionAt(topic, partition), records) })
        // Until this checkpoint, the write-ahead log may still hold the replaced bytes.
        await fileCopy.checkpoint()
      },

      committed: (group: string) => ledger.commits(group),
      reset: (group: string, commits: readonly Commit[] | null) =>
        queue.run({
          check() {
            if (groups.membersOf(group).length > 0) throw new Error(`Group ${group} still has members`)
          },
          write: () => {
            if (commits === null) ledger.forget(group)
            else for (const commit of commits) ledger.commit(group, commit)
          },
        }),

      beginFileCopy: fileCopy.begin,
      takeFileCopy: fileCopy.take,
      endFileCopy: fileCopy.end,

      /** Ends the client's polls at once, and its memberships once everything that it has sent is written. */
      async disconnect() {
        for (const each of members.values()) groups.interrupt(each)
        await leave([...members.values()])
      },
    }
  }

  return {
    connect,
    /** One step of compaction and retention. @returns whether there is more to do. */
    housekeep() {
      fileCopy.limitGrowth()
      return queue.run({ write: housekeep })
    },
    async close() {
      await queue.close()
      database.close()
    },
  }
}

/** The commits of consumer groups, and the epochs of exclusive writers. Call the functions that write within a transaction. */
function openLedger(database: DatabaseSync) {
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
    /** The epoch of a new writer of that name. Every earlier writer is fenced from now on. */
    openWriter: (name: string) => (raiseEpoch.get(name) as { epoch: number }).epoch,
    isCurrent: (name: string, ofWriter: number) => (epoch.get(name) as { epoch: number }).epoch === ofWriter,
  }
}

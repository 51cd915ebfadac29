import type { TopicName } from '../../../schemas/topics.ts'
import { type Commit, Fenced, type PartitionBounds, Revoked } from '../port.ts'
import { createBlockReader } from './blocks/reader.ts'
import { createBlockWriter } from './blocks/writer.ts'
import { loadPartitions, openDatabase, type Partition } from './database.ts'
import { packRuns } from './frame.ts'
import { createCommitQueue } from './groups/commit-queue.ts'
import { createConsumerGroups, type Member } from './groups/consumer-groups.ts'
import { createGroupLedger } from './groups/ledger.ts'
import { createHousekeeping } from './housekeeping.ts'

export interface LogStoreOptions {
  folder: string
  /** UTC epoch milliseconds. */
  now: () => number
}

export type LogStore = ReturnType<typeof openLogStore>
export type Connection = ReturnType<LogStore['connect']>

/** The log itself, inside its worker. Records go in and out as the frames of `frame.ts`. */
export function openLogStore({ folder, now }: LogStoreOptions) {
  const database = openDatabase(folder)
  const partitions = loadPartitions(database)
  const ledger = createGroupLedger(database)
  const reader = createBlockReader(database)
  const writer = createBlockWriter(database, partitions, now)
  const groups = createConsumerGroups(partitions, reader, ledger.commits)
  const queue = createCommitQueue(database, writer, groups.onGrown)
  const housekeep = createHousekeeping(database, partitions, now)

  const append = (frame: Uint8Array) => writer.append(Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength))

  function partitionAt(topic: TopicName, partition: number): Partition {
    const found = partitions[topic]?.[partition]
    if (!found) throw new RangeError(`There is no partition ${partition} of ${topic}`)
    return found
  }

  /** What one client may call. Its members leave when it goes. */
  function connect() {
    const members = new Map<number, Member>()

    function member(id: number): Member {
      const found = members.get(id)
      if (!found) throw new Error('This consumer has been closed')
      return found
    }
    // In the queue, so that commits sent before are written first and the next owner starts after them.
    const leave = (leaving: Member[]) =>
      queue.run({
        write: () => {
          for (const each of leaving) {
            members.delete(each.id)
            groups.leave(each)
          }
        },
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

      join: (group: string | null, topics: readonly TopicName[]) =>
        queue.run({
          write: () => {
            const joined = groups.join(group, topics)
            members.set(joined.id, joined)
            return joined.id
          },
        }),
      poll: (id: number, maxRecords: number, maxWaitMs: number) => groups.poll(member(id), maxRecords, maxWaitMs),
      seek: (id: number, topic: TopicName, partition: number, lease: number, offset: number) =>
        groups.seek(member(id), topic, partitionAt(topic, partition).partition, lease, offset),
      refuse(id: number, topic: TopicName, partition: number) {
        const refusing = member(id)
        groups.refuse(refusing, topic, partitionAt(topic, partition).partition)
        return queue.run({ write: () => groups.reassign(refusing) })
      },
      commit: (id: number, lease: number, commit: Commit, outputs: Uint8Array | null) =>
        queue.run({
          check() {
            const { topic, partition } = commit
            const committer = members.get(id)
            if (!committer || !groups.owns(committer, topic, partition, lease)) {
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

      /** The client is going: ends its polls at once and, after all it has sent, its memberships. */
      async disconnect() {
        for (const each of members.values()) groups.interrupt(each)
        await leave([...members.values()])
      },
    }
  }

  return {
    connect,
    /** One step of compaction and retention. @returns whether there is more to do. */
    housekeep: () => queue.run({ write: housekeep }),
    async close() {
      await queue.close()
      database.close()
    },
  }
}

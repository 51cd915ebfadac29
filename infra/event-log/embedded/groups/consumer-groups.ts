import type { TopicName } from '../../../../schemas/topics.ts'
import type { Assignment, Commit } from '../../port.ts'
import type { BlockReader } from '../blocks/reader.ts'
import type { Partition, Partitions } from '../database.ts'
import { packRuns } from '../frame.ts'

/** An assignment with an id of its own: when a member gets a lost partition back, the assignment has a new id. */
export interface IdentifiedAssignment extends Assignment {
  readonly id: number
}

interface OwnedPartition extends IdentifiedAssignment {
  /** Offset of the next record to hand over; null while the member refuses the partition. */
  next: number | null
}

export interface Polled {
  batch: { topic: TopicName; partition: number; frame: Uint8Array<ArrayBuffer> } | null
  /** All partitions that the member owns; null when they have not changed since its last poll. */
  assigned: IdentifiedAssignment[] | null
}

export interface Member {
  readonly id: number
  /** Null for a tail, which commits nothing. */
  readonly group: string | null
  /** The offsets where a tail begins; in other partitions it begins at their start. */
  readonly from: readonly Commit[]
  readonly topics: readonly TopicName[]
  owned: Map<Partition, OwnedPartition>
  /** The partitions that this member cannot process. */
  refused: Set<Partition>
  changed: boolean
  /** Where the search for the next batch begins, so that a busy partition does not starve the others. */
  turn: number
  waiting: { maxRecords: number; timer: NodeJS.Timeout; resolve: (polled: Polled) => void } | null
}

/** Decides which member reads which partition. Kept in memory: no member outlives the worker. */
export function createConsumerGroups(
  partitions: Partitions,
  reader: BlockReader,
  commitsOf: (group: string) => Commit[],
) {
  const members = new Set<Member>()
  let lastId = 0
  let lastAssignmentId = 0

  /** Spreads each topic over the members that subscribe to it. A member that keeps a partition keeps its position in it. */
  function assign(group: string | null, among: readonly Member[]): void {
    const commits = group === null ? among.flatMap(({ from }) => from) : commitsOf(group)
    const owned = new Map(among.map((member) => [member, new Map() as Member['owned']]))
    for (const topic of new Set(among.flatMap((member) => member.topics))) {
      const readers = among.filter((member) => member.topics.includes(topic))
      for (const partition of partitions[topic]) {
        const willing = readers.filter((each) => !each.refused.has(partition))
        const eligible = willing.length > 0 ? willing : readers
        const reader = eligible[partition.partition % eligible.length]!
        owned.get(reader)!.set(partition, reader.owned.get(partition) ?? acquire(partition, commits))
      }
    }
    for (const [member, now] of owned) {
      member.owned = now
      member.changed = true
    }
    for (const member of among) serveWaiting(member)
  }

  function acquire(partition: Partition, commits: readonly Commit[]): OwnedPartition {
    const { topic, partition: number } = partition
    const committed = commits.find((each) => each.topic === topic && each.partition === number) ?? null
    return { topic, partition: number, id: ++lastAssignmentId, committed, next: committed?.offset ?? 0 }
  }

  function nextBatch(member: Member, maxRecords: number): Polled['batch'] {
    const all = [...member.owned]
    for (let step = 0; step < all.length; step++) {
      const [partition, place] = all[(member.turn + step) % all.length]!
      if (place.next === null || place.next >= partition.end) continue
      const { runs, next } = reader.fetch(partition, place.next, maxRecords)
      place.next = next
      if (runs.length === 0) continue
      member.turn = (member.turn + step + 1) % all.length
      return { topic: partition.topic, partition: partition.partition, frame: packRuns(runs) }
    }
    return null
  }

  function reply(member: Member, batch: Polled['batch']): Polled {
    const assigned = member.changed ? [...member.owned.values()].map(({ next, ...assignment }) => assignment) : null
    member.changed = false
    return { batch, assigned }
  }

  function serveWaiting(member: Member): void {
    const { waiting } = member
    const batch = waiting && nextBatch(member, waiting.maxRecords)
    if (batch || member.changed) endWait(member, batch)
  }

  function endWait(member: Member, batch: Polled['batch']): void {
    if (!member.waiting) return
    const { timer, resolve } = member.waiting
    clearTimeout(timer)
    member.waiting = null
    resolve(reply(member, batch))
  }

  const membersOf = (group: string) => [...members].filter((member) => member.group === group)

  return {
    membersOf,

    join(group: string | null, topics: readonly TopicName[], from: readonly Commit[] = []): Member {
      const member: Member = {
        id: ++lastId,
        group,
        from,
        topics,
        owned: new Map(),
        refused: new Set(),
        changed: true,
        turn: 0,
        waiting: null,
      }
      members.add(member)
      assign(group, group === null ? [member] : membersOf(group))
      return member
    },

    leave(member: Member): void {
      if (!members.delete(member)) return
      endWait(member, null)
      if (member.group !== null) assign(member.group, membersOf(member.group))
    },

    /** Answers as soon as there is a record to read or the member's assignments have changed, at the latest after `maxWaitMs`. */
    poll(member: Member, maxRecords: number, maxWaitMs: number): Promise<Polled> | Polled {
      if (member.waiting) throw new Error('A consumer may be polled again only after its last poll has ended')
      const batch = members.has(member) ? nextBatch(member, maxRecords) : null
      if (batch || member.changed || maxWaitMs <= 0 || !members.has(member)) return reply(member, batch)
      return new Promise((resolve) => {
        const timer = setTimeout(() => endWait(member, null), maxWaitMs)
        member.waiting = { maxRecords, timer, resolve }
      })
    },

    /** Ends a waiting poll early. */
    interrupt: (member: Member) => endWait(member, null),

    seek(member: Member, topic: TopicName, partition: number, assignmentId: number, offset: number): void {
      const place = member.owned.get(partitions[topic][partition]!)
      if (place?.id !== assignmentId) return
      place.next = offset
      serveWaiting(member)
    },

    refuse(member: Member, topic: TopicName, partition: number, assignmentId: number): void {
      const refused = partitions[topic][partition]!
      const place = member.owned.get(refused)
      if (place?.id !== assignmentId) return
      member.refused.add(refused)
      place.next = null
    },

    /** Reassigns all partitions of the member's group. */
    reassign(member: Member): void {
      if (members.has(member) && member.group !== null) assign(member.group, membersOf(member.group))
    },

    owns(member: Member, topic: TopicName, partition: number, assignmentId: number): boolean {
      return members.has(member) && member.owned.get(partitions[topic][partition]!)?.id === assignmentId
    },

    /** Answers the waiting polls of members that own these partitions. */
    onGrown(grown: readonly Partition[]): void {
      for (const member of members) {
        if (member.waiting && grown.some((partition) => member.owned.has(partition))) serveWaiting(member)
      }
    },
  }
}

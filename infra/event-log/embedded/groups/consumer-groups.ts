import type { TopicName } from '../../../../schemas/topics.ts'
import type { Assignment, Commit } from '../../port.ts'
import type { BlockReader } from '../blocks/reader.ts'
import type { Partition, Partitions } from '../database.ts'
import { packRuns } from '../frame.ts'

/** An assignment, told from every other by its lease. */
export interface Assigned extends Assignment {
  readonly lease: number
}

interface Held extends Assigned {
  /** Offset of the next record to hand over; null: the member has refused the partition, and not sought in it since. */
  next: number | null
}

export interface Polled {
  batch: { topic: TopicName; partition: number; frame: Uint8Array<ArrayBuffer> } | null
  /** All that the member holds, when that has changed since it last heard. */
  assigned: Assigned[] | null
}

export interface Member {
  readonly id: number
  /** Null: a tail, which reads every partition from its start and commits nothing. */
  readonly group: string | null
  readonly topics: readonly TopicName[]
  held: Map<Partition, Held>
  /** Those that it cannot work. */
  refused: Set<Partition>
  changed: boolean
  /** Where the search for the next batch begins, so that a busy partition does not starve the others. */
  turn: number
  waiting: { maxRecords: number; timer: NodeJS.Timeout; resolve: (polled: Polled) => void } | null
}

/** Who reads which partition. Kept in memory: no member outlives the worker. */
export function createConsumerGroups(
  partitions: Partitions,
  reader: BlockReader,
  commitsOf: (group: string) => Commit[],
) {
  const members = new Set<Member>()
  let lastId = 0
  let lastLease = 0

  /** Spreads each topic over the members that want it; whoever keeps a partition keeps its place in it. */
  function assign(group: string | null, among: readonly Member[]): void {
    const commits = group === null ? [] : commitsOf(group)
    const held = new Map(among.map((member) => [member, new Map() as Member['held']]))
    for (const topic of new Set(among.flatMap((member) => member.topics))) {
      const readers = among.filter((member) => member.topics.includes(topic))
      for (const partition of partitions[topic]) {
        const willing = readers.filter((each) => !each.refused.has(partition))
        const eligible = willing.length > 0 ? willing : readers
        const reader = eligible[partition.partition % eligible.length]!
        held.get(reader)!.set(partition, reader.held.get(partition) ?? lease(partition, commits))
      }
    }
    for (const [member, now] of held) {
      member.held = now
      member.changed = true
    }
    for (const member of among) serveWaiting(member)
  }

  function lease(partition: Partition, commits: readonly Commit[]): Held {
    const { topic, partition: number } = partition
    const committed = commits.find((each) => each.topic === topic && each.partition === number) ?? null
    return { topic, partition: number, lease: ++lastLease, committed, next: committed?.offset ?? 0 }
  }

  function nextBatch(member: Member, maxRecords: number): Polled['batch'] {
    const held = [...member.held]
    for (let step = 0; step < held.length; step++) {
      const [partition, place] = held[(member.turn + step) % held.length]!
      if (place.next === null || place.next >= partition.end) continue
      const { runs, next } = reader.fetch(partition, place.next, maxRecords)
      place.next = next
      if (runs.length === 0) continue
      member.turn = (member.turn + step + 1) % held.length
      return { topic: partition.topic, partition: partition.partition, frame: packRuns(runs) }
    }
    return null
  }

  function reply(member: Member, batch: Polled['batch']): Polled {
    const assigned = member.changed ? [...member.held.values()].map(({ next, ...rest }) => rest) : null
    member.changed = false
    return { batch, assigned }
  }

  function serveWaiting(member: Member): void {
    const { waiting } = member
    const batch = waiting && nextBatch(member, waiting.maxRecords)
    if (batch) endWait(member, batch)
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

    join(group: string | null, topics: readonly TopicName[]): Member {
      const member: Member = {
        id: ++lastId,
        group,
        topics,
        held: new Map(),
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

    /** Answers at once when there is something to read, else when there is or after `maxWaitMs`. */
    poll(member: Member, maxRecords: number, maxWaitMs: number): Promise<Polled> | Polled {
      if (member.waiting) throw new Error('A consumer may be polled again only after its last poll has ended')
      const batch = members.has(member) ? nextBatch(member, maxRecords) : null
      if (batch || maxWaitMs <= 0 || !members.has(member)) return reply(member, batch)
      return new Promise((resolve) => {
        const timer = setTimeout(() => endWait(member, null), maxWaitMs)
        member.waiting = { maxRecords, timer, resolve }
      })
    },

    /** Ends a waiting poll early. */
    interrupt: (member: Member) => endWait(member, null),

    seek(member: Member, topic: TopicName, partition: number, lease: number, offset: number): void {
      const place = member.held.get(partitions[topic][partition]!)
      if (place?.lease !== lease) return
      place.next = offset
      serveWaiting(member)
    },

    refuse(member: Member, topic: TopicName, partition: number): void {
      const refused = partitions[topic][partition]!
      member.refused.add(refused)
      const place = member.held.get(refused)
      if (place) place.next = null
    },

    /** Spreads the partitions of a member's group anew. */
    reassign(member: Member): void {
      if (members.has(member) && member.group !== null) assign(member.group, membersOf(member.group))
    },

    owns(member: Member, topic: TopicName, partition: number, lease: number): boolean {
      return members.has(member) && member.held.get(partitions[topic][partition]!)?.lease === lease
    },

    /** Hands new records to whoever waits for them. */
    onGrown(grown: readonly Partition[]): void {
      for (const member of members) {
        if (member.waiting && grown.some((partition) => member.held.has(partition))) serveWaiting(member)
      }
    },
  }
}

export type ConsumerGroups = ReturnType<typeof createConsumerGroups>

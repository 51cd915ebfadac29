/** A member of a group, as it joins. Partitions are written `topic/partition`. */
export interface JoiningMember extends SubscriptionData {
  id: string
  topics: readonly string[]
}

export interface SubscriptionData {
  /** The partitions that the member reads now. */
  owned: ReadonlySet<string>
  /** The partitions that the member cannot process. */
  refused: ReadonlySet<string>
}

/** The partitions that each member reads: by member, then by topic. */
export type GroupAssignment = Map<string, Map<string, number[]>>

/** Stands in front of refused partitions. No topic begins with it, so leaders of versions without refusals ignore them. */
const REFUSED = '!'

/** A JSON list of the owned partitions and of the refused ones, which are marked. */
export function encodeSubscriptionData({ owned, refused }: SubscriptionData): Buffer {
  return Buffer.from(JSON.stringify([...owned, ...[...refused].map((partition) => REFUSED + partition)]))
}

export function decodeSubscriptionData(userData: Buffer | null): SubscriptionData {
  const partitions: string[] = userData?.length ? JSON.parse(userData.toString()) : []
  const isRefused = (partition: string) => partition.startsWith(REFUSED)
  return {
    owned: new Set(partitions.filter((partition) => !isRefused(partition))),
    refused: new Set(partitions.filter(isRefused).map((partition) => partition.slice(REFUSED.length))),
  }
}

/**
 * Decides which member reads which partition. A partition that some members refuse goes to one of the others, unless all refuse it.
 * Beyond that, each topic is spread evenly over the members that subscribe to it, and a member keeps the partitions that it owns as
 * far as evenness allows, because a move discards what was read and not committed. The order of the members makes no difference.
 * @param counts how many partitions each topic has.
 */
export function assignPartitions(
  members: readonly JoiningMember[],
  counts: ReadonlyMap<string, number>,
): GroupAssignment {
  const assignment: GroupAssignment = new Map(members.map(({ id }) => [id, new Map()]))
  for (const [topic, count] of counts) {
    const readers = members.filter(({ topics }) => topics.includes(topic)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    if (readers.length === 0) continue
    for (const [id, partitions] of assignTopic(topic, count, readers)) assignment.get(id)!.set(topic, partitions)
  }
  return assignment
}

function assignTopic(topic: string, count: number, readers: readonly JoiningMember[]): Map<string, number[]> {
  const assigned = new Map(readers.map(({ id }) => [id, [] as number[]]))
  const free = new Set(Array.from({ length: count }, (_, partition) => partition))
  const give = (partition: number, { id }: JoiningMember) => {
    assigned.get(id)!.push(partition)
    free.delete(partition)
  }
  const leastLoaded = (among: readonly JoiningMember[]) =>
    among.reduce((a, b) => (assigned.get(b.id)!.length < assigned.get(a.id)!.length ? b : a))

  for (const partition of [...free]) {
    const name = `${topic}/${partition}`
    const willing = readers.filter(({ refused }) => !refused.has(name))
    if (willing.length === readers.length || willing.length === 0) continue
    give(partition, willing.find(({ owned }) => owned.has(name)) ?? leastLoaded(willing))
  }

  const most = Math.ceil(count / readers.length)
  /** How many members may have one partition more than the others. */
  let larger = count - Math.floor(count / readers.length) * readers.length || readers.length
  for (const { length } of assigned.values()) if (length >= most) larger -= 1
  for (const reader of readers) {
    const mine = assigned.get(reader.id)!
    for (const partition of [...free]) {
      if (!reader.owned.has(`${topic}/${partition}`)) continue
      if (mine.length >= most || (mine.length === most - 1 && larger <= 0)) break
      give(partition, reader)
      if (mine.length === most) larger -= 1
    }
  }
  for (const partition of free) give(partition, leastLoaded(readers))
  return assigned
}

/** A member of a group as it asks to be served. Places are written as `topic/partition`. */
export interface Candidate extends Wishes {
  id: string
  topics: readonly string[]
}

export interface Wishes {
  /** What it reads now. */
  owned: ReadonlySet<string>
  /** What it cannot work. */
  refused: ReadonlySet<string>
}

/** By member, then by topic: partitions. */
export type Assignment = Map<string, Map<string, number[]>>

/** Before the places that are refused: no name of a topic begins with it, and leaders that know no refusals pass them over. */
const REFUSED = '!'

/** A JSON list of places: those owned, and those refused behind a mark. */
export function encodeWishes({ owned, refused }: Wishes): Buffer {
  return Buffer.from(JSON.stringify([...owned, ...[...refused].map((place) => REFUSED + place)]))
}

export function decodeWishes(userData: Buffer | null): Wishes {
  const places: string[] = userData?.length ? JSON.parse(userData.toString()) : []
  const isRefused = (place: string) => place.startsWith(REFUSED)
  return {
    owned: new Set(places.filter((place) => !isRefused(place))),
    refused: new Set(places.filter(isRefused).map((place) => place.slice(REFUSED.length))),
  }
}

/**
 * Who reads what. A partition that some members refuse goes to one of the others, unless all refuse it. Beyond that each topic
 * is spread evenly over the members that want it, and who has a partition keeps it as far as evenness allows, because each
 * move costs what was read and not committed. The same for all orders of the members.
 * @param partitions how many each topic has.
 */
export function assignPartitions(members: readonly Candidate[], partitions: ReadonlyMap<string, number>): Assignment {
  const assignment: Assignment = new Map(members.map(({ id }) => [id, new Map()]))
  for (const [topic, count] of partitions) {
    const readers = members.filter(({ topics }) => topics.includes(topic)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    if (readers.length === 0) continue
    for (const [id, mine] of assignTopic(topic, count, readers)) assignment.get(id)!.set(topic, mine)
  }
  return assignment
}

function assignTopic(topic: string, count: number, readers: readonly Candidate[]): Map<string, number[]> {
  const taken = new Map(readers.map(({ id }) => [id, [] as number[]]))
  const free = new Set(Array.from({ length: count }, (_, partition) => partition))
  const give = (partition: number, { id }: Candidate) => {
    taken.get(id)!.push(partition)
    free.delete(partition)
  }
  const leastOf = (among: readonly Candidate[]) =>
    among.reduce((a, b) => (taken.get(b.id)!.length < taken.get(a.id)!.length ? b : a))

  for (const partition of [...free]) {
    const place = `${topic}/${partition}`
    const willing = readers.filter(({ refused }) => !refused.has(place))
    if (willing.length === readers.length || willing.length === 0) continue
    give(partition, willing.find(({ owned }) => owned.has(place)) ?? leastOf(willing))
  }

  const most = Math.ceil(count / readers.length)
  /** How many may have one more than the others. */
  let larger = count - Math.floor(count / readers.length) * readers.length || readers.length
  for (const { length } of taken.values()) if (length >= most) larger -= 1
  for (const reader of readers) {
    const mine = taken.get(reader.id)!
    for (const partition of [...free]) {
      if (!reader.owned.has(`${topic}/${partition}`)) continue
      if (mine.length >= most || (mine.length === most - 1 && larger <= 0)) break
      give(partition, reader)
      if (mine.length === most) larger -= 1
    }
  }
  for (const partition of free) give(partition, leastOf(readers))
  return taken
}

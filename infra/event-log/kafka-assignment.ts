/** A member of a group as it asks to be served. */
export interface Candidate {
  id: string
  topics: readonly string[]
  /** What it reads now, as `topic/partition`. */
  owned: ReadonlySet<string>
}

/** By member, then by topic: partitions. */
export type Assignment = Map<string, Map<string, number[]>>

/**
 * Who reads what: each topic is spread evenly over the members that want it, and who has a partition keeps it as far as
 * evenness allows, because each move costs what was read and not committed. The same for all orders of the members.
 * @param partitions how many each topic has.
 */
export function assignPartitions(members: readonly Candidate[], partitions: ReadonlyMap<string, number>): Assignment {
  const assignment: Assignment = new Map(members.map(({ id }) => [id, new Map()]))
  for (const [topic, count] of partitions) {
    const readers = members.filter(({ topics }) => topics.includes(topic)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    if (readers.length === 0) continue
    const taken = new Map(readers.map(({ id }) => [id, [] as number[]]))
    const free = new Set(Array.from({ length: count }, (_, partition) => partition))
    const most = Math.ceil(count / readers.length)
    /** How many may have one more than the others. */
    let larger = count - Math.floor(count / readers.length) * readers.length || readers.length
    for (const { id, owned } of readers) {
      const mine = taken.get(id)!
      for (const partition of [...free]) {
        if (!owned.has(`${topic}/${partition}`)) continue
        if (mine.length >= most || (mine.length === most - 1 && larger === 0)) break
        mine.push(partition)
        free.delete(partition)
        if (mine.length === most) larger -= 1
      }
    }
    for (const partition of free) {
      const least = readers.reduce((a, b) => (taken.get(b.id)!.length < taken.get(a.id)!.length ? b : a))
      taken.get(least.id)!.push(partition)
    }
    for (const [id, mine] of taken) assignment.get(id)!.set(topic, mine)
  }
  return assignment
}

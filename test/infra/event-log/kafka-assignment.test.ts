import fc from 'fast-check'
import { expect, it } from 'vitest'
import { assignPartitions, type Candidate } from '../../../infra/event-log/kafka-assignment.ts'

const TOPICS = ['a', 'b', 'c']
const anyPartitions = fc
  .array(fc.integer({ min: 1, max: 12 }), { minLength: TOPICS.length, maxLength: TOPICS.length })
  .map((counts) => new Map(TOPICS.map((topic, n) => [topic, counts[n]!])))
const anyPlace = fc.tuple(fc.constantFrom(...TOPICS), fc.integer({ min: 0, max: 14 })).map(([t, p]) => `${t}/${p}`)
const anyMembers: fc.Arbitrary<Candidate[]> = fc
  .array(fc.record({ topics: fc.subarray(TOPICS), owned: fc.array(anyPlace).map((places) => new Set(places)) }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((members) => members.map((member, n) => ({ ...member, id: `m${n}` })))

it('gives each partition to one member that wants its topic, and none too many', () => {
  fc.assert(
    fc.property(anyMembers, anyPartitions, (members, partitions) => {
      const assignment = assignPartitions(members, partitions)
      for (const [topic, count] of partitions) {
        const readers = members.filter(({ topics }) => topics.includes(topic))
        const lists = members.map(({ id }) => assignment.get(id)!.get(topic) ?? [])
        const given = lists.flat().sort((a, b) => a - b)
        expect(given).toEqual(readers.length === 0 ? [] : Array.from({ length: count }, (_, n) => n))
        for (const { id, topics } of members) {
          if (!topics.includes(topic)) expect(assignment.get(id)!.get(topic) ?? []).toEqual([])
        }
        const sizes = readers.map(({ id }) => assignment.get(id)!.get(topic)!.length)
        if (readers.length > 0) expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      }
    }),
  )
})

it('moves as few as evenness needs when a member comes or goes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), anyPartitions, fc.boolean(), (count, partitions, comes) => {
      const before = Array.from({ length: count + (comes ? 0 : 1) }, (_, n) => member(`m${n}`, []))
      const first = assignPartitions(before, partitions)
      const kept = before.slice(0, count).map(({ id }) => member(id, placesOf(first, id)))
      const second = assignPartitions(comes ? [...kept, member('new', [])] : kept, partitions)
      for (const [topic, of] of partitions) {
        const moved = kept.reduce((sum, { id }) => {
          const now = new Set(second.get(id)!.get(topic))
          return (
            sum +
            first
              .get(id)!
              .get(topic)!
              .filter((partition) => !now.has(partition)).length
          )
        }, 0)
        // A newcomer's share moves to it; when one goes, nobody else's does.
        expect(moved).toBeLessThanOrEqual(comes ? Math.ceil(of / (count + 1)) : 0)
      }
    }),
  )
})

it('is the same for every order of the members', () => {
  fc.assert(
    fc.property(anyMembers, anyPartitions, (members, partitions) => {
      expect(assignPartitions(members.toReversed(), partitions)).toEqual(assignPartitions(members, partitions))
    }),
  )
})

function member(id: string, owned: string[]): Candidate {
  return { id, topics: TOPICS, owned: new Set(owned) }
}

function placesOf(assignment: ReturnType<typeof assignPartitions>, id: string): string[] {
  return [...assignment.get(id)!].flatMap(([topic, partitions]) => partitions.map((p) => `${topic}/${p}`))
}

import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  assignPartitions,
  decodeSubscriptionData,
  encodeSubscriptionData,
  type JoiningMember,
} from '../../../../../infra/event-log/kafka/group/assignment.ts'

const TOPICS = ['a', 'b', 'c']
const anyPartitions = fc
  .array(fc.integer({ min: 1, max: 12 }), { minLength: TOPICS.length, maxLength: TOPICS.length })
  .map((counts) => new Map(TOPICS.map((topic, n) => [topic, counts[n]!])))
const anyPartition = fc.tuple(fc.constantFrom(...TOPICS), fc.integer({ min: 0, max: 14 })).map(([t, p]) => `${t}/${p}`)
const anyMembers: fc.Arbitrary<JoiningMember[]> = fc
  .array(fc.record({ topics: fc.subarray(TOPICS), owned: fc.array(anyPartition).map((places) => new Set(places)) }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((members) => members.map((member, n) => ({ ...member, refused: new Set<string>(), id: `m${n}` })))

it('each partition goes to one subscribed member, and shares are even', () => {
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

it('no more partitions move than evenness needs when a member joins or leaves', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), anyPartitions, fc.boolean(), (count, partitions, comes) => {
      const before = Array.from({ length: count + (comes ? 0 : 1) }, (_, n) => member(`m${n}`, []))
      const first = assignPartitions(before, partitions)
      const kept = before.slice(0, count).map(({ id }) => member(id, partitionsOf(first, id)))
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
        // When a member joins, only its share moves. When one leaves, no other member's partitions move.
        expect(moved).toBeLessThanOrEqual(comes ? Math.ceil(of / (count + 1)) : 0)
      }
    }),
  )
})

it('a refused partition goes to a member that accepts it, and every partition is assigned', () => {
  const anyRefusals = fc.array(
    fc.array(anyPartition).map((places) => new Set(places)),
    { minLength: 8, maxLength: 8 },
  )
  fc.assert(
    fc.property(anyMembers, anyRefusals, anyPartitions, (all, refusals, partitions) => {
      const members = all.map((member, n) => ({ ...member, refused: refusals[n]! }))
      const assignment = assignPartitions(members, partitions)
      for (const [topic, count] of partitions) {
        const readers = members.filter(({ topics }) => topics.includes(topic))
        if (readers.length === 0) continue
        for (let partition = 0; partition < count; partition++) {
          const owners = readers.filter(({ id }) => assignment.get(id)!.get(topic)!.includes(partition))
          expect(owners).toHaveLength(1)
          const place = `${topic}/${partition}`
          if (readers.some(({ refused }) => !refused.has(place))) expect(owners[0]!.refused.has(place)).toBe(false)
        }
      }
      expect(assignPartitions(members.toReversed(), partitions)).toEqual(assignment)
    }),
  )
})

it('partitions that nobody refuses are spread evenly beside those that somebody does', () => {
  const old = { ...member('old', ['a/0', 'a/1', 'a/2', 'a/3']), refused: new Set(['a/1']) }
  const assignment = assignPartitions([old, member('new', [])], new Map([['a', 4]]))
  expect(assignment.get('new')!.get('a')).toEqual([1, 3])
  expect(assignment.get('old')!.get('a')).toEqual([0, 2])
})

it('refusals are encoded so that leaders without refusals can read them', () => {
  const wishes = { owned: new Set(['ns.a/0', 'ns.a/1']), refused: new Set(['ns.a/1']) }
  expect(decodeSubscriptionData(encodeSubscriptionData(wishes))).toEqual(wishes)
  expect(JSON.parse(encodeSubscriptionData(wishes).toString())).toEqual(['ns.a/0', 'ns.a/1', '!ns.a/1'])
  expect(decodeSubscriptionData(null)).toEqual({ owned: new Set(), refused: new Set() })
})

it('the assignment is the same for every order of the members', () => {
  fc.assert(
    fc.property(anyMembers, anyPartitions, (members, partitions) => {
      expect(assignPartitions(members.toReversed(), partitions)).toEqual(assignPartitions(members, partitions))
    }),
  )
})

function member(id: string, owned: string[]): JoiningMember {
  return { id, topics: TOPICS, owned: new Set(owned), refused: new Set() }
}

function partitionsOf(assignment: ReturnType<typeof assignPartitions>, id: string): string[] {
  return [...assignment.get(id)!].flatMap(([topic, partitions]) => partitions.map((p) => `${topic}/${p}`))
}

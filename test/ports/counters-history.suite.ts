import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Counters, CountersBehind, CountersMoved, type ShardChange } from '../../infra/counters/port.ts'
import { tries } from '../effort.ts'
import { type CountersSubject, changeOf, group, loadOf, seenOf } from './counters.fixtures.ts'

const SHARDS_DRAWN = [0, 3]
const SOURCES = ['ad-events/0', 'corrections/0']
const groups = [group('a', { spread: 1 }), group('b', { spread: 8 }), group('c', { exact: true, keptUntil: null })]
const ids = ['x', 'y', 'ж/1']
const KEYS = groups.flatMap((each) => ids.map((id) => ({ group: each, id })))
const PEOPLE = 3_000

/** Any interleaving of two owners gives the same results as a model that keeps the complete history. */
export function historySuite(subject: CountersSubject, counters: () => Counters): void {
  test('of two owners, each with its own idea of the positions, is that of the model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 25 }), async (turns) => {
        await counters().clear()
        const owners = [counters(), await subject.another(counters())]
        const model = new Model()
        const known = owners.map(() => new Map<string, number>())
        for (const { owner, shard, source, change, isBlind } of turns) {
          const place = `${shard} ${source}`
          const at = known[owner]!.get(place) ?? -1
          if (!isBlind) {
            const load = loadOf({
              shard,
              source,
              after: at,
              keys: keysIn(shard),
              seen: change.seen.map((id) => seenOf(id)),
            })
            const expected = model.load(place, shard, at, change.seen)
            if (expected === 'BEHIND') {
              await expect(owners[owner]!.load([load])).rejects.toBeInstanceOf(CountersBehind)
              known[owner]!.delete(place)
              continue
            }
            expect(await owners[owner]!.load([load])).toEqual([expected])
            known[owner]!.set(place, expected.position)
          }
          const after = known[owner]!.get(place) ?? -1
          const whole = changeIn(shard, source, after, change)
          if (model.store(place, whole, change.seen)) {
            await owners[owner]!.store(whole)
            known[owner]!.set(place, whole.upTo)
          } else await expect(owners[owner]!.store(whole)).rejects.toBeInstanceOf(CountersMoved)
        }
        await owners[1]!.close()
      }),
      { numRuns: tries(25, 300) },
    )
  })
}

const keysIn = (shard: number) => KEYS.map((key) => ({ shard, ...key }))

type Drawn = (typeof turn extends fc.Arbitrary<infer T> ? T : never)['change']

const changeIn = (
  shard: number,
  source: string,
  after: number,
  { ahead, note, add, lower, seen }: Drawn,
): ShardChange =>
  changeOf({
    shard,
    source,
    after,
    upTo: after + ahead,
    note,
    add: add.map(({ key, amount }) => ({ key: keysIn(shard)[key]!, amount })),
    lower: lower.map(({ key, value }) => ({ key: keysIn(shard)[key]!, value })),
    seen: seen.map((id) => seenOf(id)),
  })

const key = fc.nat(KEYS.length - 1)
const change = fc.record({
  ahead: fc.integer({ min: 1, max: 4 }),
  note: fc.option(fc.string({ maxLength: 5 })),
  add: fc.uniqueArray(
    fc.record({
      key,
      amount: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: -9, max: 9 }), fc.constant(2 ** 44)),
    }),
    { maxLength: 6, selector: (each) => each.key },
  ),
  // Only keys to which nothing is added: a change contains each key once.
  lower: fc.uniqueArray(fc.record({ key, value: fc.integer({ min: 1, max: 9 }) }), {
    maxLength: 3,
    selector: (each) => each.key,
  }),
  seen: fc
    .record({ from: fc.nat(PEOPLE), count: fc.oneof(fc.nat(3), fc.nat(900)) })
    .map(({ from, count }) => Array.from({ length: count }, (_, i) => `person ${from + i}`)),
})
const turn = fc.record({
  owner: fc.nat(1),
  shard: fc.constantFrom(...SHARDS_DRAWN),
  source: fc.constantFrom(...SOURCES),
  /** Stores at the position that the owner last knew, without loading first. */
  isBlind: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  change: change.map((each) => ({
    ...each,
    lower: each.lower.filter(({ key: k }) => each.add.every((a) => a.key !== k)),
  })),
})

/** Keeps every stored change in order, and computes each value from all of them. */
class Model {
  readonly #stored: { place: string; change: ShardChange }[] = []
  readonly #seen = new Set<string>()

  #of(place: string): ShardChange[] {
    return this.#stored.filter((each) => each.place === place).map((each) => each.change)
  }

  #position(place: string): number {
    return this.#of(place).at(-1)?.upTo ?? -1
  }

  load(place: string, shard: number, after: number, seen: readonly string[]) {
    const position = this.#position(place)
    if (position < after) return 'BEHIND' as const
    return {
      position,
      note: this.#of(place).findLast(({ note }) => note !== null)?.note ?? null,
      values: KEYS.map((each) => this.#value(shard, `${each.group.name} ${each.id}`)),
      tallies: new Float64Array(),
      seen: seen.map((id) => this.#seen.has(`${shard} ${id}`)),
      complete: false,
    }
  }

  /** Stores a change. False when it is refused. */
  store(place: string, stored: ShardChange, seen: readonly string[]): boolean {
    if (this.#position(place) !== stored.after) return false
    this.#stored.push({ place, change: stored })
    for (const id of seen) this.#seen.add(`${stored.shard} ${id}`)
    return true
  }

  #value(shard: number, name: string): number {
    const isOf = ({ key: each }: { key: { group: { name: string }; id: string } }) =>
      `${each.group.name} ${each.id}` === name
    let value = 0
    for (const { change: each } of this.#stored.filter((one) => one.change.shard === shard)) {
      for (const { amount } of each.add.filter(isOf)) value = Math.max(0, value + amount)
      const firsts = each.lower.filter(isOf).map((one) => one.value)
      if (firsts.length > 0) value = Math.min(...firsts, value === 0 ? Number.POSITIVE_INFINITY : value)
    }
    return value
  }
}

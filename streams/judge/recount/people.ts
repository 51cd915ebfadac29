import type { CounterKey } from '../../../infra/counters/port.ts'
import { personShard } from '../../../infra/counters/shards.ts'
import { acquaintanceOf } from '../step.ts'
import { KNOWN_AFTER_MS, knownGroup, WEEK_MS } from '../traffic.ts'

/** When somebody was first seen in a week; 0 when they were not, or it was not loaded. */
interface FirstSeen {
  key: CounterKey
  at: number
  isLowered: boolean
}
type Week = readonly [FirstSeen, FirstSeen]
interface Person {
  cid: string
  shard: number
  /** By the number of a week: that week and the previous one. */
  weeks: Map<number, Week>
}

/** The people who have viewed something in a page of judged events. */
export class People {
  readonly #shards: number
  /** UTC epoch milliseconds. Counters that are forgotten by then are not counted. */
  readonly #now: number
  readonly #people = new Map<string, Person>()
  readonly #all: FirstSeen[] = []

  constructor({ shards, now }: { shards: number; now: number }) {
    this.#shards = shards
    this.#now = now
  }

  /** Asks for what `acquaintance` reads. */
  expect(cid: string, at: number): void {
    this.#week(this.#person(cid), at)
  }

  /** The keys of everything that was asked for. */
  get keys(): CounterKey[] {
    return this.#all.map(({ key }) => key)
  }

  /** @param values of `keys`, in order. */
  take(values: readonly number[]): void {
    for (const [i, value] of values.entries()) this.#all[i]!.at = value
  }

  acquaintance(cid: string, at: number): ReturnType<typeof acquaintanceOf> {
    const week = this.#week(this.#person(cid), at)
    const value = (counter: number) => week[counter]!.at
    return acquaintanceOf({ firstSeen: [0, 1], knownAfterMs: KNOWN_AFTER_MS }, at, { value })
  }

  /** Records that the event at `offset` has seen a person, unless the person's shard has counted that offset already. */
  saw(cid: string, at: number, { offset, positions }: { offset: number; positions: readonly number[] }): void {
    const person = this.#person(cid)
    if (offset <= positions[person.shard]!) return
    const [first] = this.#week(person, at)
    if ((first.at > 0 && first.at <= at) || first.key.group.keptUntil! <= this.#now) return
    first.at = at
    first.isLowered = true
  }

  lowered(): { key: CounterKey; value: number }[] {
    return this.#all.filter(({ isLowered }) => isLowered).map(({ key, at }) => ({ key, value: at }))
  }

  #person(cid: string): Person {
    const known = this.#people.get(cid)
    if (known) return known
    const person = { cid, shard: personShard(cid, this.#shards), weeks: new Map() }
    this.#people.set(cid, person)
    return person
  }

  #week(person: Person, at: number): Week {
    const number = Math.floor(at / WEEK_MS)
    const known = person.weeks.get(number)
    if (known) return known
    const week = [
      person.weeks.get(number + 1)?.[1] ?? this.#first(person, number),
      person.weeks.get(number - 1)?.[0] ?? this.#first(person, number - 1),
    ] as const
    person.weeks.set(number, week)
    return week
  }

  #first({ cid, shard }: Person, week: number): FirstSeen {
    const first = { key: { shard, group: knownGroup(week), id: cid }, at: 0, isLowered: false }
    this.#all.push(first)
    return first
  }
}

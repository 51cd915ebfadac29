import { firstFrom } from '../../domain/first-from.ts'

/** What is filed: the greater bid comes first. */
export interface Posted {
  bidMicros: number
}

interface Reader<T> {
  list: readonly T[]
  at: number
}

/** Items under keys, each list by falling bid, so that a reader who needs the best few meets no others. */
export class PostingLists<T extends Posted> {
  readonly #lists = new Map<string, T[]>()

  add(keys: Iterable<string>, item: T): void {
    for (const key of keys) {
      const list = this.#lists.get(key)
      if (list) list.splice(placeOf(list, item.bidMicros), 0, item)
      else this.#lists.set(key, [item])
    }
  }

  remove(keys: Iterable<string>, item: T): void {
    for (const key of keys) {
      const rest = this.#lists.get(key)?.filter((other) => other !== item) ?? []
      if (rest.length > 0) this.#lists.set(key, rest)
      else this.#lists.delete(key)
    }
  }

  /**
   * What is filed under any of the keys, those of equal bids together, each once, by falling bid. What is added or removed
   * between two groups may be missed or come again.
   */
  *under(keys: Iterable<string>): Generator<readonly T[]> {
    const readers: Reader<T>[] = []
    for (const key of keys) {
      const list = this.#lists.get(key)
      if (list) readers.push({ list, at: 0 })
    }
    for (;;) {
      let bidMicros = Number.NEGATIVE_INFINITY
      for (const { list, at } of readers) bidMicros = Math.max(bidMicros, list[at]?.bidMicros ?? bidMicros)
      if (bidMicros === Number.NEGATIVE_INFINITY) return
      yield equals(readers, bidMicros)
    }
  }
}

/** Reads those who bid so much from all lists: one who is under several keys is met here only. */
function equals<T extends Posted>(readers: readonly Reader<T>[], bidMicros: number): readonly T[] {
  const group: T[] = []
  let lists = 0
  for (const reader of readers) {
    if (reader.list[reader.at]?.bidMicros !== bidMicros) continue
    lists++
    while (reader.list[reader.at]?.bidMicros === bidMicros) group.push(reader.list[reader.at++]!)
  }
  return lists === 1 ? group : [...new Set(group)]
}

/** Where an item with this bid goes: after those that bid as much. */
const placeOf = (list: readonly Posted[], bidMicros: number): number =>
  firstFrom(list, (each) => each.bidMicros < bidMicros)

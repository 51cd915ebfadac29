import { firstFrom } from '../../domain/first-from.ts'

/** An item of the lists. The higher bid comes first. */
export interface Posted {
  bidMicros: number
}

interface Reader<T> {
  list: readonly T[]
  at: number
}

/** Lists of items by key, each sorted by falling bid, so that whoever needs the best few reads no others. */
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
   * The items under any of the keys, each once, in groups of equal bids, by falling bid. When items are added or removed
   * between two groups, some may be missed or repeated.
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

/** Reads the items with this bid from all lists. An item under several keys comes from several lists, and is kept once. */
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

/** Where an item with this bid is inserted: after those with the same bid. */
const placeOf = (list: readonly Posted[], bidMicros: number): number =>
  firstFrom(list, (each) => each.bidMicros < bidMicros)

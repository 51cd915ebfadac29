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
    for (let place = readers.length >>> 1; place-- > 0; ) sink(readers, place)
    for (;;) {
      const bidMicros = readers.length > 0 ? bidOf(readers[0]!) : NO_BID
      if (bidMicros === NO_BID) return
      yield equals(readers, bidMicros)
    }
  }
}

/** The bid of a reader that has read its list to the end. */
const NO_BID = Number.NEGATIVE_INFINITY
const bidOf = ({ list, at }: Reader<Posted>): number => list[at]?.bidMicros ?? NO_BID

/**
 * Lets a reader sink to its place in a binary heap, whose first reader has the highest bid. Looking at every reader for each group
 * would take a page that has the keys of thousands of campaigns the square of their number.
 */
function sink<T extends Posted>(readers: Reader<T>[], from: number): void {
  const reader = readers[from]!
  const bidMicros = bidOf(reader)
  let place = from
  for (;;) {
    let below = 2 * place + 1
    if (below + 1 < readers.length && bidOf(readers[below + 1]!) > bidOf(readers[below]!)) below++
    if (below >= readers.length || bidOf(readers[below]!) <= bidMicros) break
    readers[place] = readers[below]!
    place = below
  }
  readers[place] = reader
}

/** Reads the items with this bid, the highest there is. An item under several keys comes from several lists, and is kept once. */
function equals<T extends Posted>(readers: Reader<T>[], bidMicros: number): readonly T[] {
  const group: T[] = []
  let lists = 0
  for (let reader = readers[0]!; bidOf(reader) === bidMicros; reader = readers[0]!) {
    lists++
    while (bidOf(reader) === bidMicros) group.push(reader.list[reader.at++]!)
    sink(readers, 0)
  }
  return lists === 1 ? group : [...new Set(group)]
}

/** Where an item with this bid is inserted: after those with the same bid. */
const placeOf = (list: readonly Posted[], bidMicros: number): number =>
  firstFrom(list, (each) => each.bidMicros < bidMicros)

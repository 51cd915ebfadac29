export interface Scored {
  doc: number
  relevance: number
  key: number
  /** Among equal keys, the smallest comes first. */
  tie: number
}

/** Keeps the documents with the greatest keys; of equal keys, those with the smallest ties, then the lowest numbers. */
export class Top {
  readonly #limit: number
  /** A heap whose root is the worst of the best. */
  readonly #heap: Scored[] = []
  /** A document with a smaller key is not among the best. */
  least = 0

  /** @param limit at least 1. */
  constructor(limit: number) {
    this.#limit = limit
  }

  add(scored: Scored): void {
    const heap = this.#heap
    if (heap.length < this.#limit) {
      heap.push(scored)
      this.#siftUp(heap.length - 1)
    } else if (this.#order(scored, heap[0]!) < 0) {
      heap[0] = scored
      this.#siftDown()
    }
    if (heap.length === this.#limit) this.least = heap[0]!.key
  }

  /** The best first. */
  sorted(): Scored[] {
    return [...this.#heap].sort((a, b) => this.#order(a, b))
  }

  #order(a: Scored, b: Scored): number {
    return b.key - a.key || a.tie - b.tie || a.doc - b.doc
  }

  #siftUp(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      if (this.#order(this.#heap[at]!, this.#heap[parent]!) <= 0) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #siftDown(): void {
    for (let at = 0; ; ) {
      let worst = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.#heap.length && this.#order(this.#heap[child]!, this.#heap[worst]!) > 0) worst = child
      }
      if (worst === at) return
      this.#swap(at, worst)
      at = worst
    }
  }

  #swap(a: number, b: number): void {
    const value = this.#heap[a]!
    this.#heap[a] = this.#heap[b]!
    this.#heap[b] = value
  }
}

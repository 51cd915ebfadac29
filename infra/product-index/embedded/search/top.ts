/**
 * Indexes of the `limit` greatest keys, greatest first; equal keys by their tie, smallest first, then by index.
 * Takes n log limit steps, with a heap whose root is the worst of the best.
 */
export function topIndexes(keys: Float64Array, ties: (index: number) => number, limit: number): number[] {
  const before = (a: number, b: number) => keys[b]! - keys[a]! || ties(a) - ties(b) || a - b
  const heap: number[] = []
  if (limit <= 0) return heap
  for (let index = 0; index < keys.length; index++) {
    if (heap.length < limit) {
      heap.push(index)
      siftUp(heap, before)
    } else if (keys[index]! >= keys[heap[0]!]! && before(index, heap[0]!) < 0) {
      heap[0] = index
      siftDown(heap, before)
    }
  }
  return heap.sort(before)
}

type Before = (a: number, b: number) => number

function siftUp(heap: number[], before: Before): void {
  for (let at = heap.length - 1; at > 0; ) {
    const parent = (at - 1) >> 1
    if (before(heap[at]!, heap[parent]!) <= 0) return
    swap(heap, at, parent)
    at = parent
  }
}

function siftDown(heap: number[], before: Before): void {
  for (let at = 0; ; ) {
    let worst = at
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < heap.length && before(heap[child]!, heap[worst]!) > 0) worst = child
    }
    if (worst === at) return
    swap(heap, at, worst)
    at = worst
  }
}

function swap(heap: number[], a: number, b: number): void {
  const value = heap[a]!
  heap[a] = heap[b]!
  heap[b] = value
}

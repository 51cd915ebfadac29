/**
 * The index of the first element for which a test holds, or the list's length when there is none. The test must also hold
 * for every element after that one: the search is binary.
 */
export function firstFrom<T>(list: readonly T[], holds: (each: T) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(list[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

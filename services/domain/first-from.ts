/** The place of the first in a list for which a test holds, as it does for all after it; the list's length: for none. */
export function firstFrom<T>(list: readonly T[], holds: (each: T) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(list[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

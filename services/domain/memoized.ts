const REMEMBERED_MAX = 1_000

/** Caches what `make` returns for each key. The cache is emptied when it is full, so it suits functions with few keys in use. */
export function memoized<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>()
  return (key) => {
    let value = made.get(key)
    if (value === undefined) {
      value = make(key)
      if (made.size >= REMEMBERED_MAX) made.clear()
      made.set(key, value)
    }
    return value
  }
}

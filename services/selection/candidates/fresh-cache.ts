/** Served as it is for this long; then once more while it is made anew in the background; then no longer. */
const FRESH_MS = 1000
const STALE_MS = 2000
/** Kept for so long, as there is room, for when it cannot be made anew. */
const KEPT_MS = 600_000

export type MaybePromise<T> = T | Promise<T>

interface Entry<T> {
  madeAt: number
  value: T
}

/**
 * A bounded cache of what is cheap to have a second late. Values are made at most once at a time for a key. What could
 * not be made is not kept, and does not displace what was. Answers without a promise when it can, so that a hit costs no turn of the event loop.
 */
export class FreshCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  /** Under way: those who ask meanwhile share it. */
  readonly #making = new Map<string, Promise<T>>()
  readonly #now: () => number
  readonly #entriesMax: number

  constructor(options: { now: () => number; entriesMax: number }) {
    this.#now = options.now
    this.#entriesMax = options.entriesMax
  }

  get(key: string, make: () => Promise<T>): MaybePromise<T> {
    const entry = this.#entries.get(key)
    const age = entry ? this.#now() - entry.madeAt : Number.POSITIVE_INFINITY
    if (entry && age < FRESH_MS) return entry.value
    const making = this.#making.get(key) ?? this.#make(key, make)
    if (!entry || age >= STALE_MS) return making
    making.catch(() => {})
    return entry.value
  }

  /** What was last made for a key, up to ten minutes ago: for when nothing newer can be had. */
  last(key: string): T | null {
    const entry = this.#entries.get(key)
    return entry && this.#now() - entry.madeAt < KEPT_MS ? entry.value : null
  }

  #make(key: string, make: () => Promise<T>): Promise<T> {
    const making = make()
      .then((value) => {
        this.#keep(key, value)
        return value
      })
      .finally(() => this.#making.delete(key))
    this.#making.set(key, making)
    return making
  }

  #keep(key: string, value: T) {
    this.#entries.delete(key)
    this.#entries.set(key, { madeAt: this.#now(), value })
    for (const [oldest, { madeAt }] of this.#entries) {
      if (this.#entries.size <= this.#entriesMax && this.#now() - madeAt < KEPT_MS) break
      this.#entries.delete(oldest)
    }
  }
}

/** How old a value may be that stands in for a new one. */
const KEPT_MS = 600_000

/** The last values that an engine gave, for when it gives none. Bounded; the longest unrenewed go first. */
export class LastKnown<T> {
  readonly #entries = new Map<string, { at: number; value: T }>()
  readonly #now: () => number
  readonly #entriesMax: number

  constructor(options: { now: () => number; entriesMax: number }) {
    this.#now = options.now
    this.#entriesMax = options.entriesMax
  }

  keep(key: string, value: T): void {
    this.#entries.delete(key)
    this.#entries.set(key, { at: this.#now(), value })
    for (const [oldest, { at }] of this.#entries) {
      if (this.#entries.size <= this.#entriesMax && this.#now() - at < KEPT_MS) break
      this.#entries.delete(oldest)
    }
  }

  /** Null: not known, or for too long. */
  get(key: string): T | null {
    const entry = this.#entries.get(key)
    return entry && this.#now() - entry.at < KEPT_MS ? entry.value : null
  }
}

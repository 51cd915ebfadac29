/**
 * Which events were sent and which were acknowledged, by name: `VIEW requestId adId`, `CLICK requestId adId`, `TRANSACTION
 * eventId`, `PAGE_VIEW id`.
 */
export class Ledger {
  readonly entries = new Map<string, { acknowledged: boolean; told: number }>()

  /** Call it once for each batch, however often the batch is sent. */
  sent(names: readonly string[]): void {
    for (const name of names) {
      const entry = this.entries.get(name) ?? { acknowledged: false, told: 0 }
      this.entries.set(name, { ...entry, told: entry.told + 1 })
    }
  }
  acknowledged(names: readonly string[]): void {
    for (const name of names) this.entries.get(name)!.acknowledged = true
  }

  acknowledgedCount(): number {
    let count = 0
    for (const { acknowledged } of this.entries.values()) if (acknowledged) count++
    return count
  }
}

/** Measures the longest time without a good answer, while there was something to answer. */
export class Outage {
  longestMs = 0
  readonly #now: () => number
  #lastGoodAt: number | null = null

  constructor(now: () => number) {
    this.#now = now
  }

  /** Starts counting time without an answer. */
  begin(): void {
    this.#lastGoodAt = this.#now()
  }
  good(): void {
    if (this.#lastGoodAt === null) return
    this.longestMs = Math.max(this.longestMs, this.#now() - this.#lastGoodAt)
    this.#lastGoodAt = this.#now()
  }
  /** Stops counting time without an answer. */
  end(): void {
    this.good()
    this.#lastGoodAt = null
  }
}

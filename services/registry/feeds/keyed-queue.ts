/** Tasks in order, at most one at a time of a key, and at most `atOnce` in all. */
export class KeyedQueue {
  readonly #atOnce: number
  readonly #waiting: { key: string; task: () => Promise<void> }[] = []
  readonly #busy = new Map<string, Promise<void>>()
  #closed = false

  constructor(options: { atOnce: number }) {
    this.#atOnce = options.atOnce
  }

  /** @param task must not reject. */
  add(key: string, task: () => Promise<void>): void {
    this.#waiting.push({ key, task })
    this.#startNext()
  }

  /** Starts nothing more; resolves once what was started has ended. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#busy.values())
  }

  #startNext(): void {
    while (!this.#closed && this.#busy.size < this.#atOnce) {
      const next = this.#waiting.findIndex(({ key }) => !this.#busy.has(key))
      if (next < 0) return
      const [{ key, task }] = this.#waiting.splice(next, 1) as [{ key: string; task: () => Promise<void> }]
      const ended = task().finally(() => {
        this.#busy.delete(key)
        this.#startNext()
      })
      this.#busy.set(key, ended)
    }
  }
}

export interface FairTask {
  /** Tasks with the same key run one at a time, in order. */
  key: string
  /** Owners take turns, and each runs at most `atOncePerOwner` tasks. */
  owner: string
  /** Must not reject. */
  run: () => Promise<void>
}

/**
 * Runs tasks of many owners fairly: at most `atOnce` in all and `atOncePerOwner` of one owner, so that no owner's tasks keep the
 * others waiting. p-queue is not used, because it has no limit by owner.
 */
export class FairQueue {
  readonly #limits: { atOnce: number; atOncePerOwner: number }
  /** Waiting tasks by owner. The owner whose turn is next comes first. */
  readonly #waiting = new Map<string, FairTask[]>()
  readonly #running = new Map<string, { owner: string; ended: Promise<void> }>()
  #closed = false

  constructor(limits: { atOnce: number; atOncePerOwner: number }) {
    this.#limits = limits
  }

  add(task: FairTask): void {
    const tasks = this.#waiting.get(task.owner)
    if (tasks) tasks.push(task)
    else this.#waiting.set(task.owner, [task])
    this.#startNext()
  }

  /** Starts no more tasks. Resolves once the running ones have ended. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  #startNext(): void {
    while (!this.#closed && this.#running.size < this.#limits.atOnce) {
      const task = this.#takeNext()
      if (!task) return
      const ended = task.run().finally(() => {
        this.#running.delete(task.key)
        this.#startNext()
      })
      this.#running.set(task.key, { owner: task.owner, ended })
    }
  }

  #takeNext(): FairTask | null {
    for (const [owner, tasks] of this.#waiting) {
      if (this.#runningOf(owner) >= this.#limits.atOncePerOwner) continue
      const next = tasks.findIndex(({ key }) => !this.#running.has(key))
      if (next < 0) continue
      const [task] = tasks.splice(next, 1)
      // The owner moves to the end of the queue.
      this.#waiting.delete(owner)
      if (tasks.length > 0) this.#waiting.set(owner, tasks)
      return task!
    }
    return null
  }

  #runningOf(owner: string): number {
    let count = 0
    for (const running of this.#running.values()) if (running.owner === owner) count += 1
    return count
  }
}

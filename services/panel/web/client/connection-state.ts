/** Tracks whether the server answers. */
export interface Connection {
  isAway(): boolean
  /** Reports that a request got no answer. Asks the server whether it is there at all. */
  failed(): void
  /** Reports that a request got an answer. */
  answered(): void
  /** Asks the server now. Resolves to whether it answers. */
  check(): Promise<boolean>
  /** Calls `listener` when the server goes away and when it comes back. @returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void
}

export interface ConnectionDeps {
  /** Sends the server a cheap request. Resolves to whether it answers, never rejects. */
  ask: () => Promise<boolean>
  /** Whether the page is visible. A hidden page stops asking; it asks again once it is shown. */
  isVisible: () => boolean
}

/** While the server is away, it is asked after 1, 2, 4, 8 and then every 15 seconds. */
const WAIT_MIN_MS = 1_000
const WAIT_MAX_MS = 15_000

export function createConnection({ ask, isVisible }: ConnectionDeps): Connection {
  const listeners = new Set<() => void>()
  let isAway = false
  let asked: Promise<boolean> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let waitMs = WAIT_MIN_MS

  function check(): Promise<boolean> {
    asked ??= ask()
      .then(settle)
      .finally(() => {
        asked = null
      })
    return asked
  }

  function settle(answers: boolean): boolean {
    clearTimeout(timer)
    if (answers) waitMs = WAIT_MIN_MS
    else if (isVisible()) {
      timer = setTimeout(() => void check(), waitMs)
      waitMs = Math.min(2 * waitMs, WAIT_MAX_MS)
    }
    if (isAway === answers) {
      isAway = !answers
      for (const listener of listeners) listener()
    }
    return answers
  }

  return {
    isAway: () => isAway,
    failed: () => void check(),
    answered() {
      if (isAway) settle(true)
    },
    check,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

import type { PackedChange } from './packed.ts'

interface Waiting {
  change: PackedChange
  resolve: () => void
  reject: (error: Error) => void
}

/**
 * Stores the changes that come in one turn of the event loop in one transaction, so that one fsync serves them all.
 * @param storeAll stores changes together. It returns for each why it was refused, or null when it is stored.
 */
export function createGroupCommit(storeAll: (changes: readonly PackedChange[]) => (Error | null)[]) {
  let waiting: Waiting[] = []

  function commit(): void {
    const group = waiting
    waiting = []
    if (group.length === 0) return
    try {
      const refusals = storeAll(group.map(({ change }) => change))
      for (const [i, { resolve, reject }] of group.entries()) {
        if (refusals[i]) reject(refusals[i])
        else resolve()
      }
    } catch (error) {
      for (const { reject } of group) reject(error as Error)
    }
  }

  return {
    /** Resolves once the change is durable. */
    store(change: PackedChange): Promise<void> {
      return new Promise((resolve, reject) => {
        waiting.push({ change, resolve, reject })
        if (waiting.length === 1) setImmediate(commit)
      })
    },
    /** Stores the changes that still wait. */
    commit,
  }
}

/** How long an engine that failed, or that is slow, is left alone before it is tried again. */
const REST_MS = 1_000

/** Knows whether an engine answers, so that requests need not each wait for one that does not. */
export interface Rest {
  /** True while the engine is failing or slow, but for one call a second, which tries it. */
  resting(): boolean
  /** A call of the engine, which tells how it is. */
  watch<T>(call: Promise<T>): Promise<T>
}

/** @param slowMs a call that is open for longer means that the engine is slow. */
export function createRest({ now, slowMs }: { now: () => number; slowMs: number }): Rest {
  /** When each open call began, the oldest first. */
  const open = new Set<{ at: number }>()
  let failed = false
  let triedAt = Number.NEGATIVE_INFINITY

  function isWell(): boolean {
    const [oldest] = open
    return !failed && (oldest === undefined || now() - oldest.at <= slowMs)
  }
  return {
    resting: () => !isWell() && now() - triedAt < REST_MS,
    async watch(call) {
      const begun = { at: now() }
      triedAt = begun.at
      open.add(begun)
      try {
        const result = await call
        failed = false
        return result
      } catch (error) {
        failed = true
        throw error
      } finally {
        open.delete(begun)
      }
    },
  }
}

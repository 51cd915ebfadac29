/** Wakes whoever waits for something to have changed. */
export interface Signal {
  raise(): void
  /** Resolves at the next `raise`, or after `waitMs`. */
  wait(waitMs: number): Promise<void>
}

export function createSignal(): Signal {
  let next = Promise.withResolvers<void>()
  return {
    raise() {
      next.resolve()
      next = Promise.withResolvers()
    },
    async wait(waitMs) {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, Math.max(0, waitMs))
      })
      await Promise.race([next.promise, late])
      clearTimeout(timer)
    },
  }
}

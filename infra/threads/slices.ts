import { setImmediate } from 'node:timers/promises'

/** How long work may block a thread that answers requests. */
const SLICE_MS = 8

/** Splits long work into time slices, so that other work runs in between. Check `isOver` between steps. */
export interface Slices {
  isOver(): boolean
  /** Resolves in the next turn of the event loop. */
  next(): Promise<void>
}

export function createSlices(): Slices {
  let endsAt = performance.now() + SLICE_MS
  return {
    isOver: () => performance.now() >= endsAt,
    async next() {
      await setImmediate()
      endsAt = performance.now() + SLICE_MS
    },
  }
}

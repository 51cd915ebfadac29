import { setImmediate } from 'node:timers/promises'

/** How long a piece of work may hold a thread that answers requests. */
const SLICE_MS = 8

/** Cuts long work into slices, between which others have their turn. Ask between any two steps of it. */
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

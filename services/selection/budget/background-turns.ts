/** The time between two turns. The known spend and the leases of campaigns in demand may be this old. */
const TURN_MS = 200
/** After this many turns without demand, TURNS_AT_ONCE turns are taken as one. */
const QUIET_TURNS = 50
const TURNS_AT_ONCE = 5

/** Turns that are taken one after the other, and less often while there is no demand. */
export interface BackgroundTurns {
  start(onError: (error: unknown) => void): void
  /** Reports demand, so that the next turn follows after TURN_MS at the latest. */
  demanded(): void
  close(): void
}

/** @param take does the work of this many turns. */
export function createBackgroundTurns(take: (turns: number) => Promise<void>): BackgroundTurns {
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let isResting = false
  let quietTurns = 0
  let wake = () => {}

  function schedule(turns: number, onError: (error: unknown) => void): void {
    isResting = turns > 1
    const takeThem = async () => {
      isResting = false
      quietTurns += 1
      await take(turns).catch(onError)
      if (!closed) schedule(quietTurns < QUIET_TURNS ? 1 : TURNS_AT_ONCE, onError)
    }
    wake = () => {
      clearTimeout(timer)
      schedule(1, onError)
    }
    timer = setTimeout(takeThem, turns * TURN_MS).unref()
  }

  return {
    start: (onError) => schedule(1, onError),
    demanded() {
      quietTurns = 0
      if (isResting && !closed) wake()
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}

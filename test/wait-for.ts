const PATIENCE_MS = 120_000
const LOOK_EVERY_MIN_MS = 20
const LOOK_EVERY_MAX_MS = 300
/**
 * The pause between two checks, as a share of the time waited so far: after a long wait a moment matters less, and every check
 * costs something. It is never shorter than the last check took, so that no check, such as a report, keeps a program busy.
 */
const LOOK_AFTER_SHARE = 0.1

/** Thrown within a check when a server asks to be asked again, as a busy one may. */
export class NotYet extends Error {
  override readonly name = 'NotYet'
}

/** Checks until the result is true. The time limit only ends waits that hang. @throws after `timeoutMs`. */
export async function waitFor(check: () => boolean | Promise<boolean>, timeoutMs = PATIENCE_MS): Promise<void> {
  const begunAt = performance.now()
  let refusal: NotYet | undefined
  const isReached = async () => {
    try {
      return await check()
    } catch (error) {
      if (!(error instanceof NotYet)) throw error
      refusal = error
      return false
    }
  }
  for (let checkedAt = begunAt; !(await isReached()); checkedAt = performance.now()) {
    const now = performance.now()
    if (now - begunAt > timeoutMs) throw new Error(`not reached within ${timeoutMs} ms`, { cause: refusal })
    const pauseMs = Math.min(LOOK_EVERY_MAX_MS, Math.max(LOOK_EVERY_MIN_MS, (now - begunAt) * LOOK_AFTER_SHARE))
    await new Promise((resolve) => setTimeout(resolve, Math.max(pauseMs, now - checkedAt)))
  }
}

/** Asks again while the question throws NotYet. */
export async function onceAnswered<T>(ask: () => Promise<T>): Promise<T> {
  let answer: T
  await waitFor(async () => {
    answer = await ask()
    return true
  })
  return answer!
}

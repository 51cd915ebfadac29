import { threadOnDemand } from '../../../../infra/threads/on-demand.ts'
import { startWorker } from '../../../../infra/threads/worker.ts'
import { createLimiter } from '../../resources/limiter.ts'

/** Names and addresses of the user, which make a password easier to guess. */
export type OwnWords = readonly string[]

/** Finds passwords that others would guess. */
export interface PasswordStrength {
  /** Why a password is too weak, phrased to follow "is"; null when it is strong enough. @throws Problem UNAVAILABLE */
  weakness(password: string, words: OwnWords): Promise<string | null>
  close(): Promise<void>
}

const WAITING_MAX = 8

const IDLE_MS = 60_000

/** Runs in a thread of its own, because a hostile password takes about 400 ms. `failed` resolves when the thread has died. */
export function threadedPasswordStrength(): PasswordStrength & { readonly failed: Promise<Error> } {
  const thread = threadOnDemand(
    () => startWorker('passwords', new URL('./password-strength.worker.ts', import.meta.url), null),
    {
      idleMs: IDLE_MS,
      closedError: () => new Error('The judge of passwords has been closed'),
    },
  )
  const limited = createLimiter({ running: 1, waiting: WAITING_MAX })
  return {
    failed: thread.failed,
    weakness: (password, words) => limited(() => thread.call('weakness', [password, words])),
    close: thread.close,
  }
}

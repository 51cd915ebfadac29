import { threadOnDemand } from '../../../../infra/threads/on-demand.ts'
import { startWorker } from '../../../../infra/threads/worker.ts'
import { createLimiter } from '../../resources/limiter.ts'

/** What the password is judged with: whose it shall be, because names make bad passwords. */
export type OwnWords = readonly string[]

/** Tells passwords that others would guess. */
export interface PasswordStrength {
  /** Why a password is too weak, to be read after "is"; null: it is not. @throws Problem UNAVAILABLE */
  weakness(password: string, words: OwnWords): Promise<string | null>
  close(): Promise<void>
}

const WAITING_MAX = 8

const IDLE_MS = 60_000

/** In a thread of its own: hostile passwords take it some 400 ms. `failed` resolves when the thread has died. */
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

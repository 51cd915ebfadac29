import { connect, startWorker } from '../../../../infra/thread.ts'
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

/** In a thread of its own: hostile passwords take it some 400 ms. `failed` resolves when the thread has died. */
export async function startPasswordStrength(): Promise<PasswordStrength & { readonly failed: Promise<Error> }> {
  const worker = await startWorker(new URL('./password-strength.worker.ts', import.meta.url), null)
  const remote = connect(worker.connect(), {}, () => new Error('The judge of passwords has been closed'))
  const limited = createLimiter({ running: 1, waiting: WAITING_MAX })
  return {
    failed: worker.failed,
    weakness: (password, words) => limited(() => remote.call('weakness', [password, words])),
    async close() {
      remote.close()
      await worker.stop()
    },
  }
}

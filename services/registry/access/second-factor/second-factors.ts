import { HOUR_MS } from '../../../../schemas/durations.ts'
import type { Account, SecondFactor, User } from '../../../../schemas/records/accounts.ts'
import { Problem } from '../../../domain/errors.ts'
import { changed, type Registry } from '../../resources/store.ts'
import { createRateLimiter } from '../sessions/rate-limiter.ts'
import { keeperOf } from '../users/logins.ts'
import { recoveryHash, stepOf } from './codes.ts'
import type { Sealing } from './sealing.ts'

const APP_CODE = /^\d{6}$/
/** Wrong codes for one person, from anywhere. Only somebody who has the password can guess codes. */
const TRIES = { burst: 20, windowMs: HOUR_MS, keysMax: 10_000 }

/** The second factor that users prove besides the password. */
export interface SecondFactors {
  /** Uses up a code of the app or a recovery code; each is valid once. @throws Problem RATE_LIMITED, and as `Registry.write`. */
  use(loginId: string, code: string): Promise<'APP' | 'RECOVERY' | null>
  /** Whether the settings require a second factor that the user lacks. */
  isMissing(user: Pick<User, 'role' | 'secondFactor'>): boolean
  /** Whether the settings require a second factor of the user. */
  isRequired(user: Pick<User, 'role'>): boolean
}

export function createSecondFactors(deps: {
  registry: Registry
  sealing: Sealing
  requiredOf: ReadonlySet<Account['kind']>
  now: () => number
}): SecondFactors {
  const { registry, sealing, requiredOf, now } = deps
  const rateLimiter = createRateLimiter({ ...TRIES, now })

  /** The factor after the code has been used; null when the code is wrong or was used before. */
  function afterCode(factor: SecondFactor, loginId: string, code: string): SecondFactor | null {
    if (!APP_CODE.test(code)) {
      const used = recoveryHash(code)
      const recoveryHashes = factor.recoveryHashes.filter((hash) => hash !== used)
      return recoveryHashes.length < factor.recoveryHashes.length ? { ...factor, recoveryHashes } : null
    }
    const secret = sealing.open(factor.sealedSecret, loginId)
    const step = secret === null ? null : stepOf(code, secret, now())
    if (secret === null || step === null || step <= factor.lastStep) return null
    // Sealed again, so that it can still be opened after the key that sealed it before is dropped.
    return { ...factor, lastStep: step, sealedSecret: sealing.seal(secret, loginId) }
  }

  return {
    async use(loginId, code) {
      const tries = rateLimiter.key(loginId)
      const waitMs = tries.waitMs()
      if (waitMs > 0) {
        const retryAfterSeconds = Math.ceil(waitMs / 1000)
        throw new Problem('RATE_LIMITED', 'Too many codes were tried: try again later', { retryAfterSeconds })
      }
      tries.take()
      const writing = registry.write(
        () => {
          const keeper = keeperOf(registry.snapshot, loginId)
          const factor = keeper?.body.secondFactor
          const after = factor ? afterCode(factor, loginId, code) : null
          return keeper && after ? [changed(keeper, { ...keeper.body, secondFactor: after })] : []
        },
        { by: loginId },
      )
      // A failed write has told nobody whether the code is right.
      const written = await writing.catch((error) => {
        tries.refund()
        throw error
      })
      if (written.length === 0) return null
      tries.refund()
      return APP_CODE.test(code) ? 'APP' : 'RECOVERY'
    },
    isRequired: ({ role }) => requiredOf.has(role),
    isMissing: ({ role, secondFactor }) => requiredOf.has(role) && secondFactor === null,
  }
}

import { HOUR_MS, MINUTE_MS } from '../../../../schemas/durations.ts'
import { Problem } from '../../../domain/errors.ts'
import { createRateLimiter } from './rate-limiter.ts'

/** Keys remembered of each kind. */
const KEYS_MAX = 20_000
/** Tries of one source, for any person. */
const OF_SOURCE = { burst: 60, windowMs: 5 * MINUTE_MS }
/** Tries of one source, or of one known device, for one person. */
const OF_PAIR = { burst: 10, windowMs: 5 * MINUTE_MS }
/** Tries for one person from anywhere but the person's own devices: what thousands of addresses may try together. */
const OF_PERSON = { burst: 100, windowMs: HOUR_MS }
/** Checks under way for one source or device, so that one sender cannot fill the queue in which everybody waits. */
const UNDER_WAY_OF_SENDER_MAX = 6
const SOON_SECONDS = 2

export interface Guess {
  /** Where the guess comes from: an IPv4 address, or an IPv6 network. */
  source: string
  /** Whose password or code is guessed: a normalized e-mail address, or a user id. */
  person: string
  /** The browser, if this person has signed in with it before; else null. */
  device: string | null
}

/** Slows down those who guess passwords and codes. It counts in memory, so a restart forgets the counts. */
export interface Attempts {
  /**
   * Runs a check of a password or code. The try is counted before the check, so that parallel tries count at once. A right one
   * is refunded afterwards, and so is one that could not be checked. A known device has its own count: strangers can neither use
   * up its tries nor lock it out.
   * @returns what `check` found. @throws Problem RATE_LIMITED when there were too many; and what `check` throws.
   */
  guess<T>(guess: Guess, check: () => Promise<T>, isRight: (found: T) => boolean): Promise<T>
}

export function createAttempts({ now }: { now: () => number }): Attempts {
  const rateLimiter = (limit: { burst: number; windowMs: number }) =>
    createRateLimiter({ ...limit, keysMax: KEYS_MAX, now })
  const [bySource, byPair, byPerson] = [rateLimiter(OF_SOURCE), rateLimiter(OF_PAIR), rateLimiter(OF_PERSON)]
  const underWay = new Map<string, number>()

  /** Counts a try in all limiters that apply, or in none. @returns how to refund it. @throws Problem RATE_LIMITED */
  function count({ source, person, device }: Guess): { refund(): void } {
    const pair = JSON.stringify([device ?? source, person])
    const counted =
      device === null ? [bySource.key(source), byPair.key(pair), byPerson.key(person)] : [byPair.key(pair)]
    const waitMs = Math.max(...counted.map((key) => key.waitMs()))
    if (waitMs > 0) {
      throw new Problem('RATE_LIMITED', 'Too many passwords were tried: try again later', {
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      })
    }
    for (const key of counted) key.take()
    return {
      refund() {
        for (const key of counted) key.refund()
      },
    }
  }

  return {
    async guess(guess, check, isRight) {
      const sender = guess.device ?? guess.source
      const inFlight = underWay.get(sender) ?? 0
      if (inFlight >= UNDER_WAY_OF_SENDER_MAX) {
        throw new Problem('RATE_LIMITED', 'Too many sign-ins are in progress: try again in a moment', {
          retryAfterSeconds: SOON_SECONDS,
        })
      }
      const counted = count(guess)
      underWay.set(sender, inFlight + 1)
      try {
        const found = await check()
        if (isRight(found)) counted.refund()
        return found
      } catch (error) {
        // Nothing has been found wrong.
        counted.refund()
        throw error
      } finally {
        const left = underWay.get(sender)! - 1
        if (left > 0) underWay.set(sender, left)
        else underWay.delete(sender)
      }
    },
  }
}

import rateLimit from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import { Problem } from '../../domain/errors.ts'
import type { HttpServer } from '../../http.ts'
import { normalEmail } from '../users/users.ts'

const WINDOW_MS = 300_000
/** Passwords that one address (of IPv6: one network of 64 bits) may try in a window, right or wrong. */
const TRIES_OF_ADDRESS_MAX = 60
/** Wrong passwords for one person in a window. */
const FAILURES_OF_PERSON_MAX = 10
/** Addresses and persons remembered; the longest unused are forgotten first. */
const REMEMBERED_MAX = 10_000

/** Slows down who tries out passwords. Counts in memory: a restart forgets them. */
export interface Attempts {
  /** Counts a try of the sender's address. @throws Problem RATE_LIMITED when it, or the person, had too many. */
  check(request: FastifyRequest): Promise<void>
  /** Counts a wrong password. */
  failed(request: FastifyRequest): Promise<void>
}

export async function countAttempts(server: HttpServer): Promise<Attempts> {
  const common = { timeWindow: WINDOW_MS, cache: REMEMBERED_MAX }
  await server.register(rateLimit, { global: false })
  const countOfAddress = server.createRateLimit({ ...common, max: TRIES_OF_ADDRESS_MAX })
  const countOfPerson = server.createRateLimit({ ...common, max: FAILURES_OF_PERSON_MAX, keyGenerator: personOf })
  return {
    async check(request) {
      const [ofAddress, ofPerson] = [await countOfAddress(request), await countOfPerson(request, { increment: false })]
      if (!ofAddress.isAllowed && ofAddress.isExceeded) throw tooMany(ofAddress.ttlInSeconds)
      if (!ofPerson.isAllowed && ofPerson.remaining === 0) throw tooMany(ofPerson.ttlInSeconds)
    },
    async failed(request) {
      await countOfPerson(request)
    },
  }
}

/** Whose password is tried: one's own, or that of the e-mail address given. */
function personOf({ principal, body }: FastifyRequest): string {
  return principal?.userId ?? normalEmail((body as { email: string }).email)
}

function tooMany(retryAfterSeconds: number): Problem {
  return new Problem('RATE_LIMITED', 'Too many passwords were tried: wait a while', { retryAfterSeconds })
}

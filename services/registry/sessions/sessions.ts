import { Signer } from '@fastify/cookie'
import type { FastifyRequest } from 'fastify'
import type { Entity, Snapshot } from '../../domain/snapshot.ts'
import { checkSender } from './same-origin.ts'

const COOKIE = 'endcap_session'
const cookieOf = /(?:^|;) *endcap_session=([^;]*)/
/** Since its last use. */
export const SESSION_LIFE_MS = 12 * 3_600_000
/** Since the sign-in, however much it is used. */
const SESSION_LIFE_MAX_MS = 7 * 24 * 3_600_000
/** A cookie is written anew at most so often. */
const RENEWAL_MS = 600_000

export interface Session {
  user: Entity<'User'>
  /** UTC epoch ms. */
  expiresAt: number
  /** The `Set-Cookie` that makes it last longer; null: it is too new for that. */
  renewal: string | null
}

/** Signed-in users. A session is in its cookie, signed, and nowhere else: it survives a restart, and costs no write. */
export interface Sessions {
  /** A new session. `setCookie` is the value of the header. */
  open(user: Entity<'User'>): { setCookie: string; expiresAt: number }
  /**
   * The session of a request's cookie; null unless it is in force, and its user may still sign in.
   * @throws Problem FORBIDDEN when the request would change something and no page of this server sent it.
   */
  read(request: Pick<FastifyRequest, 'method' | 'headers'>): Session | null
  /** The `Set-Cookie` that ends a session in the browser. */
  readonly ending: string
}

/**
 * The cookie's value is `user id.epoch.signed in at.expires at.signature`, times in epoch ms, signed by HMAC-SHA-256 with
 * the first key; any of the keys may have signed it. None of its characters has a meaning in a cookie.
 */
export function createSessions(deps: {
  snapshot: Snapshot
  keys: readonly Buffer[]
  publicUrl: string
  now: () => number
}): Sessions {
  const { snapshot, now } = deps
  const signer = new Signer([...deps.keys])
  const secure = deps.publicUrl.startsWith('https:') ? '; Secure' : ''
  const cookie = (value: string, seconds: number) =>
    `${COOKIE}=${value}; Max-Age=${seconds}; Path=/; HttpOnly${secure}; SameSite=Strict`

  function write(user: Entity<'User'>, signedInAt: number) {
    const expiresAt = Math.min(now() + SESSION_LIFE_MS, signedInAt + SESSION_LIFE_MAX_MS)
    const value = signer.sign([user.id, user.body.sessionEpoch, signedInAt, expiresAt].join('.'))
    return { setCookie: cookie(value, Math.ceil((expiresAt - now()) / 1000)), expiresAt }
  }

  return {
    open: (user) => write(user, now()),
    ending: cookie('', 0),
    read(request) {
      const value = cookieOf.exec(request.headers.cookie ?? '')?.[1]
      const signed = value === undefined ? null : signer.unsign(value).value
      if (signed === null) return null
      const [id, ...numbers] = signed.split('.')
      const [epoch, signedInAt, expiresAt] = numbers.map(Number) as [number, number, number]
      const user = snapshot.get('User', id!)
      if (!user || user.body.disabledAt !== null || user.body.sessionEpoch !== epoch || now() >= expiresAt) return null
      checkSender(request, deps.publicUrl)
      const renewed = write(user, signedInAt)
      const isDue = renewed.expiresAt - expiresAt >= RENEWAL_MS
      return { user, expiresAt: isDue ? renewed.expiresAt : expiresAt, renewal: isDue ? renewed.setCookie : null }
    },
  }
}

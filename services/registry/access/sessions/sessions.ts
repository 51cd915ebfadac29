import { Signer } from '@fastify/cookie'
import type { FastifyRequest } from 'fastify'
import { DAY_MS, HOUR_MS } from '../../../../schemas/durations.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { checkSender } from './same-origin.ts'

/** Lifetime of a session since its last use. */
export const SESSION_LIFE_MS = 12 * HOUR_MS
/** Lifetime of a session since the sign-in, even if it stays in use. */
const SESSION_LIFE_MAX_MS = 7 * DAY_MS
/** A cookie is renewed at most this often. */
const RENEWAL_MS = 600_000

export interface Session {
  id: string
  user: Entity<'User'>
  /** When the user last authenticated, by password or second factor. UTC epoch ms, as the other times. */
  authenticatedAt: number
  expiresAt: number
  /** When the session ends even if it stays in use. */
  endsAt: number
  /** The `Set-Cookie` that renews the session; null when the cookie is too new for that. */
  renewal: string | null
}

export interface Opened {
  /** The value of the `Set-Cookie` header. */
  setCookie: string
  expiresAt: number
}

/**
 * Sessions of signed-in users. A session is kept in its signed cookie, so it survives a restart and costs no write. What ends
 * sessions early is kept with the user: an epoch that ends all of them, and the ids of those that were signed out.
 */
export interface Sessions {
  /** Opens a new session. */
  open(user: Entity<'User'>): Opened
  /** The same session, for the user as now stored, who has just authenticated again. */
  reopen(session: Session, user: Entity<'User'>): Opened
  /**
   * The session of a request's cookie; null unless the session is valid and its user may still sign in.
   * @throws Problem FORBIDDEN when the request would change something and no page of this server sent it.
   */
  read(request: Pick<FastifyRequest, 'method' | 'headers'>): Session | null
  /** The `Set-Cookie` that ends a session in the browser. */
  readonly ending: string
}

interface Claims {
  id: string
  userId: string
  epoch: number
  signedInAt: number
  authenticatedAt: number
}

/**
 * The cookie's value is `user id.epoch.session id.signed in at.authenticated at.expires at.signature`, times in epoch ms,
 * signed by HMAC-SHA-256 with the first key; any of the keys may have signed it. None of its characters has a meaning in
 * a cookie. Over https the cookie's name has the prefix that keeps other hosts of the domain from setting the cookie.
 */
export function createSessions(deps: {
  snapshot: Snapshot
  keys: readonly Buffer[]
  publicUrl: string
  now: () => number
  uuid: () => string
}): Sessions {
  const { snapshot, now, uuid } = deps
  const signer = new Signer([...deps.keys])
  const isSecure = deps.publicUrl.startsWith('https:')
  const name = isSecure ? '__Host-endcap_session' : 'endcap_session'
  const valueIn = new RegExp(`(?:^|;) *${name}=([^;]*)`)
  const cookie = (value: string, seconds: number) =>
    `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly${isSecure ? '; Secure' : ''}; SameSite=Strict`

  function write({ id, userId, epoch, signedInAt, authenticatedAt }: Claims): Opened {
    const expiresAt = Math.min(now() + SESSION_LIFE_MS, signedInAt + SESSION_LIFE_MAX_MS)
    const value = signer.sign([userId, epoch, id, signedInAt, authenticatedAt, expiresAt].join('.'))
    return { setCookie: cookie(value, Math.ceil((expiresAt - now()) / 1000)), expiresAt }
  }

  return {
    open(user) {
      const at = now()
      const { sessionEpoch: epoch } = user.body
      return write({ id: uuid(), userId: user.id, epoch, signedInAt: at, authenticatedAt: at })
    },
    reopen({ id, endsAt }, user) {
      const { sessionEpoch: epoch } = user.body
      return write({ id, userId: user.id, epoch, signedInAt: endsAt - SESSION_LIFE_MAX_MS, authenticatedAt: now() })
    },
    ending: cookie('', 0),
    read(request) {
      const value = valueIn.exec(request.headers.cookie ?? '')?.[1]
      const signed = value === undefined ? null : signer.unsign(value).value
      if (signed === null) return null
      const [userId, epochText, id, ...times] = signed.split('.') as [string, string, string, ...string[]]
      const epoch = Number(epochText)
      const [signedInAt, authenticatedAt, expiresAt] = times.map(Number) as [number, number, number]
      const user = snapshot.get('User', userId)
      if (!user || user.body.disabledAt !== null || user.body.sessionEpoch !== epoch) return null
      // Negated, so that a cookie with too few parts, whose expiry is NaN, is not valid.
      if (!(now() < expiresAt) || user.body.endedSessions.some((ended) => ended.id === id)) return null
      checkSender(request, deps.publicUrl)
      const renewed = write({ id, userId, epoch, signedInAt, authenticatedAt })
      const isDue = renewed.expiresAt - expiresAt >= RENEWAL_MS
      return {
        id,
        user,
        authenticatedAt,
        expiresAt: isDue ? renewed.expiresAt : expiresAt,
        endsAt: signedInAt + SESSION_LIFE_MAX_MS,
        renewal: isDue ? renewed.setCookie : null,
      }
    },
  }
}

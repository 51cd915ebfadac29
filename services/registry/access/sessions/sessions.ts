import { Signer } from '@fastify/cookie'
import type { FastifyRequest } from 'fastify'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { checkSender } from './same-origin.ts'

/** Since its last use. */
export const SESSION_LIFE_MS = 12 * 3_600_000
/** Since the sign-in, however much it is used. */
const SESSION_LIFE_MAX_MS = 7 * 24 * 3_600_000
/** A cookie is written anew at most so often. */
const RENEWAL_MS = 600_000

export interface Session {
  id: string
  user: Entity<'User'>
  /** When the user last proved who it is, by password or second factor. UTC epoch ms, as the other times. */
  authenticatedAt: number
  expiresAt: number
  /** However much it is used. */
  endsAt: number
  /** The `Set-Cookie` that makes it last longer; null: it is too new for that. */
  renewal: string | null
}

export interface Opened {
  /** The value of the header. */
  setCookie: string
  expiresAt: number
}

/**
 * Signed-in users. A session is in its cookie, signed: it survives a restart, and costs no write. What ends one before its
 * time is in its user: an epoch that ends all, and the ids of those that were signed out.
 */
export interface Sessions {
  /** A new session. */
  open(user: Entity<'User'>): Opened
  /** The same session for the user as it is now, who has just proved again who it is. */
  reopen(session: Session, user: Entity<'User'>): Opened
  /**
   * The session of a request's cookie; null unless it is in force, and its user may still sign in.
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
 * a cookie. Over https its name has the prefix that keeps other hosts of the domain from setting it.
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
      // Written so that a cookie of fewer parts, whose times are no numbers, is not in force.
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

import { Signer } from '@fastify/cookie'
import type { FastifyRequest } from 'fastify'
import { DAY_MS, HOUR_MS } from '../../../../schemas/durations.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { isEnabled, keeperOf, loginIdOf, usersOf } from '../users/logins.ts'
import { checkSender } from './same-origin.ts'

/** Lifetime of a session since its last use. */
export const SESSION_LIFE_MS = 12 * HOUR_MS
/** Lifetime of a session since the sign-in, even if it stays in use. */
const SESSION_LIFE_MAX_MS = 7 * DAY_MS
/** A cookie is renewed at most this often. */
const RENEWAL_MS = 600_000

export interface Session {
  id: string
  loginId: string
  /** The user who keeps the login: its password, second factor and ended sessions. */
  keeper: Entity<'User'>
  /** Those users of the login who may sign in. A request acts for one of them. */
  users: Entity<'User'>[]
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
 * sessions early is kept with the login: an epoch that ends all of them, and the ids of those that were signed out.
 */
export interface Sessions {
  /** Opens a new session of the login that the user keeps. */
  open(keeper: Entity<'User'>): Opened
  /** The same session, for the keeper as now stored. The person has just authenticated again. */
  reopen(session: Session, keeper: Entity<'User'>): Opened
  /**
   * The session of a request's cookie; null unless the session is valid and a user of its login may still sign in.
   * @throws Problem FORBIDDEN when the request would change something and no page of this server sent it.
   */
  read(request: Pick<FastifyRequest, 'method' | 'headers'>): Session | null
  /** The `Set-Cookie` that ends a session in the browser. */
  readonly ending: string
}

interface Claims {
  id: string
  loginId: string
  epoch: number
  signedInAt: number
  authenticatedAt: number
}

/**
 * The cookie's value is `login id.epoch.session id.signed in at.authenticated at.expires at.signature`, times in epoch ms,
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

  function write({ id, loginId, epoch, signedInAt, authenticatedAt }: Claims): Opened {
    const expiresAt = Math.min(now() + SESSION_LIFE_MS, signedInAt + SESSION_LIFE_MAX_MS)
    const value = signer.sign([loginId, epoch, id, signedInAt, authenticatedAt, expiresAt].join('.'))
    return { setCookie: cookie(value, Math.ceil((expiresAt - now()) / 1000)), expiresAt }
  }

  return {
    open(keeper) {
      const at = now()
      const { sessionEpoch: epoch } = keeper.body
      return write({ id: uuid(), loginId: loginIdOf(keeper), epoch, signedInAt: at, authenticatedAt: at })
    },
    reopen({ id, loginId, endsAt }, keeper) {
      const { sessionEpoch: epoch } = keeper.body
      return write({ id, loginId, epoch, signedInAt: endsAt - SESSION_LIFE_MAX_MS, authenticatedAt: now() })
    },
    ending: cookie('', 0),
    read(request) {
      const value = valueIn.exec(request.headers.cookie ?? '')?.[1]
      const signed = value === undefined ? null : signer.unsign(value).value
      if (signed === null) return null
      const [loginId, epochText, id, ...times] = signed.split('.') as [string, string, string, ...string[]]
      const epoch = Number(epochText)
      const [signedInAt, authenticatedAt, expiresAt] = times.map(Number) as [number, number, number]
      const keeper = keeperOf(snapshot, loginId)
      const users = usersOf(snapshot, loginId).filter(isEnabled)
      if (!keeper || users.length === 0 || keeper.body.sessionEpoch !== epoch) return null
      // Negated, so that a cookie with too few parts, whose expiry is NaN, is not valid.
      if (!(now() < expiresAt) || keeper.body.endedSessions.some((ended) => ended.id === id)) return null
      checkSender(request, deps.publicUrl)
      const renewed = write({ id, loginId, epoch, signedInAt, authenticatedAt })
      const isDue = renewed.expiresAt - expiresAt >= RENEWAL_MS
      return {
        id,
        loginId,
        keeper,
        users,
        authenticatedAt,
        expiresAt: isDue ? renewed.expiresAt : expiresAt,
        endsAt: signedInAt + SESSION_LIFE_MAX_MS,
        renewal: isDue ? renewed.setCookie : null,
      }
    },
  }
}

import { Signer } from '@fastify/cookie'
import type { FastifyRequest } from 'fastify'
import { DAY_MS } from '../../../../schemas/durations.ts'

const COOKIE = 'endcap_device'
const cookieOf = /(?:^|;) *endcap_device=([^;]*)/
/** How long a device stays known after the last sign-in. */
const DEVICE_LIFE_MS = 90 * DAY_MS

/** Browsers in which a person has signed in. A known device grants no access: its tries are only counted apart from strangers'. */
export interface KnownDevices {
  /** A name for the request's device, if it is known for this user; else null. */
  of(request: Pick<FastifyRequest, 'headers'>, userId: string | undefined): string | null
  /** The `Set-Cookie` that makes the browser known for the user, who has just signed in. */
  remember(userId: string): string
}

/** The cookie's value is `device.user id.device id.expires at.signature`, signed as sessions are. */
export function createKnownDevices(deps: {
  keys: readonly Buffer[]
  publicUrl: string
  now: () => number
  uuid: () => string
}): KnownDevices {
  const { now, uuid } = deps
  const signer = new Signer([...deps.keys])
  const secure = deps.publicUrl.startsWith('https:') ? '; Secure' : ''
  return {
    of(request, userId) {
      const value = cookieOf.exec(request.headers.cookie ?? '')?.[1]
      const signed = value === undefined ? null : signer.unsign(value).value
      const [purpose, id, device, expiresAt] = signed?.split('.') ?? []
      return purpose === 'device' && id === userId && now() < Number(expiresAt) ? `device ${device}` : null
    },
    remember(userId) {
      const value = signer.sign(['device', userId, uuid(), now() + DEVICE_LIFE_MS].join('.'))
      const path = '/v1/panel'
      return `${COOKIE}=${value}; Max-Age=${DEVICE_LIFE_MS / 1000}; Path=${path}; HttpOnly${secure}; SameSite=Strict`
    },
  }
}

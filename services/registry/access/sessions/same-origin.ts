import type { FastifyRequest } from 'fastify'
import { Problem } from '../../../domain/errors.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether the page that sent a request is this server's own; UNKNOWN: no browser of today says so little. */
export type RequestSite = 'SELF' | 'OTHER' | 'UNKNOWN'

/**
 * Reads what browsers add and pages cannot forge: `Sec-Fetch-Site` (Fetch Metadata, section 2.4), which they send to
 * https and localhost, else `Origin`, which they send with everything but GET and HEAD.
 */
export function requestSite(headers: FastifyRequest['headers'], publicUrl: string): RequestSite {
  const { 'sec-fetch-site': site, origin, host } = headers
  if (site !== undefined) return site === 'same-origin' ? 'SELF' : 'OTHER'
  if (origin === undefined) return 'UNKNOWN'
  return origin === URL.parse(publicUrl)?.origin || URL.parse(origin)?.host === host ? 'SELF' : 'OTHER'
}

/**
 * Cross-site request forgery: what a cookie vouches for may change something only from a page of this server.
 * @throws Problem FORBIDDEN
 */
export function checkSender(request: Pick<FastifyRequest, 'method' | 'headers'>, publicUrl: string): void {
  if (SAFE_METHODS.has(request.method)) return
  if (requestSite(request.headers, publicUrl) !== 'SELF') {
    throw new Problem('FORBIDDEN', 'A request with a session must come from a page of this server')
  }
}

import type { FastifyRequest } from 'fastify'
import { Problem } from '../../../domain/errors.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a page of this server sent a request. UNKNOWN when the headers do not tell, though those of current browsers do. */
export type RequestSite = 'SELF' | 'OTHER' | 'UNKNOWN'

/**
 * Reads headers that browsers add and pages cannot forge: `Sec-Fetch-Site` (Fetch Metadata, section 2.4), which they send to
 * https and localhost, or else `Origin`, which they send with everything but GET and HEAD.
 */
export function requestSite(headers: FastifyRequest['headers'], publicUrl: string): RequestSite {
  const { 'sec-fetch-site': site, origin, host } = headers
  if (site !== undefined) return site === 'same-origin' ? 'SELF' : 'OTHER'
  if (origin === undefined) return 'UNKNOWN'
  return origin === URL.parse(publicUrl)?.origin || URL.parse(origin)?.host === host ? 'SELF' : 'OTHER'
}

/**
 * Prevents cross-site request forgery: a request that a cookie authenticates may change something only when a page of this
 * server sent it.
 * @throws Problem FORBIDDEN
 */
export function checkSender(request: Pick<FastifyRequest, 'method' | 'headers'>, publicUrl: string): void {
  if (SAFE_METHODS.has(request.method)) return
  if (requestSite(request.headers, publicUrl) !== 'SELF') {
    throw new Problem('FORBIDDEN', 'A request with a session must come from a page of this server')
  }
}

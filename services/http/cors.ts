import cors from '@fastify/cors'
import { LIMITS_HEADER } from '../../schemas/http/selection.ts'
import { SIGNATURE_HEADER } from '../domain/identity/event-signature.ts'
import type { HttpServer } from './server.ts'

const MAX_AGE_SECONDS = 86_400

/** What pages of other origins may call: ads, events, pictures and the emission script. */
export const PUBLIC_PATHS = /^\/v1\/(dsa|banner|ev|events|images)\//

/**
 * Answers pages of allowed origins by their name, since a browser sends no beacon of JSON, and no request with credentials, to
 * a server that allows `*`. Nothing behind these paths looks at a cookie. The management API is for no page but its own.
 */
export async function registerCors(server: HttpServer, origins: readonly string[] | '*'): Promise<void> {
  const allowed = {
    origin: origins === '*' ? true : [...origins],
    credentials: true,
    methods: ['GET', 'POST'],
    allowedHeaders: [
      ...['content-type', 'cid', 'uid', 'traceparent', 'tracestate', 'x-requested-with', 'authorization'],
      SIGNATURE_HEADER,
    ],
    exposedHeaders: ['request-id', 'retry-after', LIMITS_HEADER],
    maxAge: MAX_AGE_SECONDS,
  }
  await server.register(cors, {
    delegator: ({ method, url, headers }, decide) => {
      const isPreflight = headers.origin !== undefined && headers['access-control-request-method'] !== undefined
      const isOurs = PUBLIC_PATHS.test(url) && (method !== 'OPTIONS' || isPreflight)
      decide(null, isOurs ? allowed : { origin: false })
    },
  })
}

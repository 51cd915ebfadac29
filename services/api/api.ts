import cors from '@fastify/cors'
import type { FastifyPluginAsync, FastifyPluginCallback } from 'fastify'
import type { RequestMetrics } from '../../infra/metrics/requests.ts'
import { LIMITS_HEADER } from '../../schemas/http/selection.ts'
import { SIGNATURE_HEADER } from '../domain/identity/event-signature.ts'
import type { HttpServer } from '../http/server.ts'
import { registerDocs } from './docs/docs.ts'
import { type HealthCheck, healthApp } from './health.ts'
import { measureRequests } from './metrics.ts'

const CORS_MAX_AGE_SECONDS = 86_400

/** Paths that pages of other origins may call: ads, events, images and the emission script. */
const PUBLIC_PATHS = /^\/v1\/(dsa|banner|ev|events|images)\//

export type Routes = FastifyPluginAsync | FastifyPluginCallback | ((server: HttpServer) => Promise<void>)

export interface RoutesDeps {
  metrics: Pick<RequestMetrics, 'routeAdded' | 'requestServed'>
  corsOrigins: readonly string[] | '*'
  publicUrl: string
}

export interface ApiDeps extends RoutesDeps {
  checks: Readonly<Record<string, HealthCheck>>
  version: string
}

/** Registers every route of the process: those of its roles, and those that every process has. */
export async function registerApi(server: HttpServer, routes: readonly Routes[], deps: ApiDeps): Promise<void> {
  registerDocs(server, deps)
  await registerRoutes(server, [...routes, healthApp(deps)], deps)
}

/** Registers routes, and the hooks that apply to all of them. */
export async function registerRoutes(server: HttpServer, routes: readonly Routes[], deps: RoutesDeps): Promise<void> {
  measureRequests(server, deps.metrics)
  keepAnswersPrivate(server)
  if (new URL(deps.publicUrl).protocol === 'https:') demandTls(server)
  await registerCors(server, deps.corsOrigins)
  for (const each of routes) server.register(each as never)
}

/**
 * No cache may store answers of the management API. Public routes get no such header: caches do not store answers to POST
 * anyway, and Chromium keeps a no-store response open until the page has read it, which few pages do for events.
 */
function keepAnswersPrivate(server: HttpServer): void {
  server.addHook('onRequest', (request, reply, done) => {
    // The route's own path, because the address of the request may spell it in other ways: /%761/panel/shops.
    const path = request.routeOptions.url ?? request.url
    if (path.startsWith('/v1/') && !PUBLIC_PATHS.test(path)) reply.header('cache-control', 'no-store')
    done()
  })
}

const A_YEAR_S = 31_536_000

/** Browsers that connected by TLS use only TLS from then on (RFC 6797); over plain HTTP they ignore the header. */
function demandTls(server: HttpServer): void {
  server.addHook('onRequest', (_request, reply, done) => {
    reply.header('strict-transport-security', `max-age=${A_YEAR_S}`)
    done()
  })
}

/**
 * Answers allowed origins by name, because browsers send neither JSON beacons nor requests with credentials to a server that
 * answers `*`. Nothing behind these paths reads a cookie. The management API allows no other origin.
 */
async function registerCors(server: HttpServer, origins: readonly string[] | '*'): Promise<void> {
  const allowed = {
    origin: origins === '*' ? true : [...origins],
    credentials: true,
    methods: ['GET', 'POST'],
    allowedHeaders: [
      ...['content-type', 'cid', 'uid', 'traceparent', 'tracestate', 'x-requested-with', 'authorization'],
      SIGNATURE_HEADER,
    ],
    exposedHeaders: ['request-id', 'retry-after', LIMITS_HEADER],
    maxAge: CORS_MAX_AGE_SECONDS,
  }
  await server.register(cors, {
    delegator: ({ method, url, headers }, decide) => {
      const isPreflight = headers.origin !== undefined && headers['access-control-request-method'] !== undefined
      const isOurs = PUBLIC_PATHS.test(url) && (method !== 'OPTIONS' || isPreflight)
      decide(null, isOurs ? allowed : { origin: false })
    },
  })
}

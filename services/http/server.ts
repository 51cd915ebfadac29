import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerOptions } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyServerFactory,
  LogController,
} from 'fastify'
import { Problem } from '../domain/errors.ts'
import { defaultLimits, type Limits } from '../domain/limits.ts'
import { rateLimitedLog } from '../process/rate-limited-log.ts'
import { trustedProxies } from './client-address.ts'
import { decodeBodies } from './content-encoding.ts'
import { jsonParser } from './json.ts'
import { lazySerializers } from './lazy-schemas.ts'
import { PROBLEM_HEADERS, refuseUnreadable, SAFE_HEADERS, toProblem } from './problems.ts'
import { createRequestBodies } from './request-bodies.ts'
import { invalid, validatorCompiler } from './violations.ts'

/** Larger bodies are refused with 413 unless a route sets its own limit. */
const BODY_LIMIT_BYTES = 1024 * 1024

/** A system takes at least this much of an answer at once, whether the client reads it or not. */
const BUFFERED_BYTES = 16 * 1024

const TIMEOUTS_CHECKED_EVERY_MS = 5_000
/** A whole request has no time limit, because its body has a limit of its own. */
const NO_TIMEOUT = 0

/** Another process, or the next one, is there by then. */
const CLOSING_RETRY_AFTER_S = 2
/** While an engine is unavailable every request may be refused: the reason is logged at most this often. */
const REFUSED_EVERY_MS = 1_000

/** The HTTP server that the services' routes are registered on: JSON, TypeBox validation, problem+json errors. */
export function createHttpServer(options: {
  logger: FastifyBaseLogger | false
  /** Proxies whose X-Forwarded-For is trusted: addresses, networks, or names such as `uniquelocal`. */
  trustedProxies?: readonly string[]
  limits?: Limits
  /** Default: the clock. */
  now?: () => number
  /** Makes the id of a request in its answer, in the log and in its ads. Default: random UUIDs. */
  requestId?: () => string
  /** Answers requests to paths that no route has. Default: they are refused with 404. */
  elsewhere?: RequestListener
}) {
  const limits = options.limits ?? defaultLimits
  const isTrustedProxy = trustedProxies(options.trustedProxies ?? [])
  const requestId = options.requestId ?? randomUUID
  const { elsewhere } = options
  const keepAliveTimeout = 1000 * limits.idleSeconds
  let methods: (path: string) => string[] = () => []
  const server = Fastify({
    ...(elsewhere ? { serverFactory: dividing((path) => methods(path).length > 0, elsewhere) } : {}),
    ...(options.logger ? { loggerInstance: options.logger } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    // Malformed paths never reach the error handler below.
    frameworkErrors: (_error, _request, reply) =>
      answer(reply.header('connection', 'close'), new Problem('INVALID', 'The path is not valid')),
    clientErrorHandler: refuseUnreadable,
    bodyLimit: BODY_LIMIT_BYTES,
    // While it opens, a part may have much to read, and waits for engines: on a busy machine this must not abort the start.
    pluginTimeout: 0,
    // An id that the caller sends is ignored: it would end up in ads and in the log.
    genReqId: () => requestId(),
    trustProxy: isTrustedProxy,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1000 },
    // `refuseWhileClosing` does, with a problem document.
    return503OnClosing: false,
    schemaController: {
      compilersFactory: { buildValidator: () => validatorCompiler as never, buildSerializer: lazySerializers },
    },
    keepAliveTimeout,
    http: {
      // Fastify does not set the first two on a server that `dividing` makes.
      keepAliveTimeout,
      requestTimeout: NO_TIMEOUT,
      // Node would refuse requests without a Host header by itself, without a problem document.
      requireHostHeader: false,
      headersTimeout: 1000 * limits.headersSeconds,
      connectionsCheckingInterval: TIMEOUTS_CHECKED_EVERY_MS,
    },
  })
    .withTypeProvider<TypeBoxTypeProvider>()
    .decorate('isTrustedProxy', isTrustedProxy)
    .decorate(
      'bodies',
      createRequestBodies({
        timeoutMs: 1000 * limits.bodySeconds,
        bytesPerSecondMin: 1024 * limits.bodyKibPerSecondMin,
        heldBytesMax: 1024 * 1024 * limits.bodiesMib,
      }),
    )
  // Node refuses any other expectation than 100-continue itself, without a problem document; a server may ignore it (RFC 9110, 10.1.1).
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response))
  // Hooks that every request passes are synchronous: each promise would delay the request by a turn of the event loop.
  server.addHook('onRequest', (request, reply, done) => {
    server.bodies.expect(request, reply)
    reply.header('request-id', request.id).headers(SAFE_HEADERS)
    const message = hostFault(request.raw)
    done(message === null ? undefined : invalid([{ path: 'header/host', message }]))
  })
  refuseWhileClosing(server)
  hangUpOnStalled(server, keepAliveTimeout)
  decodeBodies(server)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', jsonParser(server.bodies))

  const tellRefusal = rateLimitedLog<Failure>(
    { everyMs: REFUSED_EVERY_MS, now: options.now ?? Date.now },
    (failure, suppressed) => server.log.warn({ ...failure, suppressed }, 'requests are refused'),
  )
  server.setErrorHandler((error: FastifyError | Problem, request, reply) => {
    const problem = error instanceof Problem ? error : toProblem(error, request.routeOptions.schema)
    const failure: Failure = { err: error, route: request.routeOptions.url }
    if (problem.status === 503) tellRefusal(failure)
    else if (problem.status >= 500) request.log.error(failure, problem.message)
    if (!mustClose(reply, problem)) reply.removeHeader('connection')
    return answer(reply, problem)
  })
  methods = methodsOf(server)
  server.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
    const allowed = methods(path)
    if (allowed.length === 0) throw new Problem('NOT_FOUND', `No resource exists at ${path}`)
    reply.header('allow', allowed.join(', '))
    if (request.method === 'OPTIONS') return reply.code(204).send()
    throw new Problem('METHOD_NOT_ALLOWED', `${path} supports ${allowed.join(', ')}, not ${request.method}`)
  })
  return server
}

/** Refuses the requests that come on open connections while the server closes, after the hooks that every answer passes. */
function refuseWhileClosing(server: Pick<FastifyInstance, 'addHook'>): void {
  let closing = false
  server.addHook('preClose', (done) => {
    closing = true
    done()
  })
  server.addHook('preParsing', (_request, _reply, payload, done) => {
    if (!closing) return done(null, payload)
    done(new Problem('UNAVAILABLE', 'This process is about to end', { retryAfterSeconds: CLOSING_RETRY_AFTER_S }))
  })
}

/**
 * Ends the connection of a client that reads nothing of its answer for so long, since the rest of the answer waits in memory. Node
 * counts from the last byte that left. An answer whose rest is still being made is waited for.
 */
function hangUpOnStalled(server: Pick<FastifyInstance, 'addHook'>, timeoutMs: number): void {
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (isLarge(payload)) {
      const { raw } = reply
      raw.setTimeout(timeoutMs, () => raw.writableLength > 0 && raw.destroy())
    }
    done()
  })
}

/** Whether an answer may not fit into the buffers of the system, and be held until it is read. */
const isLarge = (payload: unknown): boolean =>
  typeof payload === 'string' || Buffer.isBuffer(payload)
    ? payload.length > BUFFERED_BYTES
    : payload !== null && payload !== undefined

interface Failure {
  err: Error
  route: string | undefined
}

/** What is wrong with the Host header: HTTP/1.1 requires it, and nobody may send two (RFC 9112, section 3.2). Node keeps the first. */
function hostFault({ headers, httpVersion, rawHeaders }: IncomingMessage): string | null {
  if (headers.host === undefined) return httpVersion === '1.1' ? 'is required' : null
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host')
  return hosts.length > 1 ? 'must be sent once' : null
}

const pathOf = ({ url }: { url?: string | undefined }) => (url ?? '').split('?')[0]!

/** Makes a server that answers requests to the paths that it knows, and passes on the others. */
const dividing =
  (knows: (path: string) => boolean, elsewhere: RequestListener): FastifyServerFactory =>
  (answer, { http = {} }) =>
    createServer(http as ServerOptions, (request, response) =>
      (knows(pathOf(request)) ? answer : elsewhere)(request, response),
    )

export type HttpServer = ReturnType<typeof createHttpServer>

/**
 * Whether the connection ends with this answer. Fastify would end it after every body that is refused, but a client that is still
 * sending may then lose the answer: the rest of the body is read and dropped instead. While the server closes, Fastify sets the header
 * on the raw answer.
 */
const mustClose = (reply: FastifyReply, problem: Problem): boolean =>
  problem.code === 'TOO_SLOW' || reply.raw.hasHeader('connection')

function answer(reply: FastifyReply, problem: Problem) {
  if (problem.retryAfterSeconds !== null) reply.header('retry-after', String(problem.retryAfterSeconds))
  return reply.code(problem.status).headers(PROBLEM_HEADERS).send(JSON.stringify(problem))
}

/** Methods by route pattern, in the router's notation (`:name`, `*`). */
type RouteMethods = Map<string, { matches: RegExp; methods: Set<string> }>

/**
 * Makes a lookup, for 405 and OPTIONS, of the methods that a path supports. It knows the routes that are registered on `server`
 * after the call.
 * @returns the methods of a path (without its query) in alphabetical order, including OPTIONS; empty for an unknown path.
 */
function methodsOf(server: Pick<FastifyInstance, 'addHook'>): (path: string) => string[] {
  const routes: RouteMethods = new Map()
  server.addHook('onRoute', ({ url, method }) => {
    // The catch-all route of CORS matches every path.
    if (url === '*') return
    const route = routes.get(url) ?? { matches: patternOf(url), methods: new Set(['OPTIONS']) }
    routes.set(url, route)
    for (const each of [method].flat()) route.methods.add(each)
  })
  return (path) => {
    const found = [...routes.values()].filter(({ matches }) => matches.test(path))
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort()
  }
}

/** Matches as the router does: a parameter is one segment, and a trailing slash is ignored. */
function patternOf(url: string): RegExp {
  const segments = url.replace(/\/$/, '').split('/')
  const parts = segments.map((segment) => {
    if (segment === '*') return '.*'
    return segment.startsWith(':') ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('/')}/?$`)
}

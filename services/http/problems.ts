import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifySchema } from 'fastify'
import { type ErrorCode, Problem } from '../domain/errors.ts'

/** Browsers must not guess a content type other than the declared one. */
export const SAFE_HEADERS = { 'x-content-type-options': 'nosniff' }
export const PROBLEM_HEADERS = { ...SAFE_HEADERS, 'content-type': 'application/problem+json' }

const unavailable = {
  code: 'UNAVAILABLE',
  detail: 'The service is temporarily unavailable',
  retryAfterSeconds: 2,
} as const
/** Answers to the ports' errors, by error name. The same request may succeed later. */
const engineProblems: Readonly<Record<string, { code: ErrorCode; detail: string; retryAfterSeconds: number }>> = {
  LogUnavailable: unavailable,
  // Another process writes now, and this one ends.
  Fenced: unavailable,
  CountersUnavailable: unavailable,
  IndexUnavailable: unavailable,
  // The record was written by a newer version of the program: a process of that version can answer.
  UnknownSchema: unavailable,
  AnalyticsUnavailable: {
    code: 'REPORTS_UNAVAILABLE',
    detail: 'The analytics store does not respond',
    retryAfterSeconds: 5,
  },
  AnalyticsDamaged: {
    code: 'REPORTS_UNAVAILABLE',
    detail:
      'A table of the analytics store is damaged: an operator has to restore it (docs/operating.md#damaged-tables)',
    retryAfterSeconds: 60,
  },
  // The cause may be other load on the store, so trying again may help.
  AnalyticsGaveUp: {
    code: 'REPORT_TOO_SLOW',
    detail: 'The report took too long: choose a shorter period or fewer dimensions',
    retryAfterSeconds: 30,
  },
}

/**
 * The problem with which a handler's error is answered.
 * @param schema of the route.
 */
export function toProblem(error: FastifyError, schema: FastifySchema = {}): Problem {
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Problem('UNSUPPORTED_MEDIA_TYPE', `Send the content type ${contentTypesOf(schema).join(' or ')}`)
  }
  const engine = engineProblems[error.name]
  if (engine) {
    return new Problem(engine.code, engine.detail, { retryAfterSeconds: engine.retryAfterSeconds, cause: error })
  }
  if (error instanceof SyntaxError) return new Problem('MALFORMED_JSON', error.message)
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new Problem(error.statusCode === 413 ? 'TOO_LARGE' : 'INVALID', error.message)
  }
  return new Problem('INTERNAL', 'The request failed because of an internal error', { cause: error })
}

/** What the schema of a route says about its body, if it is not JSON: what it consumes, or the content of its stream. */
function contentTypesOf({ consumes, stream }: FastifySchema): readonly string[] {
  return consumes ?? Object.keys(stream?.content ?? { 'application/json': {} })
}

/**
 * How long a connection stays open after its last answer. What the client still sends until then is read and dropped, because a system
 * that closes a connection with unread bytes resets it, and the client may then lose the answer.
 */
const LINGER_MS = 2_000

/**
 * Answers a request that Node cannot read, and that therefore reaches no route, with a problem document like every other error. Then it
 * closes the connection, as soon as the client has closed it too, at the latest after two seconds. Node calls this again for whatever the
 * client sends meanwhile.
 */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || socket.writableEnded) return
  if (!socket.writable) return void socket.destroy(error)
  socket.end(answerOf(unreadable(error.code)))
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(lingering))
}

function unreadable(code: string | undefined): Problem {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('TOO_SLOW', 'The headers did not arrive in time')
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('TOO_LARGE', 'The address and the headers together are too long')
    default:
      return new Problem('INVALID', 'The request is not valid HTTP')
  }
}

function answerOf(problem: Problem): string {
  const body = JSON.stringify(problem)
  const headers = { ...PROBLEM_HEADERS, 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`
}

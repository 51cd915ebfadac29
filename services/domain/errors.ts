/** Every error the HTTP API can answer. `docs/errors.md` lists the same table; a test compares the two. */
export const errorCodes = {
  INVALID: { status: 400, title: 'The request is not valid' },
  MALFORMED_JSON: { status: 400, title: 'The body is not JSON' },
  UNKNOWN_SLOT: { status: 400, title: 'The ad unit does not exist' },
  WRONG_KIND: { status: 400, title: 'The ad unit or ad is of the other kind' },
  INVALID_SHOW_ID: { status: 400, title: 'The showId was not made by this service' },
  UNAUTHENTICATED: { status: 401, title: 'A valid access token is required' },
  SECOND_FACTOR_REQUIRED: { status: 401, title: 'A second-factor code is required' },
  FORBIDDEN: { status: 403, title: 'The token does not allow this' },
  ACCOUNT_REQUIRED: { status: 403, title: 'The request must name an account of the user' },
  REAUTHENTICATION_REQUIRED: { status: 403, title: 'Recent authentication is required' },
  SECOND_FACTOR_MISSING: { status: 403, title: 'A second factor must be set up first' },
  NOT_FOUND: { status: 404, title: 'The resource does not exist' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The resource does not support this method' },
  TOO_SLOW: { status: 408, title: 'The request did not arrive in time' },
  CONFLICT: { status: 409, title: 'The state of the resource does not allow this' },
  PRECONDITION_FAILED: { status: 412, title: 'The resource has changed since it was read' },
  TOO_LARGE: { status: 413, title: 'The request or a list in it is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The content type is not supported' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  INTERNAL: { status: 500, title: 'An internal error occurred' },
  REPORTS_UNAVAILABLE: { status: 503, title: 'Reports are temporarily unavailable' },
  REPORT_TOO_SLOW: { status: 503, title: 'The report took too long to compute' },
  UNAVAILABLE: { status: 503, title: 'The service is temporarily unavailable' },
} as const satisfies Record<string, { status: number; title: string }>

export type ErrorCode = keyof typeof errorCodes

/** Why one event is rejected while others of the same request are accepted. */
export const rejectionCodes = [
  'INVALID',
  'TOO_LARGE',
  'FORBIDDEN',
  'INVALID_SHOW_ID',
  'WRONG_KIND',
] as const satisfies readonly ErrorCode[]
export type RejectionCode = (typeof rejectionCodes)[number]

export interface FieldError {
  /**
   * JSON pointer into the body (`/targeting/0/adCount`; `/` is all of it), or the part of the request and the name in it:
   * `header/cid`, `querystring/limit`, `params/id`.
   */
  path: string
  message: string
}

/** The most errors that one answer lists. */
export const ERRORS_LISTED_MAX = 100
/** The most errors that a sentence about a request, such as its `detail`, repeats. */
export const ERRORS_IN_DETAIL_MAX = 5

/** The Retry-After of a 503 that does not know better. */
const RETRY_AFTER_SECONDS = 5

/** An answer that is an error. Thrown by handlers, rendered as RFC 9457 problem+json by `services/http/problems.ts`. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ErrorCode
  readonly errors: FieldError[]
  /** Every 503 has one. */
  readonly retryAfterSeconds: number | null
  /** Further members of the document (RFC 9457, section 3.2). */
  readonly extension: Readonly<Record<string, unknown>>

  constructor(
    code: ErrorCode,
    detail: string,
    options: {
      errors?: FieldError[]
      retryAfterSeconds?: number
      extension?: Readonly<Record<string, unknown>>
      cause?: unknown
    } = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.errors = options.errors ?? []
    this.retryAfterSeconds = options.retryAfterSeconds ?? (this.status === 503 ? RETRY_AFTER_SECONDS : null)
    this.extension = options.extension ?? {}
  }

  get status(): number {
    return errorCodes[this.code].status
  }

  toJSON() {
    return {
      type: `urn:endcap:error:${this.code.toLowerCase().replaceAll('_', '-')}`,
      title: errorCodes[this.code].title,
      status: this.status,
      code: this.code,
      detail: this.message,
      ...(this.errors.length > 0 ? { errors: this.errors } : {}),
      ...this.extension,
    }
  }
}

/** The answer to a request with these errors. */
export function fieldProblem(
  code: ErrorCode,
  errors: readonly FieldError[],
  options: { retryAfterSeconds?: number; cause?: unknown } = {},
): Problem {
  return new Problem(code, detailOf(errors), { ...options, errors: errors.slice(0, ERRORS_LISTED_MAX) })
}

/** The first of these errors, in one sentence. */
export function detailOf(errors: readonly FieldError[]): string {
  const first = errors.slice(0, ERRORS_IN_DETAIL_MAX)
  return first.map(({ path, message }) => (path === '/' ? `The body ${message}` : `${path}: ${message}`)).join('; ')
}

/**
 * The program, or a command, cannot go on until its operator has changed a setting or what it leads to. The message is written for the
 * operator: it says what to change, and is shown without a stack.
 */
export class OperatorError extends Error {
  /** Tells these errors from others, because errors of other threads arrive without their class. */
  readonly isForOperator = true
}

/** What is shown of an error that ends the process. */
export function lastWords(error: Error): string {
  return `${'isForOperator' in error ? error.message : error.stack}\n`
}

import { Client, errors } from '@elastic/elasticsearch'
import { type CallGuard, createCallGuard } from '../../call-guard.ts'
import { IndexUnavailable } from '../port.ts'

/** Pages wait a tenth of this. */
export const SEARCH_TIMEOUT_MS = 2_000
/** For writes and administration. */
export const WRITE_TIMEOUT_MS = 60_000
/** Calls under way at once; further ones are refused. */
const CALLS_MAX = 500

export interface ElasticsearchOptions {
  /** `http://user:password@host:9200`; https too. */
  url: string
  /** Indices and aliases are named `<namespace>-…`. */
  namespace: string
  searchTimeoutMs?: number
  writeTimeoutMs?: number
}

/** The client of one server or load balancer. It connects on the first call and leaves retries to the caller. */
export function openClient(url: string, requestTimeout = WRITE_TIMEOUT_MS): Client {
  return new Client({ node: url, maxRetries: 0, requestTimeout })
}

/** The aliases that all reads and writes use. */
export interface IndexNames {
  products: string
  signals: string
}

export const indexNames = (namespace: string): IndexNames => ({
  products: `${namespace}-products`,
  signals: `${namespace}-signals`,
})

/**
 * Statuses after which the same call may work later: overload, an index that is being created or replaced (404, and 403
 * while it takes no writes), an account that is not set up yet.
 */
const passingStatus = (status: number) => status >= 500 || [401, 403, 404, 408, 429].includes(status)

/** Maps an error of the client to one of the port. */
export function indexError(error: unknown): Error {
  if (error instanceof IndexUnavailable || !(error instanceof errors.ElasticsearchClientError)) return error as Error
  const passing = !(error instanceof errors.ResponseError) || passingStatus(error.statusCode ?? 503)
  // The client's message may contain the body of the request.
  const message = error.message.slice(0, 500)
  return passing ? new IndexUnavailable(message) : new Error(`Elasticsearch refused a request: ${message}`)
}

export const createIndexGuard = (): CallGuard =>
  createCallGuard({
    engine: 'The product index',
    callsMax: CALLS_MAX,
    Unavailable: IndexUnavailable,
    errorOf: indexError,
  })

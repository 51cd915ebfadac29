import { Client, errors } from '@elastic/elasticsearch'
import { type CallGuard, createCallGuard } from '../../call-guard.ts'
import { IndexUnavailable } from '../port.ts'

/** Reads are for pages that wait a tenth of that. */
export const SEARCH_TIMEOUT_MS = 2_000
/** Writes, and what else may take its time. */
export const WRITE_TIMEOUT_MS = 60_000
/** Calls that are running or waiting; what is more is refused. */
const CALLS_MAX = 500

export interface ElasticsearchOptions {
  /** `http://user:password@host:9200`; https too. */
  url: string
  /** Indices and aliases are named `<namespace>-…`. */
  namespace: string
  searchTimeoutMs?: number
  writeTimeoutMs?: number
}

/** The client of one server or load balancer: connects when called, never repeats by itself what its caller repeats. */
export function openClient(url: string, requestTimeout = WRITE_TIMEOUT_MS): Client {
  return new Client({ node: url, maxRetries: 0, requestTimeout })
}

/** Aliases that all reads and writes go to. */
export interface IndexNames {
  products: string
  signals: string
}

export const indexNames = (namespace: string): IndexNames => ({
  products: `${namespace}-products`,
  signals: `${namespace}-signals`,
})

/**
 * Statuses after which the same call may work later: overload, an index that is being made or replaced (404, and 403 of
 * one that takes no writes meanwhile), an account that is not set up yet.
 */
const passingStatus = (status: number) => status >= 500 || [401, 403, 404, 408, 429].includes(status)

/** What callers of the port get for an error of the client. */
export function indexError(error: unknown): Error {
  if (error instanceof IndexUnavailable || !(error instanceof errors.ElasticsearchClientError)) return error as Error
  const passing = !(error instanceof errors.ResponseError) || passingStatus(error.statusCode ?? 503)
  // The message of the client may hold the request's body.
  const message = error.message.slice(0, 500)
  return passing ? new IndexUnavailable(message) : new Error(`Elasticsearch refused a request: ${message}`)
}

/** Runs the calls of the port. */
export const createIndexGuard = (): CallGuard =>
  createCallGuard({
    engine: 'The product index',
    callsMax: CALLS_MAX,
    Unavailable: IndexUnavailable,
    errorOf: indexError,
  })

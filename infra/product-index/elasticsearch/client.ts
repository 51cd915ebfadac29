import { Client, ClusterConnectionPool, errors, type estypes } from '@elastic/elasticsearch'
import { type CallGuard, createCallGuard } from '../../call-guard.ts'
import { connectionMeaning } from '../../engine-unavailable.ts'
import { listOf } from '../../settings.ts'
import { IndexUnavailable } from '../port.ts'

/** A shop's page waits a tenth of this. */
export const SEARCH_TIMEOUT_MS = 2_000
/** For writes and administration. */
export const WRITE_TIMEOUT_MS = 60_000
/** How many calls may be in progress at once; further ones are refused. */
const CALLS_MAX = 500

export interface ElasticsearchOptions {
  /** Nodes of one cluster, separated by commas: `http://user:password@host:9200`; https too. */
  url: string
  /** Authenticates, in place of a user and password in the addresses. */
  apiKey?: string | null
  /** Indices and aliases are named `<namespace>-…`. */
  namespace: string
  searchTimeoutMs?: number
  writeTimeoutMs?: number
}

/**
 * Creates the client, which uses the nodes in turn and connects on the first call. When a node refuses a call or its connection
 * breaks, the client tries each other node once. A call that timed out is not tried again, because its caller has waited long enough.
 * A node that failed is not used for a minute, later for longer, and must answer a ping first. Further retries are up to the caller.
 */
export function openClient(
  { url, apiKey = null }: Pick<ElasticsearchOptions, 'url' | 'apiKey'>,
  requestTimeout = WRITE_TIMEOUT_MS,
): Client {
  const nodes = listOf(url)
  return new Client({
    nodes,
    ...(apiKey === null ? {} : { auth: { apiKey } }),
    ConnectionPool: ClusterConnectionPool,
    maxRetries: nodes.length - 1,
    requestTimeout,
  })
}

/** The options of a call that must not be sent twice. */
export const ONCE = { maxRetries: 0 } as const

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

/** Elasticsearch refuses a request; trying again will not help. */
export class IndexRejected extends Error {
  override readonly name = 'IndexRejected'
}

export const NOT_ELASTICSEARCH =
  'The server is not Elasticsearch, nor a proxy that passes its header X-Elastic-Product.'

/** Maps an error of the client to one of the port. */
export function indexError(error: unknown): Error {
  if (error instanceof IndexUnavailable || !(error instanceof errors.ElasticsearchClientError)) return error as Error
  if (error instanceof errors.ProductNotSupportedError) return new IndexUnavailable(NOT_ELASTICSEARCH)
  if (error instanceof errors.ConnectionError) {
    return new IndexUnavailable(connectionMeaning(error.message, 'Elasticsearch', 'ELASTICSEARCH_URL'))
  }
  const passing = !(error instanceof errors.ResponseError) || passingStatus(error.statusCode ?? 503)
  // The client's message may contain the body of the request.
  const message = error.message.slice(0, 500)
  return passing ? new IndexUnavailable(message) : new IndexRejected(`Elasticsearch refused a request: ${message}`)
}

/** Returns the response of one search of a multi-search, or throws its error. */
export function answeredSearch<T>(response: estypes.MsearchResponseItem<T>): estypes.SearchResponse<T> {
  if ('error' in response) {
    const message = `${response.error.type}: ${response.error.reason}`
    if (response.status < 500 && response.status !== 429 && response.status !== 404) {
      throw new Error(`Elasticsearch refused a search: ${message}`)
    }
    throw new IndexUnavailable(message)
  }
  if (response.timed_out || response._shards.failed > 0) throw new IndexUnavailable('The search did not finish')
  return response
}

export const createIndexGuard = (): CallGuard =>
  createCallGuard({
    engine: 'The product index',
    callsMax: CALLS_MAX,
    Unavailable: IndexUnavailable,
    errorOf: indexError,
  })

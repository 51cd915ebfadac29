import { Client, ClusterConnectionPool, errors, type estypes } from '@elastic/elasticsearch'
import { type CallGuard, createCallGuard } from '../../call-guard.ts'
import { listOf } from '../../settings.ts'
import { IndexUnavailable } from '../port.ts'

/** Pages wait a tenth of this. */
export const SEARCH_TIMEOUT_MS = 2_000
/** For writes and administration. */
export const WRITE_TIMEOUT_MS = 60_000
/** Calls under way at once; further ones are refused. */
const CALLS_MAX = 500

export interface ElasticsearchOptions {
  /** Nodes of one cluster, separated by commas: `http://user:password@host:9200`; https too. */
  url: string
  /** Signs in, in place of a user and password in the addresses. */
  apiKey?: string | null
  /** Indices and aliases are named `<namespace>-…`. */
  namespace: string
  searchTimeoutMs?: number
  writeTimeoutMs?: number
}

/**
 * The client of the nodes, which take turns. It connects on the first call. A call that a node refuses, or loses, goes to each of
 * the others once; one that a node does not answer in time goes to none, since its caller has waited long enough. A node that
 * failed is left alone for a minute, then for longer, and must answer a ping before it is used again. Further retries are the caller's.
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

/** Of a call that must not be made twice. */
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

/** Maps an error of the client to one of the port. */
export function indexError(error: unknown): Error {
  if (error instanceof IndexUnavailable || !(error instanceof errors.ElasticsearchClientError)) return error as Error
  const passing = !(error instanceof errors.ResponseError) || passingStatus(error.statusCode ?? 503)
  // The client's message may contain the body of the request.
  const message = error.message.slice(0, 500)
  return passing ? new IndexUnavailable(message) : new Error(`Elasticsearch refused a request: ${message}`)
}

/** One answer of several searches that were asked at once. */
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

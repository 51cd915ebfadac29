import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import { createWriteStream } from 'node:fs'
import { type ClientRequest, get as httpGet, type IncomingMessage, type RequestOptions } from 'node:http'
import { get as httpsGet } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { isPublicAddress } from '../../../domain/identity/ip-address.ts'
import type { Limits } from '../../../domain/limits.ts'
import { type FailureCode, FeedFailure } from '../failure.ts'

const REDIRECTS_MAX = 5
/** Limit of the bytes of the body on the wire, so before decompression. */
export const DOWNLOAD_BYTES_MAX = 2 * 1024 ** 3
/** Long enough for a server that sends its feed in bursts. */
const PACE_SPAN_SECONDS = 30
const USER_AGENT = 'Endcap-Feed/1.0'

export interface FetchOptions {
  /** Limit for connecting and receiving the response headers. */
  connectTimeoutMs: number
  /** The connection is closed when the server sends fewer than `bytesMin` bytes of the body within `spanMs`. */
  pace: { spanMs: number; bytesMin: number }
  totalTimeoutMs: number
  bytesMax: number
  /** Allows feeds from the operator's own network: for tests, and for internal feeds. */
  allowPrivateAddresses: boolean
  /** Resolves a host to all of its addresses. Tests pass their own function. */
  resolve: (host: string) => Promise<LookupAddress[]>
}

export function fetchOptions(
  limits: Pick<Limits, 'feedFetchSeconds' | 'feedFetchKibPerSecondMin'>,
  allowPrivateAddresses: boolean,
): FetchOptions {
  return {
    connectTimeoutMs: 15_000,
    pace: { spanMs: 1000 * PACE_SPAN_SECONDS, bytesMin: 1024 * limits.feedFetchKibPerSecondMin * PACE_SPAN_SECONDS },
    totalTimeoutMs: 1000 * limits.feedFetchSeconds,
    bytesMax: DOWNLOAD_BYTES_MAX,
    allowPrivateAddresses,
    resolve: (host) =>
      new Promise((resolve, reject) =>
        dnsLookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))),
      ),
  }
}

export interface FetchRequest {
  url: string
  /** Sent only to the origin of `url`, never to a redirect's target on another origin. */
  credentials: Credentials | null
  /** Validators of the last complete fetch. The fetch is unconditional when both are null. */
  etag: string | null
  lastModified: string | null
  /** The file to which the body is written as it arrives (gzip or not). */
  path: string
  signal: AbortSignal
}

/** HTTP Basic authentication. */
export interface Credentials {
  username: string
  password: string
}

/** The validators for the next conditional fetch, as the server sent them. */
export interface Validators {
  etag: string | null
  lastModified: string | null
}

export type FetchOutcome = { tag: 'NOT_MODIFIED' } | { tag: 'FETCHED'; validators: Validators }

/**
 * Fetches a feed into a file. Follows redirects; every hop, and every address that a name resolves to, must be public.
 * @throws FeedFailure, with a message for the feed's owner, when there is no complete response of status 200 or 304.
 */
export async function fetchFeed(request: FetchRequest, options: FetchOptions): Promise<FetchOutcome> {
  const deadline = AbortSignal.timeout(options.totalTimeoutMs)
  const signal = AbortSignal.any([request.signal, deadline])
  try {
    return await follow(request, signal, options)
  } catch (error) {
    if (error instanceof FeedFailure || request.signal.aborted) throw error
    if (deadline.aborted)
      throw new FeedFailure('TOO_SLOW', `The feed did not arrive within ${options.totalTimeoutMs / 1000} s`)
    const code = codeOf(error)
    const failure = code === 'ECONNRESET' ? 'INTERRUPTED' : 'UNREACHABLE'
    const reason = (code && reasons[code]) ?? `the connection failed${code ? ` (${code})` : ''}`
    throw new FeedFailure(failure, `The feed could not be fetched: ${reason}`)
  }
}

async function follow(request: FetchRequest, signal: AbortSignal, options: FetchOptions): Promise<FetchOutcome> {
  let url = request.url
  const origin = URL.parse(url)?.origin
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    const target = checkedUrl(url, options)
    const credentials = target.origin === origin ? request.credentials : null
    const { etag, lastModified } = request
    const response = await head(target, { credentials, etag, lastModified, signal }, options)
    const status = response.statusCode ?? 0
    const location = response.headers.location
    if ([301, 302, 303, 307, 308].includes(status) && location !== undefined) {
      response.destroy()
      url = URL.parse(location, target.href)?.href ?? location
      continue
    }
    return await store(response, status, { request, signal, options })
  }
  throw new FeedFailure('BAD_ADDRESS', `The address redirects more than ${REDIRECTS_MAX} times`)
}

function checkedUrl(text: string, { allowPrivateAddresses }: FetchOptions): URL {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new FeedFailure('BAD_ADDRESS', 'The address, or one that it redirects to, is not an http or https address')
  }
  // A host that is an IP address is not looked up, so `checkedLookup` never sees it.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !allowPrivateAddresses && !isPublicAddress(host)) throw privateAddress(host)
  return url
}

/** The message names the host as given, because the resolved address would reveal the operator's network. */
function privateAddress(host: string): FeedFailure {
  return new FeedFailure(
    'PRIVATE_ADDRESS',
    `${host} is not at a public address, and feeds may not come from private ones`,
  )
}

/** Sends the request. Resolves once the response headers have arrived. */
function head(url: URL, request: Omit<FetchRequest, 'url' | 'path'>, options: FetchOptions): Promise<IncomingMessage> {
  const get = url.protocol === 'https:' ? httpsGet : httpGet
  const requestOptions: RequestOptions = {
    // No connection pool, because the address of a pooled connection may have been checked by other rules.
    agent: false,
    ...(request.credentials ? { auth: `${request.credentials.username}:${request.credentials.password}` } : {}),
    lookup: checkedLookup(options),
    signal: request.signal,
    headers: {
      'user-agent': USER_AGENT,
      accept: 'application/xml, text/xml, application/rss+xml, application/atom+xml, */*;q=0.1',
      'accept-encoding': 'gzip',
      ...(request.etag === null ? {} : { 'if-none-match': request.etag }),
      ...(request.lastModified === null ? {} : { 'if-modified-since': request.lastModified }),
    },
  }
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => sent.destroy(new FeedFailure('UNREACHABLE', `No answer within ${options.connectTimeoutMs / 1000} s`)),
      options.connectTimeoutMs,
    )
    const sent: ClientRequest = get(url, requestOptions, (response) => {
      clearTimeout(timer)
      resolve(response)
    })
    sent.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
  })
}

/** Checks the same addresses that are then connected to, so that a name cannot change between check and use (DNS rebinding). */
function checkedLookup({ resolve, allowPrivateAddresses }: FetchOptions): LookupFunction {
  return (host, lookupOptions, callback) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses
        const blocked = allowPrivateAddresses ? undefined : addresses.find((a) => !isPublicAddress(a.address))
        if (blocked) callback(privateAddress(host), '', 0)
        else if (!first) callback(new FeedFailure('UNREACHABLE', `${host} has no address`), '', 0)
        else if (lookupOptions.all) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, '', 0),
    )
  }
}

/** Writes the body of a complete response to the file of the request. */
async function store(
  response: IncomingMessage,
  status: number,
  { request, signal, options }: { request: FetchRequest; signal: AbortSignal; options: FetchOptions },
): Promise<FetchOutcome> {
  let paceTimer: NodeJS.Timeout | undefined
  try {
    const conditional = request.etag !== null || request.lastModified !== null
    if (status === 304 && conditional) return { tag: 'NOT_MODIFIED' }
    if (status !== 200) throw new FeedFailure(codeOfStatus(status), `The address answered with status ${status}`)
    const encoding = response.headers['content-encoding'] ?? 'identity'
    if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) {
      throw new FeedFailure(
        'COMPRESSION',
        `The feed has the Content-Encoding ${encoding}: only gzip or none is supported`,
      )
    }
    paceTimer = enforcePace(response, options.pace)
    await pipeline(response, limited(options.bytesMax), createWriteStream(request.path, { flush: true }), { signal })
    const { etag, 'last-modified': lastModified } = response.headers
    return { tag: 'FETCHED', validators: { etag: etag ?? null, lastModified: lastModified ?? null } }
  } finally {
    clearInterval(paceTimer)
    response.destroy()
  }
}

function codeOfStatus(status: number): FailureCode {
  if (status === 401 || status === 403 || status === 407) return 'ACCESS_DENIED'
  return status === 404 || status === 410 ? 'NOT_FOUND' : 'HTTP_ERROR'
}

/** Closes the connection to a server that sends more slowly than the pace. The socket counts bytes as they arrive, before they are read. */
function enforcePace(response: IncomingMessage, { spanMs, bytesMin }: FetchOptions['pace']): NodeJS.Timeout {
  let before = response.socket.bytesRead
  return setInterval(() => {
    const { bytesRead } = response.socket
    if (!response.complete && bytesRead - before < bytesMin) {
      response.destroy(
        new FeedFailure('TOO_SLOW', `The feed arrived too slowly: under ${bytesMin} bytes in ${spanMs / 1000} s`),
      )
    }
    before = bytesRead
  }, spanMs)
}

/** Passes bytes through. @throws FeedFailure beyond `bytesMax`. */
export function limited(bytesMax: number, take: (bytes: number) => void = () => {}) {
  return async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let total = 0
    for await (const chunk of chunks) {
      total += chunk.length
      if (total > bytesMax) throw new FeedFailure('TOO_LARGE', `The feed has over ${bytesMax} bytes`)
      take(chunk.length)
      yield chunk
    }
  }
}

/** Messages that help the feed's owner. The system's own messages would reveal addresses inside the operator's network. */
const reasons: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection broke before the feed was complete',
  ECONNREFUSED: 'the server refuses connections',
  ETIMEDOUT: 'the server does not answer',
  EHOSTUNREACH: 'the server cannot be reached',
  ENETUNREACH: 'the server cannot be reached',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of its host could not be looked up',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is of no known authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is of no known authority',
}

function codeOf(error: unknown): string | undefined {
  const { message, code, cause } = error as NodeJS.ErrnoException & { cause?: unknown }
  if (cause instanceof Error) return codeOf(cause)
  return message === 'aborted' ? 'ECONNRESET' : code
}

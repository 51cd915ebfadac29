import kafkajs, { type Mechanism, type SASLOptions } from 'kafkajs'
import { sharedCall } from '../../together.ts'
import { LogUnavailable } from '../port.ts'
import type { KafkaAddress } from './client/broker-client.ts'
import { type KafkaSecurity, tlsOptions } from './security.ts'

const SEPARATOR = '\u0001'
const LENGTH_BYTES = 4
const TIMEOUT_MS = 3_000
const ANSWER_MAX_CHARS = 100_000
/** A new token is fetched when a fifth of the life of the old one is left, or RENEWED_BEFORE_MS before its end if that is earlier. */
const RENEWED_AT = 0.8
/** kafkajs signs in again 10 s before a token ends; if it got the same token, it would sign in again for every request. */
const RENEWED_BEFORE_MS = 15_000
/** For an endpoint that does not say how long a token lives. */
const LIFE_DEFAULT_SECONDS = 300
/** An error code of RFC 6749. Messages repeat no other text of an endpoint's answer. */
const ERROR_CODE = /^[a-z_]{1,40}$/
/** RFC 6750, b64token. */
const TOKEN = /^[\w.~+/-]+=*$/

/**
 * The security options of a broker client. Clients that share the result share its access tokens.
 * @param now milliseconds of a clock that is never set back: otherwise a token would be used after it has expired, and refused.
 */
export function clientSecurity({ tls, sasl }: KafkaSecurity, now: () => number): Pick<KafkaAddress, 'ssl' | 'sasl'> {
  return {
    ...(tls ? { ssl: tlsOptions(tls) } : {}),
    ...(sasl ? { sasl: saslOptions(sasl, now) } : {}),
  }
}

function saslOptions(sasl: NonNullable<KafkaSecurity['sasl']>, now: () => number): KafkaAddress['sasl'] {
  const { mechanism, username, password, tokenUrl, scope } = sasl
  if (mechanism !== 'oauthbearer') return { mechanism, username, password } as SASLOptions
  return oauthBearer(createTokenSource({ url: tokenUrl!, clientId: username, clientSecret: password, scope }, now))
}

/**
 * SASL OAUTHBEARER (RFC 7628). kafkajs has it, too, but does not read the broker's answer: a refused token would show only at the
 * next request, as ILLEGAL_SASL_STATE.
 */
function oauthBearer(token: () => Promise<string>): Mechanism {
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }) => ({
      async authenticate() {
        const message = ['n,,', `auth=Bearer ${await token()}`, '', ''].join(SEPARATOR)
        const refusal = await saslAuthenticate({
          request: { encode: () => withLength(message) },
          response: { decode: (bytes: Buffer) => bytes.subarray(LENGTH_BYTES), parse: (bytes) => bytes.toString() },
        })
        if (refusal) throw new kafkajs.KafkaJSNonRetriableError(refusalOf(refusal))
      },
    }),
  }
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** The broker answers a refused token with JSON, of which only the status is repeated. */
function refusalOf(answer: string): string {
  const status = /"status":"([a-z_]{1,40})"/.exec(answer)?.[1] ?? 'no reason given'
  return `The brokers refuse the access token (${status}): check KAFKA_OAUTH_SCOPE, and what they expect of a token`
}

export interface TokenEndpoint {
  url: string
  clientId: string
  clientSecret: string
  scope: string | null
}

interface Token {
  value: string
  /** By the clock of the token source, in milliseconds. */
  renewAt: number
  expiresAt: number
}

/**
 * Access tokens for the client itself (RFC 6749, 4.4), each used until shortly before it expires. While the endpoint is away,
 * the current token is used until it expires.
 * @returns a function that throws LogUnavailable when there is no token; no message holds a secret.
 */
export function createTokenSource(endpoint: TokenEndpoint, now: () => number): () => Promise<string> {
  let current: Token | null = null
  const renewed = sharedCall(() => fetchToken(endpoint, now))

  return async () => {
    if (current && now() < current.renewAt) return current.value
    try {
      current = await renewed()
    } catch (error) {
      if (!current || now() >= current.expiresAt) throw error
    }
    return current.value
  }
}

async function fetchToken({ url, clientId, clientSecret, scope }: TokenEndpoint, now: () => number): Promise<Token> {
  const { host } = new URL(url)
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':')
  const asked = now()
  let status: number
  let text: string
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}`, accept: 'application/json' },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope === null ? {} : { scope }) }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    status = response.status
    text = await response.text()
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error }
    throw new LogUnavailable(`The token endpoint at ${host} cannot be reached: ${cause?.message || message}`)
  }
  const answer = text.length > ANSWER_MAX_CHARS ? {} : objectIn(text)
  if (status !== 200) {
    const reason = ERROR_CODE.test(String(answer.error)) ? ` (${answer.error})` : ''
    throw new LogUnavailable(
      `The token endpoint at ${host} has answered ${status}${reason}: check KAFKA_USERNAME, KAFKA_PASSWORD and KAFKA_OAUTH_SCOPE`,
    )
  }
  const { access_token: value, expires_in: seconds = LIFE_DEFAULT_SECONDS } = answer
  if (typeof value !== 'string' || !TOKEN.test(value) || !(Number(seconds) > 0)) {
    throw new LogUnavailable(`The token endpoint at ${host} has answered without a token that can be used`)
  }
  const lifeMs = Number(seconds) * 1_000
  return {
    value,
    renewAt: asked + Math.min(lifeMs * RENEWED_AT, lifeMs - RENEWED_BEFORE_MS),
    expiresAt: asked + lifeMs,
  }
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

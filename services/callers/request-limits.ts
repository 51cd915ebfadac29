import type { FastifyRequest } from 'fastify'
import type { RequestMetrics } from '../../infra/metrics/requests.ts'
import type { Draw } from '../../infra/rate-limits/port.ts'
import { Problem } from '../domain/errors.ts'
import { networkOf } from '../domain/identity/ip-address.ts'
import { type Limits, limitSettings, type RateLimit } from '../domain/limits.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { clientAddress } from '../http/client-address.ts'
import type { HttpServer } from '../http/server.ts'
import type { ReadBearer } from './bearer-tokens.ts'
import type { TokenBuckets } from './token-buckets.ts'

/** What is limited per minute, for each kind of sender. */
type Sender = 'address' | 'token' | 'shop'
type Measure = 'RequestsPerMinute' | 'EventsPerMinute' | 'KibPerMinute'

/** The sender whose buckets a request draws from. */
interface Caller {
  sender: Sender
  /** The network of an address, or the account of a token. */
  id: string
  /** An operator's token may act for every shop. */
  isOperator?: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for an unauthenticated caller of unknown address, which is limited by shop only. */
    limitedAs?: Caller | null
  }
}

/** What an ad request asks for of a shop. */
export interface AdLoad {
  shopId: string
  ads: number
}

/** An event that is about to be stored. */
interface EventLoad {
  shopId: string
  bytes: number
}

/** The events of one request. */
export interface EventLoads {
  /** The number of events sent, whether they are stored or not. */
  sent: number
  /** The events that will be stored. */
  stored: readonly EventLoad[]
  /** Whether a token or a signature proves their sender. Such events do not draw from the shop's buckets, which strangers could empty. */
  isProven: boolean
}

/** Limits of requests and events per minute. Each method throws Problem RATE_LIMITED with the time to wait. */
export interface RequestLimits {
  /** Counts every request to the routes of `server` by its token, otherwise by its address, before its body is read. */
  guard(server: HttpServer, takes: 'ADS' | 'EVENTS'): void
  /** Counts an ad request, with one load for each of its shops, once for every 20 ads that it asks for, or part of 20. */
  admitAds(request: FastifyRequest, loads: readonly AdLoad[]): void
  admitEvents(request: FastifyRequest, events: EventLoads): void
}

const KIB = 1024
/** Pages ask for fewer. The most that one request may ask for, 2,000, take the work and the room in the log of a hundred requests. */
const ADS_PER_REQUEST = 20
const MS_PER_SECOND = 1000

export function createRequestLimits(deps: {
  limits: Limits
  buckets: TokenBuckets
  snapshot: Snapshot
  readBearer: ReadBearer
  metrics: Pick<RequestMetrics, 'requestLimited'>
  /** Called when a limited address sends X-Forwarded-For: a flood, or a proxy missing from TRUSTED_PROXIES. */
  onForwarderLimited: () => void
}): RequestLimits {
  const { limits, buckets, snapshot, readBearer, metrics, onForwarderLimited } = deps

  function callerOf(request: FastifyRequest): Caller | null {
    const bearer = readBearer(request.headers.authorization)
    // Advertisers' tokens do not report events or request ads.
    if (bearer && bearer.role !== 'ADVERTISER') {
      return { sender: 'token', id: bearer.accountId, isOperator: bearer.role === 'OPERATOR' }
    }
    const address = clientAddress(request)
    return address === null ? null : { sender: 'address', id: networkOf(address) }
  }

  /** The draw from the caller's bucket; empty when the limit is off. */
  function drawOf({ sender, id }: Caller, measure: Measure, amount: number): Draw[] {
    const limit = `${sender}${measure}` as const
    const perMinute = limits[limit]
    return perMinute === 0 ? [] : [{ key: `${limit} ${id}`, amount, perMinute }]
  }

  function draw(draws: readonly Draw[]): void {
    const outcome = buckets.draw(draws)
    if (outcome.tag === 'DRAWN') return
    const limit = outcome.draw.key.split(' ', 1)[0] as RateLimit
    metrics.requestLimited(limit)
    throw new Problem('RATE_LIMITED', `More than ${limits[limit]} ${saidOf(limit)} (${limitSettings[limit].setting})`, {
      retryAfterSeconds: Math.max(1, Math.ceil(outcome.waitMs / MS_PER_SECOND)),
    })
  }

  /** Whether the caller is the shop itself, or the operator. */
  function owns(caller: Caller | null | undefined, shopId: string): boolean {
    if (caller?.sender !== 'token') return false
    return caller.isOperator || snapshot.body('Shop', shopId)?.accountId === caller.id
  }

  const shop = (id: string): Caller => ({ sender: 'shop', id })
  const kibOf = (events: readonly EventLoad[]) => events.reduce((sum, { bytes }) => sum + bytes, 0) / KIB

  return {
    guard(server, takes) {
      server.addHook('onRequest', (request, _reply, done) => {
        const caller = callerOf(request)
        request.limitedAs = caller
        if (!caller) return done()
        const draws = drawOf(caller, 'RequestsPerMinute', 1)
        // The amount is not known yet, but a caller that is already over its limit is refused before the body is read.
        if (takes === 'EVENTS')
          draws.push(...drawOf(caller, 'EventsPerMinute', 0), ...drawOf(caller, 'KibPerMinute', 0))
        try {
          draw(draws)
        } catch (error) {
          if (forwards(request)) onForwarderLimited()
          return done(error as Error)
        }
        done()
      })
    },
    admitAds({ limitedAs: caller }, loads) {
      const strange = loads.filter(({ shopId }) => !owns(caller, shopId))
      draw(strange.flatMap(({ shopId, ads }) => drawOf(shop(shopId), 'RequestsPerMinute', requestsFor(ads))))
      // `guard` has counted one.
      const more = requestsFor(loads.reduce((sum, { ads }) => sum + ads, 0)) - 1
      if (caller && more > 0) buckets.charge(drawOf(caller, 'RequestsPerMinute', more))
    },
    admitEvents({ limitedAs: caller }, { sent, stored, isProven }) {
      const draws: Draw[] = []
      if (caller) {
        draws.push(...drawOf(caller, 'EventsPerMinute', sent), ...drawOf(caller, 'KibPerMinute', kibOf(stored)))
      }
      if (!isProven) {
        for (const [shopId, loads] of Map.groupBy(stored, (load) => load.shopId)) {
          if (owns(caller, shopId)) continue
          draws.push(...drawOf(shop(shopId), 'EventsPerMinute', loads.length))
          draws.push(...drawOf(shop(shopId), 'KibPerMinute', kibOf(loads)))
        }
      }
      draw(draws)
    },
  }
}

const requestsFor = (ads: number): number => Math.ceil(ads / ADS_PER_REQUEST)

/** Whether an untrusted peer sends X-Forwarded-For. */
function forwards(request: FastifyRequest): boolean {
  const { headers, socket, server } = request
  return headers['x-forwarded-for'] !== undefined && !server.isTrustedProxy(socket.remoteAddress ?? '')
}

function saidOf(limit: RateLimit): string {
  const [, sender, measure] = /^(address|token|shop)(Requests|Events|Kib)/.exec(limit)!
  const what = { Requests: 'requests', Events: 'events', Kib: 'KiB of events' }[measure!]
  const whose = { address: 'from this address', token: 'with tokens of this account', shop: 'of this shop' }[sender!]
  return `${what} a minute ${whose}`
}

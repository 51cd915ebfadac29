import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { EVENT_LIMITS } from '../../schemas/http/events.ts'
import type { FieldError } from '../domain/errors.ts'
import type { ClientHashes } from '../domain/identity/client-hashes.ts'
import { headerText } from '../http/header-text.ts'
import { invalid } from '../http/violations.ts'
import { clientOf, createBotDetector } from './client/client.ts'
import type { ClientHasher } from './client/client-hasher.ts'
import { type Sender, senderOf } from './sender.ts'

/** What a request says about all its events. */
export interface RequestContext {
  /** UTC epoch milliseconds. */
  receivedAt: number
  /** Whether the User-Agent is that of a known bot. */
  bot: boolean
  client: ClientHashes
  /** From the headers; null when missing. */
  cid: string | null
  uid: string | null
  sender: Sender
  /** Headers that were ignored, and why. */
  warnings: FieldError[]
}

export interface ContextDeps {
  clientHasher: Pick<ClientHasher, 'hash'>
  /** UTC epoch milliseconds. */
  now: () => number
}

/**
 * Reads the context of a request whose body has arrived.
 * @throws Problem UNAUTHENTICATED when the signature does not fit, INVALID when the cid is malformed.
 */
export function createContextReader({ clientHasher, now }: ContextDeps): (request: FastifyRequest) => RequestContext {
  const isBot = createBotDetector()
  return (request) => {
    const receivedAt = now()
    const sender = senderOf(request)
    const client = clientOf(request, sender)
    return {
      ...personOf(request.headers),
      receivedAt,
      sender,
      bot: isBot(client.userAgent),
      client: clientHasher.hash(client, receivedAt),
    }
  }
}

const MALFORMED = `must be one value of at most ${EVENT_LIMITS.idChars} characters`

/** A malformed uid is ignored with a warning. A malformed cid gets the request rejected. */
function personOf(headers: IncomingHttpHeaders): Pick<RequestContext, 'cid' | 'uid' | 'warnings'> {
  const cid = idOf(headers.cid)
  if (cid === MALFORMED) throw invalid([{ path: 'header/cid', message: MALFORMED }])
  const uid = idOf(headers.uid)
  if (uid !== MALFORMED) return { cid, uid, warnings: [] }
  return { cid, uid: null, warnings: [{ path: 'header/uid', message: `${MALFORMED}: left out` }] }
}

function idOf(header: string | string[] | undefined): string | null | typeof MALFORMED {
  if (header === undefined || header === '') return null
  const id = typeof header === 'string' ? headerText(header) : null
  return id !== null && isShort(id) ? id : MALFORMED
}

/** Counts code points, as the schemas of bodies do. */
const isShort = (id: string): boolean => id.length <= EVENT_LIMITS.idChars || [...id].length <= EVENT_LIMITS.idChars

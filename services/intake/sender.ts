import type { IncomingHttpHeaders } from 'node:http'
import { pipeline, Transform } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Proof } from '../../schemas/records/events.ts'
import type { ReadBearer } from '../callers/bearer-tokens.ts'
import { fieldProblem, Problem } from '../domain/errors.ts'
import {
  type EventSignature,
  fits,
  readSignature,
  SIGNATURE_HEADER,
  startDigest,
  timeFault,
} from '../domain/identity/event-signature.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { HttpServer } from '../http/server.ts'
import { throwIfStale } from './events/validation.ts'

/**
 * Who sent a request with events. A browser is anonymous. A page proves itself by a signature that the shop's server made for
 * this request, and a server by a token with the scope `events`.
 */
export type Sender =
  | { proof: 'ANONYMOUS' }
  | { proof: 'SIGNED'; shopId: string }
  /** `accountId` is null for an operator's token, which is valid for every shop. */
  | { proof: 'TOKEN'; accountId: string | null }

const ANONYMOUS: Sender = { proof: 'ANONYMOUS' }

/** What a request says about its sender before its body is read. */
interface Claimed {
  sender: Sender
  /** The signature of a signed request, to be compared with the digest once the body is complete. Null without a signature. */
  signature: { signature: EventSignature; digest: ReturnType<typeof startDigest> } | null
}

declare module 'fastify' {
  interface FastifyRequest {
    claimed?: Claimed
  }
}

export interface SenderDeps {
  snapshot: Snapshot
  readBearer: ReadBearer
  /** UTC epoch milliseconds. */
  now: () => number
}

/**
 * Reads the senders of requests to the routes of `server`, before their bodies; handlers call `senderOf`. A request whose
 * proof is wrong is refused: if it were taken as anonymous, a shop would learn of its mistake only from its reports.
 */
export function readSenders(server: HttpServer, deps: SenderDeps): void {
  server.addHook('onRequest', (request, _reply, done) => {
    request.claimed = claimed(request, deps)
    done()
  })
  server.addHook('preParsing', (request, _reply, payload, done) => {
    const digest = request.claimed?.signature?.digest
    if (!digest) return done(null, payload)
    const digested = new Transform({
      transform(chunk: Buffer, _encoding, passOn) {
        digest.update(chunk)
        passOn(null, chunk)
      },
    })
    // If the body breaks off, the copy ends as well, and its reader answers the request.
    pipeline(payload, digested, () => {})
    done(null, digested)
  })
}

/** The sender of a request whose body has been read. @throws Problem UNAUTHENTICATED when the signature does not fit it. */
export function senderOf(request: FastifyRequest): Sender {
  if (!request.claimed) throw new Error(`${request.routeOptions.url} does not read senders`)
  const { sender, signature } = request.claimed
  if (signature && !fits(signature.signature, signature.digest)) {
    throw unproven('does not match the body, cid and uid of the request')
  }
  return sender
}

/**
 * How a sender proves an event of a shop. Null when its proof is for another shop: the event must then be refused.
 * @throws Problem UNAVAILABLE when the shop may be the sender's and not be known yet.
 */
export function proofFor(sender: Sender, shopId: string, snapshot: Snapshot): Proof | null {
  switch (sender.proof) {
    case 'ANONYMOUS':
      return 'ANONYMOUS'
    case 'SIGNED':
      return sender.shopId === shopId ? 'SIGNED' : null
    case 'TOKEN': {
      if (sender.accountId === null) return 'TOKEN'
      const shop = snapshot.body('Shop', shopId)
      if (!shop) throwIfStale(snapshot, 'The shop')
      return shop?.accountId === sender.accountId ? 'TOKEN' : null
    }
  }
}

/** @throws Problem UNAUTHENTICATED, FORBIDDEN; UNAVAILABLE when the token or key may only not be known yet. */
function claimed({ headers }: FastifyRequest, deps: SenderDeps): Claimed {
  // Other schemes are ignored: a test site behind a password sends one, for instance.
  if (/^bearer\b/i.test(headers.authorization ?? '')) {
    return { sender: bearerSender(headers.authorization, deps), signature: null }
  }
  const header = headers[SIGNATURE_HEADER]
  return header === undefined ? { sender: ANONYMOUS, signature: null } : signer(String(header), headers, deps)
}

function bearerSender(authorization: string | undefined, { snapshot, readBearer }: SenderDeps): Sender {
  const bearer = readBearer(authorization)
  if (!bearer) {
    throwIfStale(snapshot, 'The token')
    throw new Problem('UNAUTHENTICATED', 'The token is not valid: it is unknown, has expired or was revoked')
  }
  if (!bearer.scopes.includes('events')) throw new Problem('FORBIDDEN', 'The token lacks the scope events')
  return { proof: 'TOKEN', accountId: bearer.role === 'OPERATOR' ? null : bearer.accountId }
}

function signer(header: string, { cid, uid }: IncomingHttpHeaders, { snapshot, now }: SenderDeps): Claimed {
  const signature = readSignature(header)
  if (!signature) throw unproven('must have the form key=<id>,t=<Unix seconds>,v1=<64 hex digits in lower case>')
  const key = snapshot.body('SigningKey', signature.keyId)
  if (!key) {
    throwIfStale(snapshot, 'The key of the signature')
    throw unproven('names an unknown key')
  }
  const fault = timeFault(signature, now())
  if (fault !== null) throw unproven(fault)
  const digest = startDigest(key.secret, signature.time, { cid: String(cid ?? ''), uid: String(uid ?? '') })
  return { sender: { proof: 'SIGNED', shopId: key.shopId }, signature: { signature, digest } }
}

function unproven(message: string): Problem {
  return fieldProblem('UNAUTHENTICATED', [{ path: `header/${SIGNATURE_HEADER}`, message }])
}

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createSlices } from '../../infra/threads/slices.ts'
import { fieldProblem, Problem } from '../domain/errors.ts'

export interface BodyLimits {
  /** Time that any body may take to arrive, whatever its size. */
  timeoutMs: number
  /** A body that arrives at this rate may take longer than `timeoutMs`. */
  bytesPerSecondMin: number
  /** Limit of all bodies in memory together, from arrival until the answer. */
  heldBytesMax: number
}

const RETRY_AFTER_SECONDS = 2
/** Strangers' bodies, which are mostly small, may always hold this share of the room, however much accounts hold. */
const STRANGERS_SHARE = 1 / 4

/** A body that is being received. */
interface Arrival {
  /** Stops receiving it. */
  giveUp: (problem: Problem) => void
  /** Whether it is being collected, and a part is missing. */
  isIncomplete: boolean
  /** Whether the answer is sent, or nobody waits for it any more. */
  isAnswered: boolean
  heldBytes: number
}

/** The incomplete bodies of one sender that hold memory, oldest first. */
interface Holding {
  arrivals: Set<Arrival>
  bytes: number
}

/** The account of a caller with a token or a session. All strangers together are one sender. */
type SenderId = string | typeof STRANGERS
const STRANGERS = Symbol('strangers')

declare module 'fastify' {
  interface FastifyInstance {
    bodies: RequestBodies
  }
  interface FastifyRequest {
    /** Set for a request with a body. */
    bodyArrival?: Arrival
  }
}

/** Receives request bodies: each within a time limit, and all of them together within a memory limit. */
export interface RequestBodies {
  /** Must be called in the first hook of a request. */
  expect(request: FastifyRequest, reply: FastifyReply): void
  /** Collects a body. @throws Problem TOO_LARGE, TOO_SLOW, UNAVAILABLE, INVALID */
  read(request: FastifyRequest, payload: Readable, bytesMax?: number): Promise<Buffer>
  /**
   * A body that its reader takes as it arrives, and may destroy before its end. It fails with Problem INVALID when it is broken.
   * Nothing happens to it before it is read.
   */
  stream(request: FastifyRequest, payload: Readable): Readable
}

export function createRequestBodies(limits: BodyLimits): RequestBodies {
  const holdings = new Map<SenderId, Holding>()
  let heldBytes = 0

  function hold(arrival: Arrival, bytes: number, sender: SenderId): void {
    const holding = holdings.get(sender) ?? { arrivals: new Set(), bytes: 0 }
    holdings.set(sender, holding)
    holding.arrivals.add(arrival)
    holding.bytes += bytes
    arrival.heldBytes += bytes
    heldBytes += bytes
    while (heldBytes > limits.heldBytesMax) {
      // The oldest is given up, so that slow senders cannot keep the memory full.
      const [oldest = arrival] = crowding().arrivals
      oldest.giveUp(noRoom())
    }
  }

  /** Whose bodies must make room: those of strangers who hold more than their share, or else of the account that holds the most. */
  function crowding(): Holding {
    const strangers = holdings.get(STRANGERS)
    if (strangers && strangers.bytes > STRANGERS_SHARE * limits.heldBytesMax) return strangers
    return [...holdings.values()].reduce((most, each) => (each.bytes > most.bytes ? each : most))
  }

  /** Ends the collecting of a body. What it holds, if anything, stays held until its answer. */
  function settle(arrival: Arrival, sender: SenderId): void {
    const holding = holdings.get(sender)
    if (!holding?.arrivals.delete(arrival)) return
    holding.bytes -= arrival.heldBytes
    if (holding.arrivals.size === 0) holdings.delete(sender)
  }

  function release(arrival: Arrival): void {
    heldBytes -= arrival.heldBytes
    arrival.heldBytes = 0
  }

  return {
    expect(request, reply) {
      const { raw } = request
      if (!hasBody(raw)) return
      const arrival: Arrival = { giveUp: hangUp(raw), isIncomplete: false, isAnswered: false, heldBytes: 0 }
      request.bodyArrival = arrival
      reply.raw.once('close', () => {
        arrival.isAnswered = true
        if (!arrival.isIncomplete) release(arrival)
      })
      if (!raw.complete) giveUpWhenSlow(raw, reply, arrival, limits)
    },
    async read(request, payload, bytesMax = request.routeOptions.bodyLimit) {
      const arrival = request.bodyArrival
      if (!arrival) return Buffer.alloc(0)
      const chunks = await collect(arrival, { request, payload, bytesMax })
      return chunks.length === 1 ? chunks[0]! : joined(chunks)
    },
    stream: (request, payload) => Readable.from(chunksOf(request, payload), { objectMode: false }),
  }

  function collect(
    arrival: Arrival,
    { request, payload, bytesMax }: { request: FastifyRequest; payload: Readable; bytesMax: number },
  ): Promise<Buffer[]> {
    const sender = senderOf(request)
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let bytes = 0
      let isOver = false
      function take(chunk: Buffer): void {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes > bytesMax) end(tooLarge(bytesMax))
        else hold(arrival, chunk.length, sender)
      }
      const complete = () => end(null)
      // This listener stays until the end of the stream: an error without a listener would end the process.
      const breakOff = (cause?: Error) => {
        if (!isOver) end(broken(cause))
      }
      function end(problem: Problem | null): void {
        if (isOver) return
        isOver = true
        payload.off('data', take)
        dropRest(request, payload)
        settle(arrival, sender)
        arrival.giveUp = hangUp(request.raw)
        arrival.isIncomplete = false
        // A caller may hang up before its body is decoded: then nothing else releases it.
        if (problem || arrival.isAnswered) release(arrival)
        if (problem) reject(problem)
        else resolve(chunks)
      }
      arrival.giveUp = end
      arrival.isIncomplete = true
      payload.on('end', complete).on('error', breakOff).on('close', breakOff)
      if (payload.destroyed) breakOff()
      else if (Number(request.headers['content-length']) > bytesMax) end(tooLarge(bytesMax))
      else payload.on('data', take)
    })
  }
}

function senderOf({ principal, limitedAs }: FastifyRequest): SenderId {
  if (principal) return principal.accountId
  return limitedAs?.sender === 'token' ? limitedAs.id : STRANGERS
}

async function* chunksOf(request: FastifyRequest, payload: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) yield chunk
  } catch (cause) {
    throw broken(cause as Error)
  } finally {
    dropRest(request, payload)
  }
}

/** Reads the rest of a body, because cutting it off could hide the answer. The rest of a compressed body is not even decoded. */
function dropRest({ raw }: FastifyRequest, payload: Readable): void {
  if (payload === raw) payload.resume()
  else payload.destroy()
}

/** Copies in time slices: allocating memory for a large body takes longer than one turn of the event loop may last. */
async function joined(chunks: readonly Buffer[]): Promise<Buffer> {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const whole = Buffer.allocUnsafe(bytes)
  const slices = createSlices()
  let end = 0
  for (const chunk of chunks) {
    end += chunk.copy(whole, end)
    if (slices.isOver()) await slices.next()
  }
  return whole
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

const hangUp = (raw: IncomingMessage) => () => void raw.destroy()

const broken = (cause?: Error) =>
  fieldProblem('INVALID', [{ path: '/', message: 'is incomplete, or is not encoded as Content-Encoding says' }], {
    cause,
  })

const noRoom = () =>
  new Problem('UNAVAILABLE', 'Too many request bodies are being received', { retryAfterSeconds: RETRY_AFTER_SECONDS })

const tooLarge = (bytesMax: number) => new Problem('TOO_LARGE', `The body has more than ${bytesMax} bytes`)

function giveUpWhenSlow(raw: IncomingMessage, reply: FastifyReply, arrival: Arrival, limits: BodyLimits): void {
  const { timeoutMs, bytesPerSecondMin } = limits
  const startedAt = performance.now()
  const bytesBefore = raw.socket.bytesRead
  let timer: NodeJS.Timeout
  // Most bodies arrive together with their head, and need no timer.
  setImmediate(() => {
    if (raw.complete || raw.destroyed) return
    timer = setTimeout(judge, timeoutMs).unref()
    raw.once('end', stop).once('close', stop)
  })

  function stop(): void {
    clearTimeout(timer)
  }
  function judge(): void {
    const arrivedBytes = raw.socket.bytesRead - bytesBefore
    const allowedMs = timeoutMs + (arrivedBytes / bytesPerSecondMin) * 1000
    // While received bytes wait for us to read them, the sender is not late.
    const isOurTurn = raw.readableLength > 0 && !reply.sent
    const restMs = isOurTurn ? timeoutMs : allowedMs - (performance.now() - startedAt)
    if (restMs > 0) timer = setTimeout(judge, restMs).unref()
    else arrival.giveUp(new Problem('TOO_SLOW', `The body did not arrive within ${Math.round(allowedMs / 1000)} s`))
  }
}

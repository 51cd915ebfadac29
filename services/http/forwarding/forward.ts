import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { pipeline } from 'node:stream'
import { Problem } from '../../domain/errors.ts'

/**
 * Headers that concern one connection and are not forwarded (RFC 9110, section 7.6.1), and Trailer, because trailers are not: Node
 * throws when a request has it and is not chunked.
 */
const OF_CONNECTION = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
])
const RETRY_AFTER_SECONDS = 2

/**
 * Forwards requests to the main thread, which answers as if they had come to it: `gate.ts`. Each request opens a connection of
 * its own, so that none is sent over one that is being closed. This costs a tenth of a millisecond.
 * @param path the path of the gate's socket.
 */
export function forwardTo(path: string): (asked: IncomingMessage, answer: ServerResponse) => void {
  return (asked, answer) => {
    const headers = withoutConnection(asked.rawHeaders)
    const hasBody = asked.headers['transfer-encoding'] !== undefined
    const sent = request({
      createConnection: () => {
        const socket = connect(path)
        socket.write(`${asked.socket.remoteAddress ?? ''}\n`)
        return socket
      },
      method: asked.method,
      path: asked.url,
      setHost: false,
      headers: ['connection', 'close', ...(hasBody ? ['transfer-encoding', 'chunked'] : []), ...headers],
    })
    sent.on('response', (received) => {
      answer.writeHead(received.statusCode!, received.statusMessage, withoutConnection(received.rawHeaders))
      // If the main thread breaks off, the caller's answer breaks off, too.
      pipeline(received, answer, () => {})
    })
    sent.on('error', () => {
      if (answer.headersSent) answer.destroy()
      else refuse(answer)
    })
    answer.once('close', () => sent.destroy())
    asked.pipe(sent)
  }
}

/** @param raw alternating names and values. */
function withoutConnection(raw: readonly string[]): string[] {
  return raw.filter((_, i) => !OF_CONNECTION.has(raw[i - (i % 2)]!.toLowerCase()))
}

/** Answers 503: the main thread is about to end, or has too many connections. */
function refuse(answer: ServerResponse): void {
  const problem = new Problem('UNAVAILABLE', 'The service is temporarily unavailable')
  answer.writeHead(problem.status, {
    'content-type': 'application/problem+json',
    'retry-after': String(RETRY_AFTER_SECONDS),
    connection: 'close',
  })
  answer.end(JSON.stringify(problem))
}

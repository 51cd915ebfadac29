import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../domain/errors.ts'

/** Each is a task of the thread pool, which other work waits for. */
const chunkSize = 64 * 1024

const decoders = {
  gzip: () => createGunzip({ chunkSize }),
  'x-gzip': () => createGunzip({ chunkSize }),
  deflate: () => createInflate({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
}
const ACCEPTED = 'gzip, deflate, br'

/** Decodes bodies by their Content-Encoding as they arrive, so that routes and their limits know only what is inside. */
export function decodeBodies(server: Pick<FastifyInstance, 'addHook'>): void {
  server.addHook('preParsing', (request, reply, payload, done) => {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
    if (encoding === 'identity' || encoding === '') return done(null, payload)
    // The parts of a form are read from the connection itself.
    const isForm = /^multipart\//i.test(request.headers['content-type'] ?? '')
    if (isForm || !Object.hasOwn(decoders, encoding)) {
      reply.header('accept-encoding', ACCEPTED)
      return done(
        new Problem('UNSUPPORTED_MEDIA_TYPE', `Send it as it is${isForm ? '' : `, or encoded once by ${ACCEPTED}`}`),
      )
    }
    done(null, decoded(payload, decoders[encoding as keyof typeof decoders]()))
  })
}

/** A pipe that leaves the source to itself: destroying it would hang up before the answer. */
function decoded(source: Readable, decoder: ReturnType<typeof createGunzip>): Readable {
  source.once('error', (error) => decoder.destroy(error))
  source.once('close', () => {
    if (!source.readableEnded) decoder.destroy(new Error('The connection broke before the body was whole'))
  })
  decoder.once('close', () => source.unpipe(decoder).resume())
  return source.pipe(decoder)
}

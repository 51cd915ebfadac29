import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../domain/errors.ts'

/** Bytes decoded in one task of the thread pool, which other work shares. */
const chunkSize = 64 * 1024

const decoders = {
  gzip: () => createGunzip({ chunkSize }),
  'x-gzip': () => createGunzip({ chunkSize }),
  deflate: () => createInflate({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
}
const ACCEPTED = 'gzip, deflate, br'

/** Decodes bodies by their Content-Encoding as they arrive, so that routes and their limits see decoded bytes only. */
export function decodeBodies(server: Pick<FastifyInstance, 'addHook'>): void {
  server.addHook('preParsing', (request, reply, payload, done) => {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
    if (encoding === 'identity' || encoding === '') return done(null, payload)
    // The form parser reads from the connection itself, so forms cannot be decoded here.
    const isForm = /^multipart\//i.test(request.headers['content-type'] ?? '')
    if (isForm || !Object.hasOwn(decoders, encoding)) {
      reply.header('accept-encoding', ACCEPTED)
      return done(
        new Problem('UNSUPPORTED_MEDIA_TYPE', `Send it as it is${isForm ? '' : `, or encoded once by ${ACCEPTED}`}`),
      )
    }
    const decoder = decoders[encoding as keyof typeof decoders]()
    // A decoder that nobody reads would keep the rest of the body from being read.
    reply.raw.once('finish', () => decoder.destroy())
    done(null, decoded(payload, decoder))
  })
}

/** A pipe that never destroys its source: that would close the connection before the answer is sent. */
function decoded(source: Readable, decoder: ReturnType<typeof createGunzip>): Readable {
  source.once('error', (error) => decoder.destroy(error))
  source.once('close', () => {
    if (!source.readableEnded) decoder.destroy(new Error('The connection broke before the body was complete'))
  })
  decoder.once('close', () => source.unpipe(decoder).resume())
  // A request may be refused before anybody reads its body, and an error without a listener would end the process.
  decoder.on('error', () => {})
  return source.pipe(decoder)
}

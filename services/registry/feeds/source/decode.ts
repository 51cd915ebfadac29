import { pipeline, Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createGunzip } from 'node:zlib'
import { FeedFailure } from '../failure.ts'

/** Limit of the size of a decompressed feed. */
const FEED_BYTES_MAX = 2 * 1024 ** 3
/** Feeds compress about 10:1. Gzip can reach 1000:1, as in a zip bomb. The limit does not apply to the first bytes. */
const EXPANSION_MAX = 100
const EXPANSION_FREE_BYTES = 64 * 1024 ** 2
/** 2, because a .gz file served with Content-Encoding gzip is compressed twice. */
const GZIP_LAYERS_MAX = 2
const DECLARATION_BYTES = 256

/**
 * Decodes the bytes of a feed. Gzip is detected by its first bytes. The encoding is detected by byte order mark, then by XML
 * declaration; otherwise it is UTF-8. Invalid bytes become U+FFFD.
 * @throws FeedFailure for an empty or too large feed, an unsupported compression, broken gzip data, or an unknown encoding.
 */
export async function* decodeFeed(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null
  for await (const chunk of unpack(bytes, GZIP_LAYERS_MAX)) {
    decoder ??= decoderFor(chunk)
    yield decoder.decode(chunk, { stream: true })
  }
  if (!decoder) throw new FeedFailure('NOT_A_FEED', 'The feed is empty')
  yield decoder.decode()
}

async function* unpack(bytes: AsyncIterable<Uint8Array>, layers: number): AsyncGenerator<Uint8Array> {
  const iterator = withFullHead(bytes)
  const { value: head, done } = await iterator.next()
  if (done) return
  const rest = (async function* () {
    yield head
    yield* iterator
  })()
  if (head[0] === 0x50 && head[1] === 0x4b)
    throw new FeedFailure('COMPRESSION', 'The feed is a ZIP file: send XML or gzip')
  if (head[0] !== 0x1f || head[1] !== 0x8b) yield* limited(rest)
  else if (layers === 0) throw new FeedFailure('COMPRESSION', 'The feed is compressed with gzip too many times')
  else yield* unpack(gunzip(rest), layers - 1)
}

async function* gunzip(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let read = 0
  let unpacked = 0
  const counted = async function* () {
    for await (const chunk of packed) {
      read += chunk.length
      yield chunk
    }
  }
  const stream = createGunzip()
  pipeline(Readable.from(counted(), { objectMode: false }), stream, () => {})
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      unpacked += chunk.length
      if (unpacked > EXPANSION_FREE_BYTES && unpacked > read * EXPANSION_MAX) {
        throw new FeedFailure(
          'TOO_LARGE',
          `The decompressed feed is over ${EXPANSION_MAX} times as large as the compressed one`,
        )
      }
      yield chunk
    }
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('Z_')) {
      throw new FeedFailure('COMPRESSION', `The gzip data is broken: ${(error as Error).message}`)
    }
    throw error
  } finally {
    stream.destroy()
  }
}

async function* limited(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const chunk of bytes) {
    total += chunk.length
    if (total > FEED_BYTES_MAX) throw new FeedFailure('TOO_LARGE', `The feed has over ${FEED_BYTES_MAX} bytes`)
    yield chunk
  }
}

/** Passes the bytes on. The first chunk is made large enough for the XML declaration, however small the incoming chunks are. */
async function* withFullHead(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | null = new Uint8Array()
  for await (const chunk of bytes) {
    if (head === null) yield chunk
    else {
      head = Buffer.concat([head, chunk])
      if (head.length < DECLARATION_BYTES) continue
      yield head
      head = null
    }
  }
  if (head !== null && head.length > 0) yield head
}

function decoderFor(head: Uint8Array): TextDecoder {
  const label = encodingOf(head)
  try {
    return new TextDecoder(label)
  } catch {
    throw new FeedFailure('ENCODING', `The encoding ${JSON.stringify(label)} that the feed declares is unknown`)
  }
}

/** Detects the encoding by byte order mark, by the bytes of "<?" (XML 1.0, appendix F), or by the declaration. */
function encodingOf(head: Uint8Array): string {
  const [a, b, c, d] = head
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0 && c !== 0 && d === 0)) return 'utf-16le'
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c && c === 0 && d !== 0)) return 'utf-16be'
  const start = Buffer.from(head.subarray(0, DECLARATION_BYTES)).toString('latin1')
  const declared = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']\s*([^"'\s]+)/.exec(start)?.[1]
  // The declaration was readable as single bytes, so a text that declares UTF-16 is not UTF-16.
  return declared === undefined || /^(utf|ucs)-?(16|2)/i.test(declared) ? 'utf-8' : declared
}

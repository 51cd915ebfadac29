import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { parse } from 'secure-json-parse'
import { Problem } from '../domain/errors.ts'
import type { RequestBodies } from './request-bodies.ts'

/** What a parser is given at once: all of it is parsed in one turn of the event loop. */
export interface JsonLimits {
  /** Objects and lists inside one another. */
  depth: number
  /** Texts, numbers, objects and lists; the names of properties count as well. */
  values: number
}
/** Parsing and checking so much takes some 20 ms at worst. */
export const JSON_LIMITS: JsonLimits = { depth: 32, values: 50_000 }

/** The bytes that JSON in UTF-8 is structured by: none of them is a part of another character. */
export const QUOTE = 0x22
export const COMMA = 0x2c
const COLON = 0x3a
export const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
export const CLOSE_LIST = 0x5d
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d

/** Parses the bodies of JSON. None at all is well where a route takes none, whatever Content-Type says. */
export function jsonParser(bodies: RequestBodies) {
  return async (request: FastifyRequest, payload: Readable): Promise<unknown> => {
    const bytes = await bodies.read(request, payload)
    if (bytes.length > 0) return parseJson(bytes)
    if (request.routeOptions.schema?.body) throw new Problem('MALFORMED_JSON', 'The body is empty')
    return undefined
  }
}

/**
 * Reads JSON in UTF-8. Its size is judged by one look at every byte before any of it is parsed: a parser takes a second for
 * megabytes of nothing but brackets.
 * @throws Problem MALFORMED_JSON, TOO_LARGE
 */
export function parseJson(bytes: Buffer, limits: JsonLimits = JSON_LIMITS): unknown {
  const fault = sizeFault(bytes, limits)
  if (fault !== null) throw new Problem('TOO_LARGE', fault)
  try {
    return parse(bytes, { protoAction: 'error', constructorAction: 'error' })
  } catch (cause) {
    throw malformed(cause)
  }
}

export function malformed(cause?: unknown): Problem {
  return new Problem(
    'MALFORMED_JSON',
    'The body is not valid JSON in UTF-8, or has a forbidden key such as __proto__',
    { cause },
  )
}

function sizeFault(bytes: Buffer, limits: JsonLimits): string | null {
  let depth = 0
  let values = 1
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE:
        i = endOfText(bytes, i)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth++
        values++
        if (depth > limits.depth) return `The body is nested more than ${limits.depth} levels deep`
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
      case COMMA:
      case COLON:
        values++
    }
    if (values > limits.values) return `The body holds more than ${limits.values} values`
  }
  return null
}

/** Where the text that begins at `start` ends: the place of its closing quote. The look ends after `bytesMax`. */
export function endOfText(bytes: Buffer, start: number, bytesMax = bytes.length): number {
  const end = Math.min(bytes.length, start + bytesMax + 2)
  let i = start + 1
  while (i < end && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1
  return i
}

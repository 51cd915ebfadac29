import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { parse } from 'secure-json-parse'
import { Problem } from '../domain/errors.ts'
import type { RequestBodies } from './request-bodies.ts'

/** Limits of JSON that is parsed in one turn of the event loop. */
export interface JsonLimits {
  /** Nesting of objects and lists. */
  depth: number
  /** Strings, numbers, objects and lists; property names count as well. */
  values: number
}
/** Parsing and validating this much takes some 20 ms at worst. */
const JSON_LIMITS: JsonLimits = { depth: 32, values: 50_000 }

/** The structural bytes of JSON. In UTF-8 none of them is part of another character. */
export const QUOTE = 0x22
export const COMMA = 0x2c
const COLON = 0x3a
export const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
export const CLOSE_LIST = 0x5d
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d

/** Parses JSON bodies. Where a route has no body schema, an empty body is accepted, whatever Content-Type says. */
export function jsonParser(bodies: RequestBodies) {
  return async (request: FastifyRequest, payload: Readable): Promise<unknown> => {
    const bytes = await bodies.read(request, payload)
    if (bytes.length > 0) return parseJson(bytes)
    if (request.routeOptions.schema?.body) throw new Problem('MALFORMED_JSON', 'The body is empty')
    return undefined
  }
}

/**
 * Parses JSON in UTF-8. Its depth and number of values are checked in one pass over the bytes first, because the parser takes a
 * second for megabytes of brackets.
 * @throws Problem MALFORMED_JSON, TOO_LARGE
 */
export function parseJson(bytes: Buffer, limits: JsonLimits = JSON_LIMITS): unknown {
  const fault = sizeFault(bytes, limits)
  if (fault !== null) throw new Problem('TOO_LARGE', `The body ${fault}`)
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

/** How JSON exceeds the limits, to be said of it; null when it does not. */
export function sizeFault(bytes: Buffer, limits: JsonLimits = JSON_LIMITS): string | null {
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
        if (depth > limits.depth) return `is nested more than ${limits.depth} levels deep`
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
      case COMMA:
      case COLON:
        values++
    }
    if (values > limits.values) return `holds more than ${limits.values} values`
  }
  return null
}

/** Index of the closing quote of the string that begins at `start`; the search ends after `bytesMax`. */
export function endOfText(bytes: Buffer, start: number, bytesMax = bytes.length): number {
  const end = Math.min(bytes.length, start + bytesMax + 2)
  let i = start + 1
  while (i < end && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1
  return i
}

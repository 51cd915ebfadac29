import type { FieldError } from '../../domain/errors.ts'
import { PERSON_ID_MAX_BYTES } from '../../domain/show-id/show-id.ts'
import { headerText } from '../../http/header-text.ts'
import { invalid } from '../../http/violations.ts'

/** Who sends the request: a browser or app, and its user if the page knows one. */
export interface Person {
  cid: string
  uid: string | null
}

export interface Parameters {
  /** Identifies the request in its answer, its ads and its events. */
  requestId: string
  person: Person
  /** Whether sponsored ads carry productData. */
  decorate: boolean
  /** The page's address, a URL or a relative path: display campaigns may target it. */
  referer: string | null
}

const PERSON_HEADERS = ['cid', 'uid', 'referer'] as const
/** How a query parameter may spell a boolean. */
const SPELLINGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((text) => [text, true] as const),
  ...['false', '0', 'no', 'off', ''].map((text) => [text, false] as const),
])

/**
 * Reads the headers and the query of an ad request, without the schema: its conversion of every header would cost as much
 * as the auction.
 * @throws Problem (400) that lists what is wrong.
 */
export function readParameters(
  request: {
    id: string
    headers: { cid?: string; uid?: string; referer?: string }
    query: { decorateResponse?: unknown }
  },
  uuid: () => string,
): Parameters {
  const [cid, uid, referer] = PERSON_HEADERS.map((name) => headerText(request.headers[name] ?? ''))
  const { decorateResponse = '' } = request.query
  const decorate = SPELLINGS.get(String(decorateResponse).toLowerCase())
  const errors = [...tooLong('cid', cid), ...tooLong('uid', uid)]
  if (decorate === undefined) {
    errors.push({ path: 'querystring/decorateResponse', message: 'must be true or false' })
  }
  if (errors.length > 0) throw invalid(errors)
  // A browser without an id is given one.
  const person = { cid: cid || uuid(), uid: uid || null }
  return { requestId: request.id, person, decorate: decorate ?? false, referer: referer || null }
}

function tooLong(name: string, value = ''): FieldError[] {
  if (Buffer.byteLength(value) <= PERSON_ID_MAX_BYTES) return []
  return [{ path: `header/${name}`, message: `is longer than ${PERSON_ID_MAX_BYTES} bytes` }]
}

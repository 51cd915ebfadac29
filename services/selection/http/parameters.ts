import { type FieldError, Problem } from '../../domain/errors.ts'
import { PERSON_ID_MAX_BYTES } from '../../domain/show-id/show-id.ts'
import { headerText } from '../../http/header-text.ts'
import type { Person } from './person.ts'

export interface Parameters {
  /** Names the request in its answer, and is told with its ads. */
  requestId: string
  person: Person
  /** Sponsored ads carry productData. */
  decorate: boolean
  /** Where the page is, for display ads: a URL or a relative path. */
  referer: string | null
}

const PERSON_HEADERS = ['cid', 'uid', 'referer'] as const
/** Of a boolean in an address. */
const SPELLINGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((text) => [text, true] as const),
  ...['false', '0', 'no', 'off', ''].map((text) => [text, false] as const),
])

/**
 * Reads the headers and the query of an ad request. By hand: the schema's conversion of every header costs as much as
 * the auction.
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
  if (errors.length > 0) {
    throw new Problem('INVALID', errors.map(({ path, message }) => `${path} ${message}`).join('; '), { errors })
  }
  // A browser without an id gets one.
  const person = { cid: cid || uuid(), uid: uid || null }
  return { requestId: request.id, person, decorate: decorate ?? false, referer: referer || null }
}

function tooLong(name: string, value = ''): FieldError[] {
  if (Buffer.byteLength(value) <= PERSON_ID_MAX_BYTES) return []
  return [{ path: `header/${name}`, message: `is longer than ${PERSON_ID_MAX_BYTES} bytes` }]
}

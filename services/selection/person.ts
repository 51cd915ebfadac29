import { type FieldError, Problem } from '../domain/errors.ts'
import { PERSON_ID_MAX_BYTES } from '../domain/show-id.ts'

/** Who asks: a browser or app, and its user where the page knows one. */
export interface Person {
  cid: string
  uid: string | null
}

/**
 * Reads the person from the headers; a browser without an id gets one.
 * @throws Problem (400) for an id that is too long for a showId.
 */
export function personOf({ cid, uid }: { cid?: string; uid?: string }, uuid: () => string): Person {
  const errors = [...tooLong('cid', cid), ...tooLong('uid', uid)]
  if (errors.length > 0) {
    throw new Problem('INVALID', errors.map(({ path, message }) => `${path} ${message}`).join('; '), { errors })
  }
  return { cid: cid || uuid(), uid: uid || null }
}

function tooLong(name: string, value = ''): FieldError[] {
  if (Buffer.byteLength(value) <= PERSON_ID_MAX_BYTES) return []
  return [{ path: `header/${name}`, message: `is longer than ${PERSON_ID_MAX_BYTES} bytes` }]
}

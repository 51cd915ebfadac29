import type { TObject } from 'typebox'
import { SELECTION_LIMITS } from '../../../schemas/http/targeting.ts'
import type { ErrorCode, FieldError } from '../../domain/errors.ts'
import { checkOf } from '../../http/lazy-schemas.ts'
import { invalid, listFieldErrors } from '../../http/violations.ts'

/** A slot that cannot be filled, and why: the answer has no ads for it, and the other slots are filled. */
export interface RefusedSlot {
  /** As sent, cut to SLOT_HASH_CHARS_MAX; empty when it is not a text. */
  slotHash: string
  code: ErrorCode
  errors: FieldError[]
}

export interface AskedSlots<T> {
  /** In the order of the request. */
  slots: (T | RefusedSlot)[]
  /** The parameters that were cut to a limit of this server: `targeting[0].excludedShopProductIds=1000`. */
  cuts: string[]
}

const SLOT_HASH_CHARS_MAX = 100
/** How many cuts the answer's header names; proxies refuse longer headers. */
const CUTS_TOLD_MAX = 20

export const isRefused = <T extends object>(slot: T | RefusedSlot): slot is RefusedSlot => 'errors' in slot

/**
 * Reads the slots of an ad request one by one, so that an error in one does not affect the others. Null is the same as
 * missing, and unknown members are left out.
 * @param limits the most that is read of a member: entries of a list, characters of a text, or the value of a number.
 */
export function createTargetingReader<T extends object>(
  schema: TObject,
  limits: Readonly<Record<string, number>>,
): (body: unknown) => AskedSlots<T> {
  const accepts = checkOf(schema)
  const names = Object.keys(schema.properties)

  function read(element: unknown, index: number, cuts: string[]): T | RefusedSlot {
    if (!isObject(element)) return refused('', [{ path: `/targeting/${index}`, message: 'must be object' }])
    const targeting: Record<string, unknown> = {}
    for (const name of names) {
      const value = element[name]
      if (value === null || value === undefined) continue
      const limit = limits[name]
      const kept = limit === undefined ? value : cut(value, limit)
      if (kept !== value) cuts.push(`targeting[${index}].${name}=${limit}`)
      targeting[name] = withoutNulls(kept)
    }
    if (accepts(targeting)) return targeting as T
    const errors = listFieldErrors(schema, targeting)
    const { slotHash } = targeting
    return refused(
      typeof slotHash === 'string' ? slotHash.slice(0, SLOT_HASH_CHARS_MAX) : '',
      errors.map(({ path, message }) => ({ path: `/targeting/${index}${path}`, message })),
    )
  }

  return (body) => {
    const cuts: string[] = []
    const asked = elementsOf(body)
    if (asked.length > SELECTION_LIMITS.slotsMax) cuts.push(`targeting=${SELECTION_LIMITS.slotsMax}`)
    const slots = asked.slice(0, SELECTION_LIMITS.slotsMax).map((element, index) => read(element, index, cuts))
    return { slots, cuts: cuts.slice(0, CUTS_TOLD_MAX) }
  }
}

const refused = (slotHash: string, errors: FieldError[]): RefusedSlot => ({ slotHash, code: 'INVALID', errors })

/** @throws Problem (400) when there is no list of slots. */
function elementsOf(body: unknown): readonly unknown[] {
  const refuse = (path: string, message: string) => invalid([{ path, message }])
  if (!isObject(body)) throw refuse('/', 'must be object')
  const { targeting = null } = body
  if (targeting === null) throw refuse('/targeting', 'is required')
  if (!Array.isArray(targeting)) throw refuse('/targeting', 'must be array')
  if (targeting.length === 0) throw refuse('/targeting', 'must not have fewer than 1 items')
  return targeting
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The same value unless it is over the limit. */
function cut(value: unknown, limit: number): unknown {
  if (typeof value === 'number') return value > limit ? limit : value
  if (typeof value === 'string') return value.length > limit ? value.slice(0, limit).toWellFormed() : value
  return Array.isArray(value) && value.length > limit ? value.slice(0, limit) : value
}

function withoutNulls(value: unknown): unknown {
  return Array.isArray(value) && value.includes(null) ? value.filter((entry) => entry !== null) : value
}

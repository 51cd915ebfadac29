import type { Static } from 'typebox'
import { batchElements, EVENT_LIMITS } from '../../../schemas/http/events.ts'
import { type FieldError, Problem } from '../../domain/errors.ts'
import { parseJson } from '../../http/json.ts'
import { splitList } from '../../http/json-list.ts'
import type { Slices } from '../../process/slices.ts'
import { adEvent } from './ad-event.ts'
import { createBodyReader } from './body-reader.ts'
import { occurredAt } from './occurred-at.ts'
import { pageView } from './page-view.ts'
import { eventIdInstead, transaction } from './transaction.ts'
import {
  ERRORS_TOLD_MAX,
  type RejectedEvent,
  type RequestContext,
  rejected,
  type ValidationDeps,
  type ValidationResult,
  withWarnings,
} from './validation.ts'

/** As of the body of a single event. */
const ELEMENT_BYTES_MAX = 1024 * 1024

type ElementType = keyof typeof batchElements
type Element<K extends ElementType> = Static<(typeof batchElements)[K]>

const readers = {
  VIEW: createBodyReader(batchElements.VIEW, { errorsMax: ERRORS_TOLD_MAX }),
  CLICK: createBodyReader(batchElements.CLICK, { errorsMax: ERRORS_TOLD_MAX }),
  PAGE_VIEW: createBodyReader(batchElements.PAGE_VIEW, { errorsMax: ERRORS_TOLD_MAX }),
  TRANSACTION: createBodyReader(batchElements.TRANSACTION, {
    errorsMax: ERRORS_TOLD_MAX,
    substitutes: { eventId: eventIdInstead },
  }),
} satisfies Record<ElementType, unknown>

/** The elements of a batch, unparsed. @throws Problem when the batch is to be rejected whole. */
export async function elementsOf(body: Buffer | undefined, slices: Slices): Promise<readonly Buffer[]> {
  const refuse = (code: 'INVALID' | 'TOO_LARGE', message: string) =>
    new Problem(code, `/events: ${message}`, { errors: [{ path: '/events', message }] })
  if (!body) throw refuse('INVALID', 'is required')
  const split = await splitList(body, { name: 'events', elementsMax: EVENT_LIMITS.batchMax, slices })
  const events = (split.body as { events?: unknown } | null)?.events
  if (events === undefined) throw refuse('INVALID', 'is required')
  if (!Array.isArray(events)) throw refuse('INVALID', 'must be array')
  if (split.elements.length === 0) throw refuse('INVALID', 'must not have fewer than 1 items')
  if (split.elements.length > EVENT_LIMITS.batchMax) {
    throw refuse('TOO_LARGE', `must not have more than ${EVENT_LIMITS.batchMax} items`)
  }
  return split.elements
}

/** @throws Problem MALFORMED_JSON, when the whole body is no JSON. */
function parsed(json: Buffer): { status: 'PARSED'; element: unknown } | RejectedEvent {
  try {
    if (json.length > ELEMENT_BYTES_MAX) throw new Problem('TOO_LARGE', `It has more than ${ELEMENT_BYTES_MAX} bytes`)
    return { status: 'PARSED', element: parseJson(json) }
  } catch (error) {
    if (error instanceof Problem && error.code === 'TOO_LARGE') return rejected('', error.message, 'TOO_LARGE')
    throw error
  }
}

/**
 * Judges the JSON of one element of a batch, whatever the others are.
 * @param fallbackCid gives the cid of a page view that names none.
 */
export function batchElement(
  json: Buffer,
  context: RequestContext,
  rules: ValidationDeps,
  fallbackCid: () => string,
): ValidationResult {
  const read = parsed(json)
  return read.status === 'REJECTED' ? read : judged(read.element, context, rules, fallbackCid)
}

function judged(
  element: unknown,
  context: RequestContext,
  rules: ValidationDeps,
  fallbackCid: () => string,
): ValidationResult {
  const type = (element as { type?: unknown } | null)?.type
  switch (type) {
    case 'VIEW':
    case 'CLICK': {
      const read = readers[type](element)
      if (read.status === 'REJECTED') return read
      return withWarnings(adEventOf(type, read.value, context, rules), read.warnings)
    }
    case 'PAGE_VIEW': {
      const read = readers[type](element)
      if (read.status === 'REJECTED') return read
      return withWarnings(pageViewOf(read.value, context, rules, fallbackCid), read.warnings)
    }
    case 'TRANSACTION': {
      const read = readers[type](element)
      if (read.status === 'REJECTED') return read
      const { data, occurredAt: given } = read.value
      const buyer = personOf(data, context, data.cid)
      const event = transaction({ ...data, occurredAt: data.occurredAt ?? given }, buyer, rules)
      return withWarnings(under('/data', event), read.warnings)
    }
    default:
      return element === null || typeof element !== 'object'
        ? rejected('', 'must be object')
        : rejected('/type', `must be one of ${Object.keys(readers).join(', ')}`)
  }
}

function adEventOf(
  type: 'VIEW' | 'CLICK',
  { showId, occurredAt: given }: Element<'VIEW' | 'CLICK'>,
  context: RequestContext,
  rules: ValidationDeps,
): ValidationResult {
  const happened = occurredAt(given, context.receivedAt)
  if ('status' in happened) return happened
  const event = adEvent({ type, kind: null, showId, occurredAt: happened.at }, context, rules)
  return withWarnings(event, happened.warnings)
}

function pageViewOf(
  { data, occurredAt: given }: Element<'PAGE_VIEW'>,
  context: RequestContext,
  rules: ValidationDeps,
  fallbackCid: () => string,
): ValidationResult {
  const happened = occurredAt(given, context.receivedAt)
  if ('status' in happened) return happened
  const told = data.cid || context.cid
  const person = { ...personOf(data, context, told || fallbackCid()), assigned: !told }
  return withWarnings(under('/data', pageView(data, { ...person, occurredAt: happened.at }, rules)), happened.warnings)
}

/** In a batch, an element names its own person; the uid of the headers stands in for one of the same client. */
function personOf({ uid }: { uid?: string | null }, context: RequestContext, cid: string) {
  const sameClient = cid === context.cid
  const { receivedAt, sender } = context
  return { cid, uid: uid || (sameClient ? context.uid : null), receivedAt, sender }
}

function under(path: string, event: ValidationResult): ValidationResult {
  const below = (found: readonly FieldError[]) => found.map((each) => ({ ...each, path: path + each.path }))
  if (event.status === 'REJECTED') return { ...event, errors: below(event.errors) }
  return event.warnings.length > 0 ? { ...event, warnings: below(event.warnings) } : event
}

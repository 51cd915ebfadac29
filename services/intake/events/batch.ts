import type { Static } from 'typebox'
import { batchElements, EVENT_LIMITS } from '../../../schemas/http/events.ts'
import { type FieldError, Problem } from '../../domain/errors.ts'
import { parseJson } from '../../http/json.ts'
import { splitList } from '../../http/json-list.ts'
import type { Slices } from '../../process/slices.ts'
import { adEvent } from './ad-event.ts'
import { createBodyReader } from './body-reader.ts'
import {
  ERRORS_TOLD_MAX,
  type JudgedEvent,
  type Reception,
  type RefusedEvent,
  type Rules,
  refused,
  withWarnings,
} from './event.ts'
import { occurredAt } from './occurred-at.ts'
import { pageView } from './page-view.ts'
import { eventIdInstead, transaction } from './transaction.ts'

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

/** The elements of a batch, unparsed. @throws Problem when the batch is to be refused whole. */
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
function parsed(json: Buffer): { status: 'PARSED'; element: unknown } | RefusedEvent {
  try {
    if (json.length > ELEMENT_BYTES_MAX) throw new Problem('TOO_LARGE', `It has more than ${ELEMENT_BYTES_MAX} bytes`)
    return { status: 'PARSED', element: parseJson(json) }
  } catch (error) {
    if (error instanceof Problem && error.code === 'TOO_LARGE') return refused('', error.message, 'TOO_LARGE')
    throw error
  }
}

/**
 * Judges the JSON of one element of a batch, whatever the others are.
 * @param fallbackCid gives the cid of a page view that names none.
 */
export function batchElement(json: Buffer, reception: Reception, rules: Rules, fallbackCid: () => string): JudgedEvent {
  const read = parsed(json)
  return read.status === 'REFUSED' ? read : judged(read.element, reception, rules, fallbackCid)
}

function judged(element: unknown, reception: Reception, rules: Rules, fallbackCid: () => string): JudgedEvent {
  const type = (element as { type?: unknown } | null)?.type
  switch (type) {
    case 'VIEW':
    case 'CLICK': {
      const read = readers[type](element)
      if (read.status === 'REFUSED') return read
      return withWarnings(adEventOf(type, read.value, reception, rules), read.warnings)
    }
    case 'PAGE_VIEW': {
      const read = readers[type](element)
      if (read.status === 'REFUSED') return read
      return withWarnings(pageViewOf(read.value, reception, rules, fallbackCid), read.warnings)
    }
    case 'TRANSACTION': {
      const read = readers[type](element)
      if (read.status === 'REFUSED') return read
      const { data, occurredAt: given } = read.value
      const buyer = personOf(data, reception, data.cid)
      const event = transaction({ ...data, occurredAt: data.occurredAt ?? given }, buyer, rules)
      return withWarnings(under('/data', event), read.warnings)
    }
    default:
      return element === null || typeof element !== 'object'
        ? refused('', 'must be object')
        : refused('/type', `must be one of ${Object.keys(readers).join(', ')}`)
  }
}

function adEventOf(
  type: 'VIEW' | 'CLICK',
  { showId, occurredAt: given }: Element<'VIEW' | 'CLICK'>,
  reception: Reception,
  rules: Rules,
): JudgedEvent {
  const happened = occurredAt(given, reception.receivedAt)
  if ('status' in happened) return happened
  const event = adEvent({ type, kind: null, showId, occurredAt: happened.at }, reception, rules)
  return withWarnings(event, happened.warnings)
}

function pageViewOf(
  { data, occurredAt: given }: Element<'PAGE_VIEW'>,
  reception: Reception,
  rules: Rules,
  fallbackCid: () => string,
): JudgedEvent {
  const happened = occurredAt(given, reception.receivedAt)
  if ('status' in happened) return happened
  const told = data.cid || reception.cid
  const person = { ...personOf(data, reception, told || fallbackCid()), assigned: !told }
  return withWarnings(under('/data', pageView(data, { ...person, occurredAt: happened.at }, rules)), happened.warnings)
}

/** In a batch, an element names its own person; the uid of the headers stands in for one of the same client. */
function personOf({ uid }: { uid?: string | null }, reception: Reception, cid: string) {
  const sameClient = cid === reception.cid
  const { receivedAt, sender } = reception
  return { cid, uid: uid || (sameClient ? reception.uid : null), receivedAt, sender }
}

function under(path: string, event: JudgedEvent): JudgedEvent {
  const below = (found: readonly FieldError[]) => found.map((each) => ({ ...each, path: path + each.path }))
  if (event.status === 'REFUSED') return { ...event, errors: below(event.errors) }
  return event.warnings.length > 0 ? { ...event, warnings: below(event.warnings) } : event
}

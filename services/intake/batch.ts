import type { Static } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { batchElements, EVENT_LIMITS } from '../../schemas/http/events.ts'
import { Problem } from '../domain/errors.ts'
import { listFieldErrors } from '../violations.ts'
import { ERRORS_TOLD_MAX } from './accept.ts'
import { adEvent } from './ad-event.ts'
import { type JudgedEvent, type Reception, type RefusedEvent, type Rules, refused } from './event.ts'
import { occurredAt } from './occurred-at.ts'
import { pageView } from './page-view.ts'
import { transaction } from './transaction.ts'

type ElementType = keyof typeof batchElements
type Element<K extends ElementType> = Static<(typeof batchElements)[K]>

const checkers: Record<ElementType, Pick<Validator, 'Check'>> = {
  VIEW: Compile(batchElements.VIEW),
  CLICK: Compile(batchElements.CLICK),
  PAGE_VIEW: Compile(batchElements.PAGE_VIEW),
  TRANSACTION: Compile(batchElements.TRANSACTION),
}

/** The elements of a batch, unread. @throws Problem when the batch is to be refused whole. */
export function eventsOf(body: unknown): unknown[] {
  const events = (body as { events?: unknown } | null)?.events
  const refuse = (code: 'INVALID' | 'TOO_LARGE', message: string) =>
    new Problem(code, `/events: ${message}`, { errors: [{ path: '/events', message }] })
  if (events === undefined) throw refuse('INVALID', 'is required')
  if (!Array.isArray(events)) throw refuse('INVALID', 'must be array')
  if (events.length === 0) throw refuse('INVALID', 'must not have fewer than 1 items')
  if (events.length > EVENT_LIMITS.batchMax) {
    throw refuse('TOO_LARGE', `must not have more than ${EVENT_LIMITS.batchMax} items`)
  }
  return events
}

/**
 * Judges one element of a batch, whatever the others are.
 * @param fallbackCid gives the cid of a page view or transaction that names none.
 */
export function batchElement(
  element: unknown,
  reception: Reception,
  rules: Rules,
  fallbackCid: () => string,
): JudgedEvent {
  const type = (element as { type?: unknown } | null)?.type
  switch (type) {
    case 'VIEW':
    case 'CLICK': {
      const wrong = shapeErrors(type, element)
      if (wrong) return wrong
      const { showId, occurredAt: given } = element as Element<'VIEW' | 'CLICK'>
      const at = occurredAt(given, reception.receivedAt)
      if (typeof at === 'string') return refused('/occurredAt', at)
      return adEvent({ type, kind: null, showId, occurredAt: at }, reception, rules)
    }
    case 'PAGE_VIEW': {
      const wrong = shapeErrors(type, element)
      if (wrong) return wrong
      const { data, occurredAt: given } = element as Element<'PAGE_VIEW'>
      const at = occurredAt(given, reception.receivedAt)
      if (typeof at === 'string') return refused('/occurredAt', at)
      const person = personOf(data, reception, fallbackCid)
      return under('/data', pageView(data, { ...person, occurredAt: at }, rules))
    }
    case 'TRANSACTION': {
      const wrong = shapeErrors(type, element)
      if (wrong) return wrong
      const { data, occurredAt: given } = element as Element<'TRANSACTION'>
      const person = personOf(data, reception, fallbackCid)
      return under('/data', transaction({ ...data, occurredAt: data.occurredAt ?? given }, person, rules))
    }
    default:
      return element === null || typeof element !== 'object'
        ? refused('', 'must be object')
        : refused('/type', `must be one of ${Object.keys(checkers).join(', ')}`)
  }
}

function shapeErrors(type: ElementType, element: unknown): RefusedEvent | null {
  if (checkers[type].Check(element)) return null
  const errors = listFieldErrors(batchElements[type], element, { max: ERRORS_TOLD_MAX })
  return { status: 'REFUSED', code: 'INVALID', errors }
}

/** In a batch, an element names its own person; the headers stand in for one that does not. */
function personOf(data: { cid?: string | null; uid?: string | null }, reception: Reception, fallbackCid: () => string) {
  const cid = data.cid || reception.cid || fallbackCid()
  const sameClient = cid === reception.cid
  return {
    cid,
    uid: data.uid || (sameClient ? reception.uid : null),
    receivedAt: reception.receivedAt,
    sender: reception.sender,
  }
}

function under(path: string, event: JudgedEvent): JudgedEvent {
  if (event.status === 'TAKEN') return event
  return { ...event, errors: event.errors.map((error) => ({ ...error, path: path + error.path })) }
}

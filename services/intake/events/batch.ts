import type { Static } from 'typebox'
import type { Slices } from '../../../infra/threads/slices.ts'
import { batchElements, EVENT_LIMITS } from '../../../schemas/http/events.ts'
import { ERRORS_IN_DETAIL_MAX, type FieldError, fieldProblem, Problem } from '../../domain/errors.ts'
import { parseJson } from '../../http/json.ts'
import { splitList } from '../../http/json-list.ts'
import type { RequestContext } from '../request-context.ts'
import { validateAdEvent } from './ad-event.ts'
import { createBodyReader } from './body-reader.ts'
import { readOccurredAt } from './occurred-at.ts'
import { validatePageView } from './page-view.ts'
import { substituteEventId, validateTransaction } from './transaction.ts'
import { type RejectedEvent, rejected, type ValidationDeps, type ValidationResult, withWarnings } from './validation.ts'

/** The same limit as for the body of a single event. */
const ELEMENT_BYTES_MAX = 1024 * 1024

type ElementType = keyof typeof batchElements
type Element<K extends ElementType> = Static<(typeof batchElements)[K]>

const readers = {
  VIEW: createBodyReader(batchElements.VIEW, { errorsMax: ERRORS_IN_DETAIL_MAX }),
  CLICK: createBodyReader(batchElements.CLICK, { errorsMax: ERRORS_IN_DETAIL_MAX }),
  PAGE_VIEW: createBodyReader(batchElements.PAGE_VIEW, { errorsMax: ERRORS_IN_DETAIL_MAX }),
  TRANSACTION: createBodyReader(batchElements.TRANSACTION, {
    errorsMax: ERRORS_IN_DETAIL_MAX,
    substitutes: { eventId: substituteEventId },
  }),
} satisfies Record<ElementType, unknown>

/** Splits the body of a batch into its elements, unparsed. @throws Problem when the whole batch is rejected. */
export async function splitBatch(body: Buffer | undefined, slices: Slices): Promise<readonly Buffer[]> {
  const refuse = (code: 'INVALID' | 'TOO_LARGE', message: string) => fieldProblem(code, [{ path: '/events', message }])
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

/**
 * Validates the elements of a batch, each independently of the others. Other requests get their turn in between.
 * @returns a result per element, and the cid that the answer names: that of the headers, else the one assigned to page views
 * without a cid, else that of the first accepted event, else a new one.
 * @throws Problem MALFORMED_JSON when an element is not JSON, because then the whole body is not JSON either.
 */
export async function validateBatch(
  elements: readonly Buffer[],
  context: RequestContext,
  deps: ValidationDeps,
  slices: Slices,
): Promise<{ results: ValidationResult[]; clientId: string }> {
  let assigned: string | null = null
  const assignCid = () => (assigned ??= deps.uuid())
  const results: ValidationResult[] = []
  for (const json of elements) {
    const parsed = parseElement(json)
    results.push(parsed.status === 'REJECTED' ? parsed : validateElement(parsed.element, context, deps, assignCid))
    if (slices.isOver()) await slices.next()
  }
  const firstCid = results.find((result) => result.status === 'ACCEPTED')?.cid
  return { results, clientId: context.cid ?? assigned ?? firstCid ?? assignCid() }
}

function parseElement(json: Buffer): { status: 'PARSED'; element: unknown } | RejectedEvent {
  try {
    if (json.length > ELEMENT_BYTES_MAX) throw new Problem('TOO_LARGE', `has more than ${ELEMENT_BYTES_MAX} bytes`)
    return { status: 'PARSED', element: parseJson(json) }
  } catch (error) {
    if (error instanceof Problem && error.code === 'TOO_LARGE') return rejected('', error.message, 'TOO_LARGE')
    throw error
  }
}

/** @param assignCid returns the cid for a page view without one. */
function validateElement(
  element: unknown,
  context: RequestContext,
  deps: ValidationDeps,
  assignCid: () => string,
): ValidationResult {
  const type = (element as { type?: unknown } | null)?.type
  switch (type) {
    case 'VIEW':
    case 'CLICK': {
      const read = readers[type](element)
      if (read.status === 'REJECTED') return read
      return withWarnings(adEventOf(type, read.value, context, deps), read.warnings)
    }
    case 'PAGE_VIEW': {
      const read = readers[type](element)
      if (read.status === 'REJECTED') return read
      return withWarnings(pageViewOf(read.value, context, deps, assignCid), read.warnings)
    }
    case 'TRANSACTION': {
      const read = readers[type](element)
      if (read.status === 'REJECTED') return read
      return withWarnings(transactionOf(read.value, context, deps), read.warnings)
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
  deps: ValidationDeps,
): ValidationResult {
  const happened = readOccurredAt(given, context.receivedAt)
  if ('status' in happened) return happened
  const result = validateAdEvent({ type, kind: null, showId, occurredAt: happened.at }, context, deps)
  return withWarnings(result, happened.warnings)
}

function pageViewOf(
  { data, occurredAt: given }: Element<'PAGE_VIEW'>,
  context: RequestContext,
  deps: ValidationDeps,
  assignCid: () => string,
): ValidationResult {
  const happened = readOccurredAt(given, context.receivedAt)
  if ('status' in happened) return happened
  const givenCid = data.cid || context.cid
  const person = personOf(data, context, givenCid || assignCid())
  const result = validatePageView(data, { ...person, assigned: !givenCid, occurredAt: happened.at }, deps)
  return withWarnings(inData(result), happened.warnings)
}

function transactionOf(
  { data, occurredAt: given }: Element<'TRANSACTION'>,
  context: RequestContext,
  deps: ValidationDeps,
): ValidationResult {
  const own = data.occurredAt ?? null
  const happened = readOccurredAt(own ?? given, context.receivedAt)
  if ('status' in happened) return own === null ? happened : inData(happened)
  const result = validateTransaction(data, { ...personOf(data, context, data.cid), occurredAt: happened.at }, deps)
  return own === null
    ? withWarnings(inData(result), happened.warnings)
    : inData(withWarnings(result, happened.warnings))
}

/** An element names its own person. The uid of the headers applies to elements with the cid of the headers. */
function personOf(
  { uid }: { uid?: string | null },
  { cid: headerCid, uid: headerUid, ...context }: RequestContext,
  cid: string,
) {
  const { receivedAt, sender } = context
  return { cid, uid: uid || (cid === headerCid ? headerUid : null), receivedAt, sender }
}

/** Prefixes the paths of errors and warnings: the validated fields are in the element's `data`. */
function inData(result: ValidationResult): ValidationResult {
  const moved = (found: readonly FieldError[]) => found.map((each) => ({ ...each, path: `/data${each.path}` }))
  if (result.status === 'REJECTED') return { ...result, errors: moved(result.errors) }
  return result.warnings.length > 0 ? { ...result, warnings: moved(result.warnings) } : result
}

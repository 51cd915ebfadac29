import type { FastifyRequest } from 'fastify'
import type { Appender, NewRecord } from '../../infra/event-log/port.ts'
import type { RequestMetrics } from '../../infra/metrics/requests.ts'
import type { EventAnswer } from '../../schemas/http/events.ts'
import type { ReportedTopic } from '../../schemas/topics.ts'
import type { RequestLimits } from '../callers/request-limits.ts'
import { detailOf, ERRORS_IN_DETAIL_MAX, type FieldError } from '../domain/errors.ts'
import { createDuplicateFilter } from './events/duplicate-filter.ts'
import type { AcceptedEvent, RejectedEvent, ValidationResult } from './events/validation.ts'
import type { RequestContext } from './request-context.ts'

/** An append is sent once its values have this many bytes. Encoding this much takes a few milliseconds. */
const APPEND_BYTES = 1024 * 1024

/** How many warnings an answer lists. */
const WARNINGS_LISTED_MAX = 1_000

export interface AcceptDeps {
  /** The event log, or the spool that stands in for it. */
  log: Appender
  limits: Pick<RequestLimits, 'admitEvents'>
  metrics: Pick<RequestMetrics, 'eventsTaken' | 'repeatsLeftOut'>
}

/** A request whose events have been validated. */
export interface ValidatedRequest {
  request: FastifyRequest
  context: RequestContext
  /** In the order of the events. */
  results: readonly ValidationResult[]
  /** True when the events are elements of a batch: messages then name the element. */
  isBatch: boolean
  /** The cid that the answer names. */
  clientId: string
}

/**
 * Handles a request whose events are validated: leaves out duplicates, applies the rate limits, stores what is left, and
 * answers once it is durable. Invalid elements of a batch are reported in the answer and do not stop the others. Next, the
 * judge reads views and clicks (`streams/judge/judge.ts`) and the sink the rest (`streams/sink/sink.ts`).
 */
export function createAccept({ log, limits, metrics }: AcceptDeps) {
  const duplicateFilter = createDuplicateFilter()

  /**
   * @throws Problem RATE_LIMITED; nothing of the request is stored.
   * @throws LogUnavailable; any part of the request may be stored, and the caller repeats it.
   */
  return async function accept(validated: ValidatedRequest): Promise<EventAnswer> {
    const { request, context, results } = validated
    const accepted = results.filter((result) => result.status === 'ACCEPTED')
    const { toStore, duplicates } = duplicateFilter.sift(accepted)
    limits.admitEvents(request, {
      sent: results.length,
      stored: toStore.map(({ shopId, record }) => ({ shopId, bytes: record.value?.length ?? 0 })),
      isProven: context.sender.proof !== 'ANONYMOUS',
    })
    await store(log, toStore)
    duplicateFilter.remember(toStore)
    count(metrics, results, accepted.length - toStore.length)
    return answer(validated, accepted, duplicates)
  }
}

async function store(log: Appender, events: readonly AcceptedEvent[]): Promise<void> {
  let records: NewRecord[] = []
  let bytes = 0
  for (const { record } of events) {
    records.push(record)
    bytes += record.value?.length ?? 0
    if (bytes < APPEND_BYTES) continue
    await log.append(records)
    records = []
    bytes = 0
  }
  if (records.length > 0) await log.append(records)
}

function count(metrics: AcceptDeps['metrics'], results: readonly ValidationResult[], notStored: number): void {
  metrics.repeatsLeftOut(notStored)
  const accepted = new Map<ReportedTopic, number>()
  const rejected = new Map<RejectedEvent['code'], number>()
  for (const result of results) {
    if (result.status === 'ACCEPTED') increment(accepted, result.record.topic)
    else increment(rejected, result.code)
  }
  for (const [type, count] of accepted) metrics.eventsTaken({ type, code: null, count })
  for (const [code, count] of rejected) metrics.eventsTaken({ type: 'element', code, count })
}

function increment<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function answer(
  { context, results, isBatch, clientId }: ValidatedRequest,
  accepted: readonly AcceptedEvent[],
  duplicates: number,
): EventAnswer {
  const warnings: Warning[] = [
    ...context.warnings,
    ...results.flatMap((result, index) => warningsOf(result, isBatch ? index : null)),
  ]
  return {
    clientId,
    accepted: accepted.length,
    ...(duplicates > 0 ? { duplicates } : {}),
    rejected: results.flatMap((result, index) => (result.status === 'REJECTED' ? [rejection(result, index)] : [])),
    ...(warnings.length > 0 ? { warnings: warnings.slice(0, WARNINGS_LISTED_MAX) } : {}),
  }
}

function rejection({ code, errors }: RejectedEvent, index: number): EventAnswer['rejected'][number] {
  return { index, code, message: detailOf(errors.map((error) => inBatch(error, index))) }
}

type Warning = NonNullable<EventAnswer['warnings']>[number]

/** @param index the place in the batch; null for a single event. */
function warningsOf(result: ValidationResult, index: number | null): Warning[] {
  if (result.status === 'REJECTED') return []
  const warnings = result.warnings.slice(0, ERRORS_IN_DETAIL_MAX)
  return index === null ? warnings : warnings.map((warning) => ({ index, ...inBatch(warning, index) }))
}

/** States the path of an error within the batch. */
function inBatch({ path, message }: FieldError, index: number): FieldError {
  return { path: `/events/${index}${path}`, message }
}

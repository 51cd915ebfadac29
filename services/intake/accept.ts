import type { Appender, NewRecord } from '../../infra/event-log/port.ts'
import type { Metrics } from '../../infra/metrics.ts'
import type { EventAnswer } from '../../schemas/http/events.ts'
import type { FieldError } from '../domain/errors.ts'
import type { DuplicateFilter } from './duplicate-filter.ts'
import { type AcceptedEvent, ERRORS_TOLD_MAX, type ValidationResult } from './events/validation.ts'

/** Stores records; resolves once they are durable. @throws LogUnavailable when none may be taken now. */
export type Store = (records: readonly NewRecord[]) => Promise<void>

/** Of one append: to pack so much takes a few milliseconds. */
const APPEND_BYTES = 1024 * 1024

/** Warnings of one request that its answer lists. */
const WARNINGS_TOLD_MAX = 1_000

/** In the log, or in the spool that stands in for it. */
export function storeInLog({ log }: { log: Appender }): Store {
  return async (records) => {
    for (const some of upToBytes(records, APPEND_BYTES)) await log.append(some)
  }
}

/** Cuts a list of records where they have so many bytes together. */
function* upToBytes(records: readonly NewRecord[], bytesMax: number): Generator<readonly NewRecord[]> {
  let start = 0
  let bytes = 0
  for (const [i, { value }] of records.entries()) {
    bytes += value?.length ?? 0
    if (bytes < bytesMax) continue
    yield records.slice(start, i + 1)
    start = i + 1
    bytes = 0
  }
  if (start < records.length) yield records.slice(start)
}

export interface AcceptDeps {
  store: Store
  repeats: DuplicateFilter
  /** Counts what is about to be stored. @throws Problem RATE_LIMITED: nothing of the request is taken. */
  admit: (stored: readonly AcceptedEvent[]) => void
  clientId: (taken: readonly AcceptedEvent[]) => string
  /** What of the request's headers was left out. */
  warnings: readonly FieldError[]
  /** The events are elements of a batch: what is said of one names its place. */
  isBatch: boolean
  metrics: Pick<Metrics, 'eventsTaken' | 'repeatsLeftOut'>
}

/**
 * Takes what can be taken of a request's events and says so once it is durable.
 * @param clientId the cid that the answer names; asked for only after the events were judged.
 */
export async function accept(
  events: readonly ValidationResult[],
  { store, repeats, admit, clientId, warnings, isBatch, metrics }: AcceptDeps,
): Promise<EventAnswer> {
  const { eventsTaken, repeatsLeftOut } = metrics
  const taken = events.filter((event) => event.status === 'ACCEPTED')
  const { unstored, repeated } = repeats.sift(taken)
  admit(unstored)
  if (unstored.length > 0) await store(unstored.map((event) => event.record))
  repeats.stored(unstored)
  repeatsLeftOut(taken.length - unstored.length)

  for (const [type, count] of countedBy(taken, ({ record }) => record.topic)) eventsTaken({ type, code: null, count })
  const refused = events.filter((event) => event.status === 'REJECTED')
  for (const [code, count] of countedBy(refused, (event) => event.code)) eventsTaken({ type: 'element', code, count })

  const identities = new Set<string>()
  const duplicates = taken.filter((event) => {
    const isNew = !identities.has(event.identity) && !repeated.has(event)
    identities.add(event.identity)
    return !isNew
  }).length
  return {
    clientId: clientId(taken),
    accepted: taken.length,
    ...(duplicates > 0 ? { duplicates } : {}),
    rejected: events.flatMap((event, index) => (event.status === 'ACCEPTED' ? [] : [rejection(event, index)])),
    ...told([...warnings, ...events.flatMap((event, index) => warningsOf(event, isBatch ? index : null))]),
  }
}

function rejection({ code, errors }: Extract<ValidationResult, { status: 'REJECTED' }>, index: number) {
  const told = errors.slice(0, ERRORS_TOLD_MAX).map(({ path, message }) => `/events/${index}${path}: ${message}`)
  return { index, code, message: told.join('; ') }
}

type Warning = NonNullable<EventAnswer['warnings']>[number]

function warningsOf(event: ValidationResult, index: number | null): Warning[] {
  if (event.status === 'REJECTED') return []
  const warnings = event.warnings.slice(0, ERRORS_TOLD_MAX)
  if (index === null) return warnings
  return warnings.map(({ path, message }) => ({ index, path: `/events/${index}${path}`, message }))
}

const told = (warnings: Warning[]): Pick<EventAnswer, 'warnings'> =>
  warnings.length > 0 ? { warnings: warnings.slice(0, WARNINGS_TOLD_MAX) } : {}

function countedBy<T>(values: readonly T[], label: (value: T) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(label(value), (counts.get(label(value)) ?? 0) + 1)
  return counts
}

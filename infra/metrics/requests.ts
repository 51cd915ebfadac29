import { Counter, Gauge, Histogram, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client'
import { type AdKind, adKinds, type Shortfall, shortfalls } from '../../schemas/records/events.ts'
import { type ReportedTopic, reportedTopics } from '../../schemas/topics.ts'
import { errorCodes, type RejectionCode, rejectionCodes } from '../../services/domain/errors.ts'
import { type RateLimit, rateLimits } from '../../services/domain/limits.ts'

/** Counts what happens to requests. Label values are closed sets (routes, codes), never ids or input. */
export interface RequestMetrics {
  /** A route that requests may be served by, before the first is. */
  routeAdded(route: { method: string; route: string }): void
  /** `route` is the pattern (`/v1/slots/technical/:publisherSlotId`), not the address asked for. */
  requestServed(request: { method: string; route: string; status: number; durationMs: number }): void
  /** One ad request; `shortfalls` has the reason of each slot that was not filled. */
  adsSelected(selection: { kind: AdKind; durationMs: number; shortfalls: readonly Shortfall[] }): void
  /** Emissions that were answered and could not be kept for the log. */
  emissionsLost(count: number): void
  /** Events accepted, by topic, or refused (`code` says why). */
  eventsTaken(events: EventsTaken): void
  /** Repeats of stored events, acknowledged without being stored again. */
  repeatsLeftOut(count: number): void
  /** A request that was answered 429 because of one of the limits per minute. */
  requestLimited(limit: RateLimit): void
}

type EventsTaken =
  | { type: ReportedTopic; code: null; count: number }
  | { type: 'element'; code: RejectionCode; count: number }

export interface CountedRequests extends RequestMetrics {
  /** All metrics with their present values. */
  values(): Promise<MetricValues>
}

/** What waits in the memory and on the disk of a part of the program that serves requests. Read when Prometheus asks. */
export interface WaitingValues {
  /** Emissions that wait to be written to the log. */
  emissionQueue(): number
  /** Events on disk that wait until the log takes them. */
  spool(): { records: number; bytes: number }
}

/** The values of all metrics at a moment, as they can be sent to another thread. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[]

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const SELECTION_SECONDS = [0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2]
const MS_PER_SECOND = 1000
const SERVER_ERROR = 500
const failureStatuses = new Set(
  Object.values(errorCodes).flatMap(({ status }) => (status >= SERVER_ERROR ? [status] : [])),
)

/** Metrics of one thread's requests. Those of several threads add up. @param waiting null when nothing can wait in this thread. */
export function createRequestMetrics(waiting: WaitingValues | null): CountedRequests {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Histogram({
    name: 'endcap_http_request_duration_seconds',
    help: 'HTTP requests by route and status.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: REQUEST_SECONDS,
    registers,
  })
  // The histogram has too many series per route and status for all of them to begin at zero.
  const failures = new Counter({
    name: 'endcap_http_failures_total',
    help: 'HTTP requests answered with a status of 5xx, by route and status.',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  })
  const selections = new Histogram({
    name: 'endcap_selection_duration_seconds',
    help: 'Time to choose the ads of one request.',
    labelNames: ['kind'] as const,
    buckets: SELECTION_SECONDS,
    registers,
  })
  const unfilled = new Counter({
    name: 'endcap_selection_shortfalls_total',
    help: 'Slots that were not filled, by reason.',
    labelNames: ['kind', 'reason'] as const,
    registers,
  })
  const lost = new Counter({
    name: 'endcap_emissions_lost_total',
    help: 'Emissions that were answered and could not be written to the log.',
    registers,
  })
  const accepted = new Counter({
    name: 'endcap_events_accepted_total',
    help: 'Feedback events acknowledged as durable.',
    labelNames: ['type'] as const,
    registers,
  })
  const rejected = new Counter({
    name: 'endcap_events_rejected_total',
    help: 'Feedback events refused, by error code.',
    labelNames: ['type', 'code'] as const,
    registers,
  })
  const leftOut = new Counter({
    name: 'endcap_event_repeats_left_out_total',
    help: 'Repeats of stored feedback events, acknowledged and not stored again.',
    registers,
  })
  const limited = new Counter({
    name: 'endcap_requests_limited_total',
    help: 'Requests answered 429, by limit.',
    labelNames: ['limit'] as const,
    registers,
  })
  // Each series begins at zero: Prometheus sees no increase in one that begins with its first failure.
  for (const kind of adKinds) for (const reason of shortfalls) unfilled.inc({ kind, reason }, 0)
  for (const type of reportedTopics) accepted.inc({ type }, 0)
  for (const code of rejectionCodes) rejected.inc({ type: 'element', code }, 0)
  for (const limit of rateLimits) limited.inc({ limit }, 0)
  if (waiting) waitingGauges(waiting, registers)
  return {
    routeAdded({ method, route }) {
      for (const status of failureStatuses) failures.inc({ method, route, status }, 0)
    },
    requestServed({ method, route, status, durationMs }) {
      requests.observe({ method, route, status }, durationMs / MS_PER_SECOND)
      if (status >= SERVER_ERROR) failures.inc({ method, route, status })
    },
    adsSelected({ kind, durationMs, shortfalls }) {
      selections.observe({ kind }, durationMs / MS_PER_SECOND)
      for (const reason of shortfalls) unfilled.inc({ kind, reason })
    },
    emissionsLost(count) {
      lost.inc(count)
    },
    eventsTaken({ type, code, count }) {
      if (code === null) accepted.inc({ type }, count)
      else rejected.inc({ type, code }, count)
    },
    repeatsLeftOut(count) {
      leftOut.inc(count)
    },
    requestLimited(limit) {
      limited.inc({ limit })
    },
    values: () => registry.getMetricsAsJSON(),
  }
}

function waitingGauges(waiting: WaitingValues, registers: Registry[]): void {
  new Gauge({
    name: 'endcap_emission_queue_records',
    help: 'Emissions that wait to be written to the log.',
    registers,
    collect() {
      this.set(waiting.emissionQueue())
    },
  })
  new Gauge({
    name: 'endcap_spool_records',
    help: 'Events on the disk of this process that wait until the log takes them.',
    registers,
    collect() {
      this.set(waiting.spool().records)
    },
  })
  new Gauge({
    name: 'endcap_spool_bytes',
    help: 'Room that they take.',
    registers,
    collect() {
      this.set(waiting.spool().bytes)
    },
  })
}

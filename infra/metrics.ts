import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** How often the delay of the event loop is looked at. By default, that alone would wake an idle process 100 times a second. */
const LOOP_SAMPLED_EVERY_MS = 100

/** Where a process serves its metrics. */
export interface MetricsAddress {
  readonly host: string
  readonly port: number
  /** Whether any free port will do when this one is in use. */
  readonly orAnyFree: boolean
}

/** What an operator watches. Label values are closed sets (routes, codes, topics), never ids or input. */
export interface Metrics {
  /** `route` is the pattern (`/v1/slots/technical/:publisherSlotId`), not the address asked for. */
  requestServed(request: { method: string; route: string; status: number; durationMs: number }): void
  /** One ad request; `shortfalls` has the reason of each slot that was not filled. */
  adsSelected(selection: { kind: 'SPONSORED' | 'DISPLAY'; durationMs: number; shortfalls: readonly string[] }): void
  /** Emissions that were answered and could not be kept for the log. */
  emissionsLost(count: number): void
  /** Events accepted (`code` null) or refused (`code` says why). */
  eventsTaken(events: { type: string; code: string | null; count: number }): void
  /** Repeats of stored events, acknowledged without being stored again. */
  repeatsLeftOut(count: number): void
  /** A request that was answered 429 by one of the limits of a minute. */
  requestLimited(limit: string): void
  /** The Prometheus text format, sampled now. */
  render(): Promise<{ contentType: string; body: string }>
}

/** How many partitions of a topic a stream has paused. */
export interface PausedPartitions {
  stream: string
  topic: string
  partitions: number
}

/** How far this process is behind in one partition of a topic, or in work that reads no topic. */
export interface StreamLag {
  stream: string
  /** Null: `records` are not known, only the age. */
  topic: string | null
  /** At most. */
  records: number
  ageMs: number
}

/** Values that are read when Prometheus asks. One that fails is left out of the answer. */
export interface SampledValues {
  /** One for each partition that a stream of this process works, and for other work that it does. */
  streamLags(): Promise<StreamLag[]>
  /** Partitions that wait for a newer version of the program. */
  pausedPartitions(): Promise<PausedPartitions[]>
  deadLetters(): Promise<number>
  /** Emissions that wait to be written to the log. */
  emissionQueue(): number
  /** Events on the disk that wait until the log takes them. */
  spool(): { records: number; bytes: number }
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const SELECTION_SECONDS = [0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2]
const MS_PER_SECOND = 1000

/** Metrics of this process, in a registry of their own. `sampled` null: a process without streams and selection. */
export function createMetrics(sampled: SampledValues | null): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_SAMPLED_EVERY_MS })
  const registers = [registry]
  const requests = new Histogram({
    name: 'endcap_http_request_duration_seconds',
    help: 'HTTP requests by route and status.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: REQUEST_SECONDS,
    registers,
  })
  const selections = new Histogram({
    name: 'endcap_selection_duration_seconds',
    help: 'Time to choose the ads of one request.',
    labelNames: ['kind'] as const,
    buckets: SELECTION_SECONDS,
    registers,
  })
  const shortfalls = new Counter({
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
  if (sampled) {
    sampleGauges(sampled, registers)
    spoolGauges(sampled, registers)
  }
  return {
    requestServed({ method, route, status, durationMs }) {
      requests.observe({ method, route, status }, durationMs / MS_PER_SECOND)
    },
    adsSelected({ kind, durationMs, shortfalls: reasons }) {
      selections.observe({ kind }, durationMs / MS_PER_SECOND)
      for (const reason of reasons) shortfalls.inc({ kind, reason })
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
    async render() {
      return { contentType: registry.contentType, body: await registry.metrics() }
    },
  }
}

function sampleGauges(sampled: SampledValues, registers: Registry[]): void {
  lagGauges(sampled, registers)
  new Gauge({
    name: 'endcap_stream_paused_partitions',
    help: 'Partitions of a topic that a stream, or a copy in memory, leaves alone until a newer version takes them.',
    labelNames: ['stream', 'topic'] as const,
    registers,
    async collect() {
      this.reset()
      for (const { stream, topic, partitions } of await orNothing(() => sampled.pausedPartitions(), [])) {
        this.inc({ stream, topic }, partitions)
      }
    },
  })
  new Gauge({
    name: 'endcap_dead_letters',
    help: 'Records that a stream could not process, held for replay.',
    registers,
    async collect() {
      this.set(await orNothing(() => sampled.deadLetters(), Number.NaN))
    },
  })
  new Gauge({
    name: 'endcap_emission_queue_records',
    help: 'Emissions that wait to be written to the log.',
    registers,
    collect() {
      this.set(sampled.emissionQueue())
    },
  })
}

/** Each has one entry per partition. */
function lagGauges(sampled: SampledValues, registers: Registry[]): void {
  const lags = () => orNothing(() => sampled.streamLags(), [])
  new Gauge({
    name: 'endcap_stream_lag_records',
    help: 'Records of a topic that a stream has still to process, at most, in the partitions of this process.',
    labelNames: ['stream', 'topic'] as const,
    registers,
    async collect() {
      this.reset()
      for (const { stream, topic, records } of await lags()) if (topic !== null) this.inc({ stream, topic }, records)
    },
  })
  new Gauge({
    name: 'endcap_stream_lag_seconds',
    help: 'Age of the oldest that a stream has still to process, in the partitions of this process.',
    labelNames: ['stream'] as const,
    registers,
    async collect() {
      this.reset()
      for (const [stream, of] of Map.groupBy(await lags(), (lag) => lag.stream)) {
        this.set({ stream }, Math.max(...of.map(({ ageMs }) => ageMs)) / MS_PER_SECOND)
      }
    },
  })
  new Gauge({
    name: 'endcap_stream_partitions',
    help: 'Partitions of a topic that this process works for a stream.',
    labelNames: ['stream', 'topic'] as const,
    registers,
    async collect() {
      this.reset()
      for (const { stream, topic } of await lags()) if (topic !== null) this.inc({ stream, topic })
    },
  })
}

function spoolGauges(sampled: SampledValues, registers: Registry[]): void {
  new Gauge({
    name: 'endcap_spool_records',
    help: 'Events on the disk of this process that wait until the log takes them.',
    registers,
    collect() {
      this.set(sampled.spool().records)
    },
  })
  new Gauge({
    name: 'endcap_spool_bytes',
    help: 'Room that they take.',
    registers,
    collect() {
      this.set(sampled.spool().bytes)
    },
  })
}

/** An engine that is down must not hide the other metrics. */
async function orNothing<T>(read: () => Promise<T>, nothing: T): Promise<T> {
  try {
    return await read()
  } catch {
    return nothing
  }
}

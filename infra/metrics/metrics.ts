import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { MetricValues, WaitingValues } from './requests.ts'

/** How often the delay of the event loop is sampled. The default would wake an idle process 100 times a second for that alone. */
const LOOP_SAMPLED_EVERY_MS = 100

/** Where a process serves its metrics. */
export interface MetricsAddress {
  readonly host: string
  readonly port: number
  /** Whether any free port will do when this one is in use. */
  readonly orAnyFree: boolean
}

/** What an operator watches. */
export interface Metrics {
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
  /** Null for work that reads no topic; then only the age is known, and not `records`. */
  topic: string | null
  /** Records that are not processed yet, at most. */
  records: number
  ageMs: number
  /** How long ago this was read; 0 when it was read for this answer. */
  staleMs: number
}

/** Values that are read when Prometheus asks. One that fails is left out of the answer. */
export interface SampledValues extends WaitingValues {
  /** One for each partition that a stream of this process owns, and for each other work that it does. */
  streamLags(): Promise<StreamLag[]>
  /** Partitions that wait for a newer version of the program. */
  pausedPartitions(): Promise<PausedPartitions[]>
  deadLetters(): Promise<number>
}

const MS_PER_SECOND = 1000

/**
 * Metrics of this process: its own, the sampled values, and the request metrics of its threads, added up.
 * @param sampled null for a process without streams and selection. @param counted the request metrics of each thread.
 */
export function createMetrics(sampled: SampledValues | null, counted: () => Promise<readonly MetricValues[]>): Metrics {
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: LOOP_SAMPLED_EVERY_MS })
  if (sampled) sampleGauges(sampled, [ofProcess])
  return {
    async render() {
      const ofRequests = AggregatorRegistry.aggregate((await counted()).map((each) => [...each]))
      return { contentType: ofProcess.contentType, body: `${await ofProcess.metrics()}${await ofRequests.metrics()}` }
    },
  }
}

/** A gauge is emptied and filled in one step, after its values were read: several may ask at once, and would add up otherwise. */
function sampleGauges(sampled: SampledValues, registers: Registry[]): void {
  lagGauges(sampled, registers)
  new Gauge({
    name: 'endcap_stream_paused_partitions',
    help: 'Partitions of a topic that a stream, or a copy in memory, leaves alone until a newer version takes them.',
    labelNames: ['stream', 'topic'] as const,
    registers,
    async collect() {
      const paused = await orNothing(() => sampled.pausedPartitions(), [])
      this.reset()
      for (const { stream, topic, partitions } of paused) this.inc({ stream, topic }, partitions)
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
}

/** Gauges over the lags, which have one entry per partition. */
function lagGauges(sampled: SampledValues, registers: Registry[]): void {
  const lags = () => orNothing(() => sampled.streamLags(), [])
  new Gauge({
    name: 'endcap_stream_lag_records',
    help: 'Records of a topic that a stream has still to process, at most, in the partitions of this process.',
    labelNames: ['stream', 'topic'] as const,
    registers,
    async collect() {
      const all = await lags()
      this.reset()
      for (const { stream, topic, records } of all) if (topic !== null) this.inc({ stream, topic }, records)
    },
  })
  new Gauge({
    name: 'endcap_stream_lag_seconds',
    help: 'Age of the oldest that a stream has still to process, in the partitions of this process.',
    labelNames: ['stream'] as const,
    registers,
    async collect() {
      const all = await lags()
      this.reset()
      for (const [stream, of] of Map.groupBy(all, (lag) => lag.stream)) {
        this.set({ stream }, Math.max(...of.map(({ ageMs }) => ageMs)) / MS_PER_SECOND)
      }
    },
  })
  new Gauge({
    name: 'endcap_stream_lag_stale_seconds',
    help: 'How long ago the lag of a stream was read, while it cannot be read now; else 0.',
    labelNames: ['stream'] as const,
    registers,
    async collect() {
      const all = await lags()
      this.reset()
      for (const { stream, staleMs } of all) this.set({ stream }, staleMs / MS_PER_SECOND)
    },
  })
  new Gauge({
    name: 'endcap_stream_partitions',
    help: 'Partitions of a topic that this process works for a stream.',
    labelNames: ['stream', 'topic'] as const,
    registers,
    async collect() {
      const all = await lags()
      this.reset()
      for (const { stream, topic } of all) if (topic !== null) this.inc({ stream, topic })
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

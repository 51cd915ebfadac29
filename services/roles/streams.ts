import type { Config } from '../../infra/config.ts'
import { isEmbedded } from '../../infra/engine-config.ts'
import { type EngineHost, portsIn } from '../../infra/engines.ts'
import type { PausedPartitions } from '../../infra/metrics/metrics.ts'
import { connect } from '../../infra/threads/calls.ts'
import { MANY_NEW_OBJECTS, startWorker } from '../../infra/threads/worker.ts'
import type { RunningStreams } from '../../streams/start.ts'
import { NotReady } from '../api/health.ts'
import { engineChecks } from './engine-checks.ts'
import type { Part, SharedOfMain } from './part.ts'
import type { StreamsWorkerData } from './threads/streams.worker.ts'

/** Runs the streams that project the log, in a thread of their own. */
export async function openStreams(shared: SharedOfMain): Promise<Part> {
  const { host, config, sampled, stops } = shared
  const { log, analytics } = engineChecks(shared)
  const streams = await startStreamsThread(host, config)
  stops.push(() => streams.stop())
  sampled.streamLags = streams.lags
  if (isEmbedded(config.engines)) shared.reads.before = streams.beforeRead
  const others = sampled.pausedPartitions
  sampled.pausedPartitions = async () => [...(await others()), ...(await streams.pausedPartitions())]
  return {
    routes: [],
    checks: { log, streams: streams.working, analytics },
    failures: [streams.failed],
  }
}

interface StreamsThread {
  lags(): ReturnType<RunningStreams['lags']>
  beforeRead: RunningStreams['beforeRead']
  /** @throws Error that names the failed streams and why; NotReady when streams only wait for a newer version. */
  working(): Promise<void>
  /** How many partitions of a topic each stream has paused, because they need a newer version. */
  pausedPartitions(): Promise<PausedPartitions[]>
  readonly failed: Promise<Error>
  stop(): Promise<void>
}

async function startStreamsThread(host: EngineHost, config: Config): Promise<StreamsThread> {
  const { signalsIntervalMs, logLevel } = config
  const links = host.links()
  const signalsLinks = host.links()
  const isAlone = isEmbedded(config.engines)
  const data: StreamsWorkerData = { links, signalsLinks, signalsIntervalMs, isAlone, logLevel }
  const ports = [...portsIn(links), ...portsIn(signalsLinks)]
  const file = new URL('./threads/streams.worker.ts', import.meta.url)
  const thread = await startWorker('streams', file, data, ports, MANY_NEW_OBJECTS)
  const remote = connect(thread.connect(), {}, () => new Error('The streams have ended'))
  const statesOf = () => remote.call<ReturnType<RunningStreams['states']>>('states', [])
  return {
    lags: () => remote.call('lags', []),
    beforeRead: () => remote.call('beforeRead', []),
    async working() {
      const states = await statesOf()
      const broken = states.filter(({ status }) => status !== 'RUNNING')
      if (broken.length > 0) {
        throw new Error(
          broken.map(({ name, status, lastError }) => `${name}: ${lastError?.message ?? status}`).join('; '),
        )
      }
      const paused = states.flatMap(({ name, paused }) => paused.map((each) => ({ name, ...each })))
      if (paused.length === 0) return
      throw new NotReady(
        paused.map(({ name, topic, partition, reason }) => `${name}, ${topic}/${partition}: ${reason}`).join('; '),
      )
    },
    async pausedPartitions() {
      return (await statesOf()).flatMap(({ name: stream, paused }) =>
        [...Map.groupBy(paused, ({ topic }) => topic)].map(([topic, of]) => ({
          stream,
          topic,
          partitions: of.length,
        })),
      )
    },
    failed: thread.failed,
    async stop() {
      remote.close()
      await thread.stop()
    },
  }
}

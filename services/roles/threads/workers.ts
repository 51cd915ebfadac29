import type { AddressInfo } from 'node:net'
import type { Config } from '../../../infra/config.ts'
import { type EngineHost, portsIn } from '../../../infra/engines.ts'
import type { MetricValues } from '../../../infra/metrics/requests.ts'
import type { EmbeddedBuckets } from '../../../infra/rate-limits/embedded/rate-limits.ts'
import { connect } from '../../../infra/threads/calls.ts'
import { MANY_NEW_OBJECTS, startWorker } from '../../../infra/threads/worker.ts'
import type { ServerKey } from '../../domain/identity/server-keys.ts'
import { openGate } from '../../http/forwarding/gate.ts'
import type { HttpServer } from '../../http/server.ts'
import type { SpoolRoom } from '../../intake/spool/room.ts'
import { workerNames } from '../part.ts'
import type { HttpWorkerData } from './http.worker.ts'

/** Threads that serve HTTP next to the main thread. */
export interface Workers {
  /** The metrics that each thread has counted. */
  metrics(): Promise<readonly MetricValues[]>
  /** Resolves when one of them has died. */
  readonly failed: Promise<Error>
  /** Resolves once they have finished the requests in progress. */
  stop(): Promise<void>
}

export interface WorkersOptions {
  config: Config
  host: Pick<EngineHost, 'links'>
  showIdKeys: readonly ServerKey[]
  buckets: Pick<EmbeddedBuckets, 'link'>
  spoolRoom: Pick<SpoolRoom, 'shared'>
  /** The main thread's server. It already listens, and answers what the other threads do not. */
  server: HttpServer
}

/** Starts the threads, and resolves once all of them answer requests. */
export async function startWorkers({ config, host, server, ...options }: WorkersOptions): Promise<Workers> {
  const gate = await openGate(server.server)
  const { port } = server.server.address() as AddressInfo
  const { showIdKeys: _, sessionKeys: __, ...kept } = config

  async function start(name: string) {
    const [links, buckets] = [host.links(), options.buckets.link()]
    const { showIdKeys, spoolRoom } = options
    const data: HttpWorkerData = {
      name,
      links,
      config: kept,
      showIdKeys,
      buckets,
      spoolRoom: spoolRoom.shared,
      port,
      gatePath: gate.path,
    }
    const file = new URL('./http.worker.ts', import.meta.url)
    const thread = await startWorker(name, file, data, [...portsIn(links), buckets], MANY_NEW_OBJECTS)
    return { thread, remote: connect(thread.connect(), {}, () => new Error(`${name} has ended`)) }
  }

  const started = await Promise.allSettled(workerNames(config).map(start))
  const running = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const stop = async () => {
    await Promise.all(
      running.map(({ thread, remote }) => {
        remote.close()
        return thread.stop()
      }),
    )
    await gate.close()
  }
  const failure = started.find((each) => each.status === 'rejected')
  if (failure) {
    await stop()
    throw failure.reason
  }
  return {
    metrics: () => Promise.all(running.map(({ remote }) => remote.call<MetricValues>('values', []))),
    failed: Promise.race(running.map(({ thread }) => thread.failed)),
    stop,
  }
}

import { parentPort, workerData } from 'node:worker_threads'
import { closeEngines, connectEngines, type EnginePorts } from '../infra/engines.ts'
import { serveConnections } from '../infra/thread.ts'
import { yieldThisThread } from '../infra/thread-priority.ts'
import { startStreams } from '../streams/start.ts'
import { Snapshot } from './domain/snapshot.ts'
import { workerLogger } from './logger.ts'
import { followRegistry } from './registry-follower.ts'

export interface StreamsWorkerData {
  ports: EnginePorts
  signalsIntervalMs: number
  logLevel: string
}

/** The thread of the streams: they decode, judge and compute beside requests, never in their way. */
const { ports, signalsIntervalMs, logLevel } = workerData as StreamsWorkerData
yieldThisThread()
const engines = connectEngines(ports)
const snapshot = new Snapshot()
const registry = await followRegistry({ log: engines.log, snapshot })
const streams = await startStreams({
  ...engines,
  snapshot,
  signalsIntervalMs,
  now: Date.now,
  logger: workerLogger(logLevel, 'streams'),
})

serveConnections(parentPort!, { lags: streams.lags, states: async () => streams.states() }, async () => {
  await streams.stop()
  await registry.close()
  await closeEngines(engines)
})

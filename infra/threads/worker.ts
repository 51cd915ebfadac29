import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { MessageChannel, type MessagePort, type ResourceLimits, type Transferable, Worker } from 'node:worker_threads'
import { type Methods, serve } from './calls.ts'

/** A running worker. Each `connect()` makes a port to it, which may be passed to any thread. */
export interface Served {
  connect(): MessagePort
  /** Resolves when the worker has ended. A worker that fails closes its ports. */
  stop(): Promise<void>
  readonly failed: Promise<Error>
}

/**
 * What new objects of a thread may take. One that keeps its data in an engine makes objects for one call at a time, and they are soon
 * garbage. One that works on batches, or for many callers at a time, would copy most of its new objects with each small collection.
 */
const NEW_OBJECTS_MAX_MB = 12
export const MANY_NEW_OBJECTS: ResourceLimits = { maxYoungGenerationSizeMb: 48 }

/**
 * Starts a worker file, which must call `serveConnections`, and resolves once it is ready.
 * @param name what the system's tools and profilers call the thread; at most 15 characters are shown.
 * @param transferList the parts of `workerData` that are transferred, not copied.
 * @throws what the worker's set-up threw.
 */
export async function startWorker(
  name: string,
  file: URL,
  workerData: unknown,
  transferList: Transferable[] = [],
  resourceLimits: ResourceLimits = {},
): Promise<Served> {
  // The option of the command line has limited the main thread by now, and would go before the limits of all other threads.
  setFlagsFromString('--max-semi-space-size=0')
  const limits = { maxYoungGenerationSizeMb: NEW_OBJECTS_MAX_MB, ...resourceLimits }
  const worker = new Worker(file, { name, workerData, transferList, resourceLimits: limits })
  const failed = new Promise<Error>((resolve) => worker.once('error', resolve))
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`${file.pathname} ended with code ${code} before it was ready`)))
  })
  return {
    connect() {
      const { port1, port2 } = new MessageChannel()
      worker.postMessage(port2, [port2])
      return port1
    },
    async stop() {
      worker.postMessage('stop')
      await ended
    },
    failed,
  }
}

/** Waits for all to start. If one of them does not, the others are stopped. @throws its error. */
export async function allOrNone<T extends readonly (Promise<Served> | null)[] | []>(starts: T) {
  try {
    return await Promise.all(starts)
  } catch (error) {
    const outcomes = await Promise.allSettled(starts)
    await Promise.all(outcomes.map((each) => (each.status === 'fulfilled' ? each.value?.stop() : null)))
    throw error
  }
}

/** A client that owns its worker: closing the client stops the worker. */
export function soleClient<Client extends { close(): Promise<void> }>(served: Served, client: Client): Client {
  return {
    ...client,
    async close() {
      await client.close()
      await served.stop()
    },
  }
}

/**
 * The worker's side of `startWorker`: reports that it is ready, serves every port that it is sent, and ends after `stop`.
 * @param methods an object, or a function that makes one for each port when clients have state of their own.
 */
export function serveConnections(
  parent: MessagePort,
  methods: Methods | ((port: MessagePort) => Methods),
  onStop: () => void | Promise<void>,
): void {
  const ports = new Set<MessagePort>()
  parent.on('message', async (message: MessagePort | 'stop') => {
    if (message !== 'stop') {
      ports.add(message)
      message.on('close', () => ports.delete(message))
      serve(message, typeof methods === 'function' ? methods(message) : methods)
      return
    }
    await onStop()
    // One more turn of the event loop, so that the last answers are sent.
    await setImmediate()
    for (const port of ports) port.close()
    parent.close()
  })
  parent.postMessage('ready')
}

/** The nice value of a thread that yields: the higher it is, the less processor time the thread gets. */
const NICE = 10

/** Lowers the priority of the thread that calls it, on Linux; elsewhere nothing happens. */
export function yieldThisThread(): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), NICE)
  } catch {
    // Another system, or not permitted: the priority stays.
  }
}

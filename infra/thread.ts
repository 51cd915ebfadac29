import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { MessageChannel, type MessagePort, type ResourceLimits, type Transferable, Worker } from 'node:worker_threads'

/**
 * Calls across threads. A worker serves the async methods of an object; any thread that holds a port to it calls them
 * as if they were its own. Arguments and results are structured-cloned; Buffers arrive as Uint8Array. A caller must leave what it
 * has passed as it is until its code awaits: calls are sent together then.
 */

interface Call {
  id: number
  method: string
  args: unknown[]
}
type Reply = { id: number; value: unknown } | { id: number; error: { name: string; message: string } }

/** A result whose buffers are transferred to the caller, not copied. */
export class Moved<T> {
  readonly value: T
  readonly transfer: Transferable[]
  constructor(value: T, transfer: Transferable[]) {
    this.value = value
    this.transfer = transfer
  }
}

type Methods = Record<string, (...args: never[]) => unknown>

/**
 * Posts what is handed in until the code at hand awaits as one message, in order: to wake the other thread costs more than
 * most of what is told to it.
 * @param onRefused takes what cannot be cloned; it holds up no other.
 */
function createOutbox<T>(port: MessagePort, onRefused: (message: T, error: Error) => void) {
  let waiting: { message: T; transfer: Transferable[] }[] = []

  function post(sent: typeof waiting): void {
    try {
      const transfer = sent.flatMap((each) => each.transfer)
      port.postMessage(
        sent.map(({ message }) => message),
        transfer,
      )
    } catch (error) {
      if (sent.length === 1) onRefused(sent[0]!.message, error as Error)
      else for (const each of sent) post([each])
    }
  }

  function flush(): void {
    const sent = waiting
    waiting = []
    if (sent.length > 0) post(sent)
  }

  return {
    add(message: T, transfer: Transferable[]): void {
      if (waiting.length === 0) queueMicrotask(flush)
      waiting.push({ message, transfer })
    },
    flush,
  }
}

/** Answers calls that arrive at `port` until it closes. */
export function serve(port: MessagePort, methods: Methods): void {
  const replies = createOutbox<Reply>(port, ({ id }, error) => refuse(id, error))

  function refuse(id: number, { name, message }: Error): void {
    replies.add({ id, error: { name, message } }, [])
  }

  async function answer({ id, method, args }: Call): Promise<void> {
    try {
      const result = await (methods[method] as (...a: unknown[]) => unknown)(...args)
      if (result instanceof Moved) replies.add({ id, value: result.value }, result.transfer)
      else replies.add({ id, value: result }, [])
    } catch (error) {
      refuse(id, error as Error)
    }
  }

  port.on('message', (calls: Call[]) => {
    for (const call of calls) void answer(call)
  })
}

/** Error classes by name, so that a rejection in the other thread is the same class here. */
export type ErrorClasses = Record<string, new (message: string) => Error>

export interface Remote {
  call<T>(method: string, args: unknown[], transfer?: Transferable[]): Promise<T>
  close(): void
}

/** The caller's side of `serve`. Calls that are open when the port closes reject with `closedError`. */
export function connect(port: MessagePort, errors: ErrorClasses, closedError: () => Error): Remote {
  const open = new Map<number, { resolve: (v: unknown) => void; reject: (e: Error) => void }>()
  let nextId = 1
  let closed = false
  const calls = createOutbox<Call>(port, ({ id }, error) => settle(id)?.reject(error))

  function settle(id: number) {
    const waiting = open.get(id)
    open.delete(id)
    if (open.size === 0) port.unref()
    return waiting
  }

  port.on('message', (replies: Reply[]) => {
    for (const reply of replies) {
      const waiting = settle(reply.id)
      if ('value' in reply) waiting?.resolve(reply.value)
      else waiting?.reject(new (errors[reply.error.name] ?? Error)(reply.error.message))
    }
  })
  port.on('close', () => {
    closed = true
    for (const waiting of open.values()) waiting.reject(closedError())
    open.clear()
  })
  port.unref()
  return {
    call<T>(method: string, args: unknown[], transfer: Transferable[] = []) {
      if (closed) return Promise.reject(closedError())
      return new Promise<T>((resolve, reject) => {
        const id = nextId++
        if (open.size === 0) port.ref()
        open.set(id, { resolve: resolve as (v: unknown) => void, reject })
        calls.add({ id, method, args }, transfer)
      })
    },
    close() {
      calls.flush()
      port.close()
    },
  }
}

/** A running worker. Each `connect()` makes a port to it, which may be passed to any thread. */
export interface Served {
  connect(): MessagePort
  /** Resolves when the worker has ended. A worker that fails closes its ports. */
  stop(): Promise<void>
  readonly failed: Promise<Error>
}

/**
 * Starts a worker file, which must call `serveConnections`, and resolves once it is ready.
 * @param name what the system's tools and profilers call the thread; at most 15 characters are shown.
 * @param transferList what of `workerData` is transferred, not copied.
 * @throws what the worker's set-up threw.
 */
export async function startWorker(
  name: string,
  file: URL,
  workerData: unknown,
  transferList: Transferable[] = [],
  resourceLimits: ResourceLimits = {},
): Promise<Served> {
  const worker = new Worker(file, { name, workerData, transferList, resourceLimits })
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

/** A worker that starts when it is called, and ends when it has not been called for a while. */
export interface ThreadOnDemand extends Pick<Remote, 'call'> {
  /** Rejects what is open, and resolves when the worker has ended. */
  close(): Promise<void>
  /** Resolves when the worker has died. One that does not start rejects the calls that waited for it, and no more. */
  readonly failed: Promise<Error>
}

/** For work that comes now and then: until then, and after it, the thread takes neither memory nor time of a start. */
export function threadOnDemand(
  start: () => Promise<Served>,
  { idleMs, closedError }: { idleMs: number; closedError: () => Error },
): ThreadOnDemand {
  const { promise: failed, resolve: fail } = Promise.withResolvers<Error>()
  let running: ReturnType<typeof open> | null = null
  let ended = Promise.resolve()
  let calls = 0
  let closed = false
  let timer: NodeJS.Timeout | undefined

  async function open() {
    const served = await start()
    void served.failed.then(fail)
    return { served, remote: connect(served.connect(), {}, closedError) }
  }

  function end(): Promise<void> {
    const ending = running
    running = null
    const stop = async () => {
      const thread = await ending?.catch(() => null)
      thread?.remote.close()
      await thread?.served.stop()
    }
    ended = Promise.all([ended, stop()]).then(() => {})
    return ended
  }

  return {
    failed,
    async call<T>(method: string, args: unknown[], transfer: Transferable[] = []) {
      if (closed) throw closedError()
      clearTimeout(timer)
      calls++
      try {
        running ??= open()
        const { remote } = await running.catch((error) => {
          running = null
          throw error
        })
        return await remote.call<T>(method, args, transfer)
      } finally {
        calls--
        if (calls === 0 && !closed) timer = setTimeout(() => void end(), idleMs).unref()
      }
    },
    close() {
      closed = true
      clearTimeout(timer)
      return end()
    },
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
    // The last answers are on their way by then.
    await setImmediate()
    for (const port of ports) port.close()
    parent.close()
  })
  parent.postMessage('ready')
}

/** Added to the priority of a thread that yields: the higher, the less it is served. */
const NICE = 10

/** Lowers the priority of the thread that calls it, on Linux; elsewhere nothing happens. */
export function yieldThisThread(): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), NICE)
  } catch {
    // Another system, or not permitted: the priority stays.
  }
}

import type { MessagePort, Transferable } from 'node:worker_threads'

/**
 * Calls across threads. A worker serves the async methods of an object; any thread that holds a port to it calls them
 * as if they were its own. Arguments and results are structured-cloned; Buffers arrive as Uint8Array. A caller must not change the
 * arguments before its code next awaits, because only then the calls made so far are sent, together.
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

export type Methods = Record<string, (...args: never[]) => unknown>

/**
 * Posts everything that is added until the running code awaits as one message, in order: waking the other thread costs more than
 * most messages do.
 * @param onRefused gets a message that cannot be cloned; all others are still posted.
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

/** Answers the calls that arrive at `port`, until it closes. */
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

import type { Transferable } from 'node:worker_threads'
import { connect, type Remote } from './calls.ts'
import type { Served } from './worker.ts'

/** A worker that starts when it is called, and ends when it has not been called for a while. */
export interface ThreadOnDemand extends Pick<Remote, 'call'> {
  /** Rejects open calls, and resolves when the worker has ended. */
  close(): Promise<void>
  /**
   * Resolves when a worker has died, which rejects the calls that are open. One that does not start only rejects the calls that waited
   * for it. In both cases the next call starts another.
   */
  readonly failed: Promise<Error>
}

/** For work that comes now and then: while there is none, the thread takes no memory, and it does not delay the start of the process. */
export function threadOnDemand(
  start: () => Promise<Served>,
  { idleMs, closedError }: { idleMs: number; closedError: () => Error },
): ThreadOnDemand {
  const { promise: failed, resolve: fail } = Promise.withResolvers<Error>()
  let running: Promise<{ served: Served; remote: Remote }> | null = null
  let ended = Promise.resolve()
  let calls = 0
  let closed = false
  let timer: NodeJS.Timeout | undefined

  function open(): NonNullable<typeof running> {
    const opening = start().then((served) => {
      void served.failed.then((error) => {
        if (running === opening) running = null
        fail(error)
      })
      return { served, remote: connect(served.connect(), {}, closedError) }
    })
    return opening
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

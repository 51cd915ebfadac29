import { EngineUnavailable } from '../../engine-unavailable.ts'
import { AnalyticsRejected } from '../port.ts'

/** Codes of errors that come before a request is sent, so that no part of it can have been carried out. */
const NOT_REACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH'])
const CODE_OF_CLICKHOUSE = /^\d+$/
const TIMED_OUT = /timeout/i

/** Chooses among equivalent servers the one whose last failure is the oldest, and so keeps to the same one while it works. */
export interface Failover<S> {
  /** A call that may be made twice: when it is refused or lost on the way, it goes to the next server, and to each at most once. */
  repeatable<T>(servers: readonly S[], call: (server: S) => Promise<T>): Promise<T>
  /** A call that must not be made twice: goes to the next server only when it did not reach this one. */
  once<T>(servers: readonly S[], call: (server: S) => Promise<T>): Promise<T>
}

export function createFailover<S extends object>(): Failover<S> {
  /** The number of each server's last failure; failures are numbered in their order. */
  const failedAt = new WeakMap<S, number>()
  let failures = 0

  async function attempt<T>(
    servers: readonly S[],
    call: (server: S) => Promise<T>,
    mayGoOn: (error: unknown) => boolean,
  ): Promise<T> {
    const order = servers.toSorted((a, b) => (failedAt.get(a) ?? 0) - (failedAt.get(b) ?? 0))
    for (const [at, server] of order.entries()) {
      try {
        return await call(server)
      } catch (error) {
        if (isOfTheWay(error)) failedAt.set(server, ++failures)
        if (at === order.length - 1 || !mayGoOn(error)) throw error
      }
    }
    throw new Error('There is no server to ask')
  }

  return {
    // After a timeout no other server is tried: the caller has waited long enough.
    repeatable: (servers, call) => attempt(servers, call, (error) => isOfTheWay(error) && !isTimeout(error)),
    once: (servers, call) => attempt(servers, call, (error) => NOT_REACHED.has(codeOf(error))),
  }
}

/** Whether an error comes from the connection: its code is a word, or it has none. Errors of ClickHouse have numbers as codes. */
const isOfTheWay = (error: unknown): boolean =>
  !(error instanceof EngineUnavailable || error instanceof AnalyticsRejected || CODE_OF_CLICKHOUSE.test(codeOf(error)))

const isTimeout = (error: unknown): boolean => error instanceof Error && TIMED_OUT.test(error.message)

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

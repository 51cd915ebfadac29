import { AsyncLocalStorage } from 'node:async_hooks'
import PQueue from 'p-queue'
import type { Analytics } from '../../../infra/analytics/port.ts'
import { Problem } from '../../domain/errors.ts'
import type { HttpServer } from '../../http/server.ts'

/** Queries of one account: the store runs ten at once for all of them, and a long one may take half a minute. */
const LIMITS = { running: 4, waiting: 100 }
const RETRY_AFTER_SECONDS = 10

export interface AccountTurns {
  /** The requests of this server and of its children take turns from their handlers on. */
  follow(server: Pick<HttpServer, 'addHook'>): void
  /** The store, whose queries wait until it is the turn of the account whose request makes them. */
  inTurns(analytics: Analytics): Analytics
}

/** Gives each account a few queries at a time, so that the long reports of one do not hold up those of all others. */
export function createAccountTurns({ running, waiting } = LIMITS): AccountTurns {
  /** The account whose request is being answered. */
  const caller = new AsyncLocalStorage<string>()
  /** By account; only those with queries that run or wait. */
  const queues = new Map<string, PQueue>()

  async function inTurn<T>(query: () => Promise<T>): Promise<T> {
    const accountId = caller.getStore()
    if (accountId === undefined) return query()
    const queue = queues.get(accountId) ?? new PQueue({ concurrency: running })
    if (queue.size >= waiting) {
      throw new Problem('RATE_LIMITED', `${waiting} queries of this account are already waiting`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    queues.set(accountId, queue)
    try {
      return await queue.add(query)
    } finally {
      if (queue.size + queue.pending === 0) queues.delete(accountId)
    }
  }

  return {
    follow(server) {
      server.addHook('preHandler', ({ principal }, _reply, done) => {
        if (principal) caller.run(principal.accountId, done)
        else done()
      })
    },
    inTurns: (analytics) => ({
      ...analytics,
      query: (sql, params) => inTurn(() => analytics.query(sql, params)),
      queryParquet: (sql, params) => inTurn(() => analytics.queryParquet(sql, params)),
    }),
  }
}

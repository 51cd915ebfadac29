import type { KafkaLogger } from './client/broker-client.ts'

/** The same warning is logged again only after this time. */
const WARN_AGAIN_MS = 30_000
const WARNINGS_REMEMBERED_MAX = 100

/**
 * A logger for all connections of a log. When Kafka goes away, each of a few dozen connections says the same.
 * @param now in milliseconds, from any beginning.
 */
export function sharedWarnings(logger: KafkaLogger, now: () => number): KafkaLogger {
  const loggedAt = new Map<string, number>()
  return {
    warn(details, message) {
      const at = now()
      if (at - (loggedAt.get(message) ?? Number.NEGATIVE_INFINITY) < WARN_AGAIN_MS) return
      if (loggedAt.size >= WARNINGS_REMEMBERED_MAX) loggedAt.clear()
      loggedAt.set(message, at)
      logger.warn(details, message)
    },
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { AnalyticsGaveUp } from '../analytics/port.ts'
import { EngineUnavailable } from '../engine-unavailable.ts'
import type { KafkaLogger } from '../event-log/kafka/client/broker-client.ts'

export interface EngineLogger extends KafkaLogger {
  info(details: object, message: string): void
}

/** The settings with the addresses of the engines that are prepared. */
const ADDRESS_SETTINGS: Readonly<Record<string, string>> = {
  kafka: 'KAFKA_BROKERS',
  clickhouse: 'CLICKHOUSE_URL',
  elasticsearch: 'ELASTICSEARCH_URL',
  redis: 'REDIS_URL',
}
const RETRY_FIRST_MS = 250
const RETRY_MAX_MS = 5_000
/** A server that accepts connections and says nothing would otherwise be named only when a statement times out, after minutes. */
const TELL_SILENCE_AFTER_MS = 10_000

/** Retries while the engine is unavailable. @throws any other error, and AnalyticsGaveUp, which waiting does not help. */
export async function untilThere<T>(engine: string, logger: EngineLogger, call: () => Promise<T>): Promise<T> {
  const setting = ADDRESS_SETTINGS[engine]
  for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(2 * waitMs, RETRY_MAX_MS)) {
    const tellSilence = () => logger.warn({ engine, setting }, 'an engine is not ready yet: waiting for it')
    const timer = setTimeout(tellSilence, TELL_SILENCE_AFTER_MS)
    try {
      const result = await call()
      logger.info({ engine }, `${engine} is ready`)
      return result
    } catch (error) {
      if (!(error instanceof EngineUnavailable) || error instanceof AnalyticsGaveUp) throw error
      logger.warn({ engine, setting, reason: error.message }, 'an engine is unavailable: waiting for it')
      await delay(waitMs)
    } finally {
      clearTimeout(timer)
    }
  }
}

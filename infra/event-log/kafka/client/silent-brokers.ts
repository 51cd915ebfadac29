import type { BrokerPool } from 'kafkajs/internals'

/** A broker that has not answered is avoided for this long, provided that there is another one to ask. */
const AVOIDED_MS = 2_000

/** The brokers that a client knows. */
type KnownBrokers = Pick<BrokerPool, 'brokers' | 'seedBroker'>

/** The broker has not answered. A retry may help. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  readonly retriable = true
}

/**
 * Brokers that accept connections and requests and answer nothing, because they are frozen or were cut off without notice.
 * kafkajs would ask them again and again: it prefers brokers that it is connected to, and connecting succeeds.
 */
export function createSilentBrokers(configured: readonly string[]) {
  const avoidedUntil = new Map<string, number>()

  const isAvoided = (address: string) => performance.now() < (avoidedUntil.get(address) ?? 0)

  return {
    /**
     * Breaks the connections on which a request has waited for `waitedMs`. Their requests fail and are retried, and lookups of
     * brokers now ask the others.
     */
    hangUp(pool: KnownBrokers, waitedMs: number, error: Error): void {
      const sentBefore = Date.now() - waitedMs
      const brokers = new Set([...Object.values(pool.brokers), pool.seedBroker])
      for (const broker of brokers) {
        if (!broker) continue
        const { host, port, pool: connections } = broker.connectionPool
        for (const { requestQueue, socket } of connections) {
          const isSilent = [...requestQueue.inflight.values()].some(({ sentAt }) => sentAt <= sentBefore)
          if (!isSilent) continue
          avoidedUntil.set(`${host}:${port}`, performance.now() + AVOIDED_MS)
          socket?.destroy(error)
        }
      }
    },
    /** Whether to ask another broker instead of this one. */
    isPassedOver(pool: KnownBrokers, address: string): boolean {
      if (!isAvoided(address)) return false
      const known = Object.values(pool.brokers).map(({ connectionPool: { host, port } }) => `${host}:${port}`)
      return [...configured, ...known].some((other) => !isAvoided(other))
    },
  }
}

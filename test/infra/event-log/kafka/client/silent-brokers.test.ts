import type { Socket } from 'node:net'
import type { Broker } from 'kafkajs/internals'
import { expect, it, vi } from 'vitest'
import { createSilentBrokers } from '../../../../../infra/event-log/kafka/client/silent-brokers.ts'

const WAITED_MS = 1_000
const error = new Error('silent')

/** A broker with one connection, on which a request has been waiting for `waitedMs`; null when none is waiting. */
function brokerWith(port: number, waitedMs: number | null) {
  const destroy = vi.fn()
  const inflight = new Map(waitedMs === null ? [] : [[1, { sentAt: Date.now() - waitedMs }]])
  const connectionPool = {
    host: 'h',
    port,
    pool: [{ socket: { destroy } as unknown as Socket, requestQueue: { inflight } }],
  }
  return { broker: { connectionPool } as unknown as Broker, destroy }
}

it('a broker on which a request has waited is hung up on and passed over; the others are not', () => {
  const silent = createSilentBrokers(['h:1'])
  const [frozen, busy, idle] = [brokerWith(1, WAITED_MS), brokerWith(2, 10), brokerWith(3, null)]
  const pool = { brokers: { 1: frozen.broker, 2: busy.broker, 3: idle.broker } }
  silent.hangUp(pool, WAITED_MS, error)
  expect([frozen, busy, idle].map(({ destroy }) => destroy.mock.calls)).toEqual([[[error]], [], []])
  expect([1, 2, 3].map((port) => silent.isPassedOver(pool, `h:${port}`))).toEqual([true, false, false])
})

it('the broker that the client began with is hung up on too', () => {
  const silent = createSilentBrokers(['h:1', 'h:2'])
  const { broker, destroy } = brokerWith(1, WAITED_MS)
  const pool = { brokers: {}, seedBroker: broker }
  silent.hangUp(pool, WAITED_MS, error)
  expect(destroy).toHaveBeenCalledWith(error)
  expect(silent.isPassedOver(pool, 'h:1')).toBe(true)
})

it('no broker is passed over when there is no other to ask', () => {
  const silent = createSilentBrokers(['h:1'])
  const pool = { brokers: { 1: brokerWith(1, WAITED_MS).broker } }
  silent.hangUp(pool, WAITED_MS, error)
  expect(silent.isPassedOver(pool, 'h:1')).toBe(false)
})

it('a broker is asked again after a while', () => {
  vi.useFakeTimers()
  try {
    const silent = createSilentBrokers(['h:1', 'h:2'])
    const pool = { brokers: { 1: brokerWith(1, WAITED_MS).broker } }
    silent.hangUp(pool, WAITED_MS, error)
    expect(silent.isPassedOver(pool, 'h:1')).toBe(true)
    vi.advanceTimersByTime(10_000)
    expect(silent.isPassedOver(pool, 'h:1')).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})

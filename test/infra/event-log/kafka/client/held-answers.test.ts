import type { Broker } from 'kafkajs/internals'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { heldAnswer } from '../../../../../infra/event-log/kafka/client/held-answers.ts'

const silence = new Error('silent')
const hangUp = vi.fn(() => silence)
/** Longer than a broker may be silent. */
const SILENCE_MS = 6_000
const never = new Promise<never>(() => {})

beforeEach(() => {
  vi.useFakeTimers()
  hangUp.mockClear()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A broker that answers requests on its second connection with `answer`. */
function brokerWith(answer: () => Promise<object>) {
  const send = vi.fn(answer)
  const getConnection = vi.fn(async (_: number) => ({ send }))
  return { broker: { connectionPool: { getConnection } } as unknown as Broker, send, getConnection }
}

it('an answer is awaited for as long as the broker answers on its other connection', async () => {
  const { broker, send, getConnection } = brokerWith(async () => ({}))
  const { promise, resolve } = Promise.withResolvers<string>()
  const held = heldAnswer(broker, promise, hangUp)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(send.mock.calls.length).toBeGreaterThan(1)
  expect(getConnection.mock.calls.every(([index]) => index === 1)).toBe(true)
  resolve('joined')
  expect(await held).toBe('joined')
  const asked = send.mock.calls.length
  await vi.advanceTimersByTimeAsync(60_000)
  expect(send).toHaveBeenCalledTimes(asked)
  expect(hangUp).not.toHaveBeenCalled()
})

it.each([
  ['answers nothing else either', () => never],
  ['cannot be reached on its other connection', () => Promise.reject(new Error('refused'))],
])('a broker that %s is hung up on', async (_, answer) => {
  const held = heldAnswer(brokerWith(answer).broker, never, hangUp)
  const refused = expect(held).rejects.toBe(silence)
  await vi.advanceTimersByTimeAsync(SILENCE_MS)
  await refused
  expect(hangUp).toHaveBeenCalledTimes(1)
})

it('a broker that falls silent later is noticed too', async () => {
  let frozen = false
  const held = heldAnswer(brokerWith(() => (frozen ? never : Promise.resolve({}))).broker, never, hangUp)
  const refused = expect(held).rejects.toBe(silence)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(hangUp).not.toHaveBeenCalled()
  frozen = true
  await vi.advanceTimersByTimeAsync(SILENCE_MS)
  await refused
})

it('a refusal is passed on', async () => {
  const refusal = new Error('NOT_COORDINATOR')
  await expect(heldAnswer(brokerWith(() => never).broker, Promise.reject(refusal), hangUp)).rejects.toBe(refusal)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(hangUp).not.toHaveBeenCalled()
})

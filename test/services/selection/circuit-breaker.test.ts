import { beforeEach, expect, it } from 'vitest'
import { IndexUnavailable } from '../../../infra/product-index/port.ts'
import { type CircuitBreaker, createCircuitBreaker } from '../../../services/selection/circuit-breaker.ts'

let now: number
let breaker: CircuitBreaker
beforeEach(() => {
  now = 0
  breaker = createCircuitBreaker({ now: () => now, slowMs: 100, Unavailable: IndexUnavailable })
})
const fail = () => breaker.watch(Promise.reject(new IndexUnavailable('down'))).catch(() => {})

it('a circuit breaker stays closed while the engine answers', async () => {
  expect(breaker.isOpen()).toBe(false)
  await breaker.watch(Promise.resolve(1))
  expect(breaker.isOpen()).toBe(false)
})

it('a circuit breaker lets one call a second through after a failure, until the engine answers', async () => {
  await fail()
  expect(breaker.isOpen()).toBe(true)
  now = 999
  expect(breaker.isOpen()).toBe(true)
  now = 1_000
  expect(breaker.isOpen()).toBe(false)
  const trial = fail()
  expect(breaker.isOpen()).toBe(true)
  await trial
  now = 2_000
  await breaker.watch(Promise.resolve(1))
  expect(breaker.isOpen()).toBe(false)
})

it('a circuit breaker stays closed when the engine refuses a call', async () => {
  const refused = breaker.watch(Promise.reject(new Error('too many clauses')))
  await expect(refused).rejects.toThrow('too many clauses')
  expect(breaker.isOpen()).toBe(false)
})

it('a circuit breaker lets a call through once the clock has been set back', async () => {
  await fail()
  now = -3_600_000
  expect(breaker.isOpen()).toBe(false)
})

it('a circuit breaker opens while a call is slow, and lets one call a second through', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = breaker.watch(promise)
  now = 100
  expect(breaker.isOpen()).toBe(false)
  now = 101
  expect(breaker.isOpen()).toBe(true)
  now = 1_000
  expect(breaker.isOpen()).toBe(false)
  resolve()
  await slow
  now = 1_001
  expect(breaker.isOpen()).toBe(false)
})

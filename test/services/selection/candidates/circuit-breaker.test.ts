import { beforeEach, expect, it } from 'vitest'
import { createRest, type Rest } from '../../../../services/selection/candidates/circuit-breaker.ts'

let now: number
let rest: Rest
beforeEach(() => {
  now = 0
  rest = createRest({ now: () => now, slowMs: 100 })
})
const fail = () => rest.watch(Promise.reject(new Error('down'))).catch(() => {})

it('an engine that answers is never left alone', async () => {
  expect(rest.resting()).toBe(false)
  await rest.watch(Promise.resolve(1))
  expect(rest.resting()).toBe(false)
})

it('one that failed is tried once a second, until it answers', async () => {
  await fail()
  expect(rest.resting()).toBe(true)
  now = 999
  expect(rest.resting()).toBe(true)
  now = 1_000
  expect(rest.resting()).toBe(false)
  const trial = fail()
  expect(rest.resting()).toBe(true)
  await trial
  now = 2_000
  await rest.watch(Promise.resolve(1))
  expect(rest.resting()).toBe(false)
})

it('one that is slow is left alone while it is, and tried once a second', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = rest.watch(promise)
  now = 100
  expect(rest.resting()).toBe(false)
  now = 101
  expect(rest.resting()).toBe(true)
  now = 1_000
  expect(rest.resting()).toBe(false)
  resolve()
  await slow
  now = 1_001
  expect(rest.resting()).toBe(false)
})

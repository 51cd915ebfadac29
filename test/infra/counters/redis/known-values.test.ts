import { expect, it } from 'vitest'
import type { CounterKey } from '../../../../infra/counters/port.ts'
import { KnownLimit, KnownValues } from '../../../../infra/counters/redis/known-values.ts'

const group = { name: 'views', keptUntil: null, spread: 1 }
const keysOf = (shard: number, ids: readonly number[]): CounterKey[] => ids.map((id) => ({ shard, group, id: `${id}` }))
const upTo = (count: number) => Array.from({ length: count }, (_, id) => id)

/** Shards that remember `max` keys together, each under a token. */
function shardsOf(max: number, count: number): KnownValues[] {
  const limit = new KnownLimit(max)
  const shards = Array.from({ length: count }, () => new KnownValues(limit, () => 1))
  for (const shard of shards) shard.expect('token')
  return shards
}

/** Looks keys up and remembers the ones that are missing, as a load does. @returns how many were missing. */
function use(known: KnownValues, keys: readonly CounterKey[]): number {
  const found = known.lookUp(keys)
  known.learn(found)
  return found.missing.length
}

it('a busy shard remembers more than the others', () => {
  const [busy, quiet] = shardsOf(20, 10) as [KnownValues, KnownValues]
  use(quiet, keysOf(1, [0]))
  use(busy, keysOf(0, upTo(9)))
  expect(use(busy, keysOf(0, upTo(9)))).toBe(0)
  expect(use(quiet, keysOf(1, [0]))).toBe(0)
})

it('all shards forget what was not used while half of the limit was', () => {
  const [busy, quiet] = shardsOf(20, 2) as [KnownValues, KnownValues]
  use(quiet, keysOf(1, [0]))
  use(busy, keysOf(0, upTo(30)))
  expect(use(busy, keysOf(0, upTo(30).slice(-5)))).toBe(0)
  expect(use(quiet, keysOf(1, [0]))).toBe(1)
})

it('a shard that forgets everything leaves its room to the others', () => {
  const [lost, other] = shardsOf(20, 2) as [KnownValues, KnownValues]
  for (let round = 0; round < 20; round++) {
    use(lost, keysOf(0, upTo(5)))
    lost.expect(`token ${round}`)
  }
  use(other, keysOf(1, upTo(9)))
  expect(use(other, keysOf(1, upTo(9)))).toBe(0)
  use(other, keysOf(1, [10]))
  expect(use(other, keysOf(1, upTo(9)))).toBe(0)
})

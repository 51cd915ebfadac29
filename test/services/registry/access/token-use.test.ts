import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Entity } from '../../../../services/domain/snapshot.ts'
import { createTokenUse } from '../../../../services/registry/access/token-use.ts'
import type { Registry } from '../../../../services/registry/resources/store.ts'

let recorded: string[]
let writes: PromiseWithResolvers<never[]>[]
beforeEach(() => {
  vi.useFakeTimers()
  recorded = []
  writes = []
})
afterEach(() => {
  vi.useRealTimers()
})

const token = { id: 'key', body: { accountId: 'shop', lastUsedAt: null } } as Entity<'Token'>

function openTokenUse() {
  const write = () => {
    const written = Promise.withResolvers<never[]>()
    writes.push(written)
    return written.promise
  }
  return createTokenUse({
    registry: { write } as Partial<Registry> as Registry,
    securityLog: { record: async (_, { kind }) => void recorded.push(kind) },
    now: () => Date.now(),
  })
}

it('tells the first use once, while the registry is slow to write it, and while it cannot', async () => {
  const tokenUse = openTokenUse()
  for (let second = 0; second < 60; second++) {
    tokenUse.note(token, { ip: '' })
    await vi.advanceTimersByTimeAsync(1_000)
    if (second % 20 === 19) writes.at(-1)!.reject(new Error('the log is away'))
  }
  expect(recorded).toEqual(['TOKEN_FIRST_USED'])
  expect(writes.length).toBeGreaterThan(2)
})

it('writes the uses of an outage once the registry can, though nobody uses the token again', async () => {
  const tokenUse = openTokenUse()
  tokenUse.note(token, { ip: '' })
  await vi.advanceTimersByTimeAsync(5_000)
  writes[0]!.reject(new Error('the log is away'))
  await vi.advanceTimersByTimeAsync(5_000)
  expect(writes).toHaveLength(2)
  writes[1]!.resolve([])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(writes).toHaveLength(2)
})

it('writes what is noted before it closes, and nothing afterwards', async () => {
  const tokenUse = openTokenUse()
  tokenUse.note(token, { ip: '' })
  const closed = tokenUse.close()
  await vi.advanceTimersByTimeAsync(0)
  writes[0]!.reject(new Error('the log is away'))
  await closed
  await vi.advanceTimersByTimeAsync(60_000)
  expect(writes).toHaveLength(1)
})

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { CountersUnavailable } from '../../../../infra/counters/port.ts'
import { UNKNOWN_CLIENT } from '../../../../services/domain/identity/client-hashes.ts'
import { createClientHasher } from '../../../../services/intake/client/client-hasher.ts'

const HOUR_MS = 3_600_000
const MIDNIGHT = Date.UTC(2026, 2, 10)
const client = (address: string | null, userAgent = 'Firefox') => ({ address, userAgent })

/** Secrets that several processes share, with how long each is remembered. */
function sharedSecrets() {
  const secrets = new Map<string, string>()
  const ttls: number[] = []
  const agree = async (name: string, proposed: string, ttlMs: number) => {
    ttls.push(ttlMs)
    if (!secrets.has(name)) secrets.set(name, proposed)
    return secrets.get(name)!
  }
  return { secrets, ttls, agree }
}

async function hasherAt(at: number, counters: Pick<ReturnType<typeof sharedSecrets>, 'agree'> = sharedSecrets()) {
  const clock = { now: at }
  const hasher = createClientHasher({ counters, now: () => clock.now, randomBytes })
  await hasher.refresh()
  return { hasher, clock }
}

test('all processes hash alike, and other installations do not', async () => {
  const counters = sharedSecrets()
  const [one, two] = [await hasherAt(MIDNIGHT, counters), await hasherAt(MIDNIGHT, counters)]
  const [other] = [await hasherAt(MIDNIGHT)]
  const at = MIDNIGHT + 12 * HOUR_MS
  const hashes = one.hasher.hash(client('8.8.8.8'), at)
  expect(two.hasher.hash(client('8.8.8.8'), at)).toEqual(hashes)
  expect(other.hasher.hash(client('8.8.8.8'), at)).not.toEqual(hashes)
  expect(JSON.stringify(hashes)).not.toContain('8.8.8')
})

test('an address is one subscriber: all of IPv4, the first 64 bits of IPv6; a network 24 and 48', async () => {
  const { hasher } = await hasherAt(MIDNIGHT)
  const at = MIDNIGHT + 12 * HOUR_MS
  const hash = (address: string, agent?: string) => hasher.hash(client(address, agent), at)
  const [a, b, c] = ['8.8.8.8', '8.8.8.9', '8.8.9.8'].map((each) => hash(each))
  expect(a!.addressHash).not.toBe(b!.addressHash)
  expect(a!.networkHash).toBe(b!.networkHash)
  expect(a!.networkHash).not.toBe(c!.networkHash)
  expect(hash('8.8.8.8', 'Chrome')).toMatchObject({ addressHash: a!.addressHash, networkHash: a!.networkHash })
  expect(hash('8.8.8.8', 'Chrome').agentHash).not.toBe(a!.agentHash)
  expect(b!.agentHash).toBe(a!.agentHash)
  const [d, e, f] = ['2a00:1:2:3::1', '2a00:1:2:3::2', '2a00:1:2:4::1'].map((each) => hash(each))
  expect(d).toEqual(e)
  expect(f!.addressHash).not.toBe(d!.addressHash)
  expect(f!.networkHash).toBe(d!.networkHash)
})

test('the next day has another hash, and knows that of the day before for its first hours', async () => {
  const { hasher, clock } = await hasherAt(MIDNIGHT - HOUR_MS)
  const before = hasher.hash(client('8.8.8.8'), MIDNIGHT - 1)
  clock.now = MIDNIGHT
  await hasher.refresh()
  const first = hasher.hash(client('8.8.8.8'), MIDNIGHT)
  expect(first.addressHash).not.toBe(before.addressHash)
  expect(first.previousAddressHash).toBe(before.addressHash)
  expect(before.previousAddressHash).toBeNull()
  expect(hasher.hash(client('8.8.8.8'), MIDNIGHT + 2 * HOUR_MS).previousAddressHash).toBeNull()
})

test('a key is there before its day begins, and is forgotten 48 hours after', async () => {
  const counters = sharedSecrets()
  const { hasher, clock } = await hasherAt(MIDNIGHT - HOUR_MS, counters)
  expect(hasher.hash(client('8.8.8.8'), MIDNIGHT).addressHash).not.toBeNull()
  expect(counters.ttls).toEqual([HOUR_MS, 25 * HOUR_MS, 49 * HOUR_MS])
  clock.now = MIDNIGHT + 48 * HOUR_MS
  await hasher.refresh()
  expect(hasher.hash(client('8.8.8.8'), MIDNIGHT).addressHash).toBeNull()
})

test('counters that have lost the keys get them back from a process that knows them', async () => {
  const counters = sharedSecrets()
  const { hasher } = await hasherAt(MIDNIGHT, counters)
  const hashes = hasher.hash(client('8.8.8.8'), MIDNIGHT)
  counters.secrets.clear()
  await hasher.refresh()
  const other = await hasherAt(MIDNIGHT, counters)
  expect(other.hasher.hash(client('8.8.8.8'), MIDNIGHT)).toEqual(hashes)
})

test('without an address, or without a key, the client is unknown', async () => {
  const { hasher } = await hasherAt(MIDNIGHT)
  expect(hasher.hash(client(null), MIDNIGHT)).toEqual(UNKNOWN_CLIENT)
  const agree = () => Promise.reject(new CountersUnavailable('away'))
  const keyless = createClientHasher({ counters: { agree }, now: () => MIDNIGHT, randomBytes })
  await expect(keyless.refresh()).rejects.toBeInstanceOf(CountersUnavailable)
  expect(keyless.hash(client('8.8.8.8'), MIDNIGHT)).toEqual(UNKNOWN_CLIENT)
})

test('a day that begins without its key, after a sleep or with another clock, asks for a refresh until it has it', async () => {
  const clock = { now: MIDNIGHT }
  let asked = 0
  const deps = { counters: sharedSecrets(), now: () => clock.now, randomBytes, onKeyMissing: () => asked++ }
  const hasher = createClientHasher(deps)
  await hasher.refresh()
  hasher.hash(client('8.8.8.8'), clock.now)
  expect(asked).toBe(0)
  clock.now += 30 * 24 * HOUR_MS
  expect(hasher.hash(client('8.8.8.8'), clock.now).addressHash).toBeNull()
  expect(asked).toBe(1)
  await hasher.refresh()
  expect(hasher.hash(client('8.8.8.8'), clock.now).addressHash).not.toBeNull()
  expect(asked).toBe(1)
})

test('a client that was hashed before a key came, or with a key that has changed since, is hashed again', async () => {
  const shared = sharedSecrets()
  const during: (() => void)[] = []
  const agree = async (...args: Parameters<typeof shared.agree>) => {
    const agreed = await shared.agree(...args)
    during.shift()?.()
    return agreed
  }
  const hasher = createClientHasher({ counters: { agree }, now: () => MIDNIGHT, randomBytes })
  const hash = () => hasher.hash(client('8.8.8.8'), MIDNIGHT).addressHash
  during.push(hash, hash, hash)
  await hasher.refresh()
  const first = hash()
  expect(first).not.toBeNull()
  expect(hash()).toBe(first)
  for (const name of shared.secrets.keys()) shared.secrets.set(name, `another ${name}`)
  during.push(hash, hash, hash)
  await hasher.refresh()
  expect(hash()).not.toBe(first)
  expect(hash()).toBe((await hasherAt(MIDNIGHT, shared)).hasher.hash(client('8.8.8.8'), MIDNIGHT).addressHash)
})

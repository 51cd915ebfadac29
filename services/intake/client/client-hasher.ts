import { createHmac } from 'node:crypto'
import type { Counters } from '../../../infra/counters/port.ts'
import { DAY_MS, HOUR_MS } from '../../../schemas/durations.ts'
import { lruCache } from '../../domain/caches.ts'
import { type ClientHashes, UNKNOWN_CLIENT } from '../../domain/identity/client-hashes.ts'
import { networkOf } from '../../domain/identity/ip-address.ts'

/** A key is made an hour before its day begins, and forgotten a day after the day ends: 48 hours after it began. */
const AHEAD_MS = HOUR_MS
const KEY_LIFE_MS = 2 * DAY_MS
/** In the first hours of a day, the judge's windows reach back into the previous day. */
const PREVIOUS_FOR_MS = 2 * HOUR_MS
const KEY_BYTES = 32
/** Bytes of a hash: enough that no two addresses of a day get the same hash by chance. */
const HASH_BYTES = 12
/** Of longer User-Agents, only the beginning is looked at and hashed. */
export const USER_AGENT_CHARS_MAX = 512
/** Clients whose hashes are remembered until the next refresh, at most some 15 MB. A visit sends several events. */
const CLIENTS_MAX = 10_000

export interface Client {
  /** Public and canonical; null when not known. */
  address: string | null
  userAgent: string
}

export interface ClientHasher {
  /** @param at UTC epoch milliseconds. */
  hash(client: Client, at: number): ClientHashes
  /**
   * Agrees with all other processes on the keys that are or soon will be in use, and forgets the others. Without the day's
   * key every client is unknown. @throws CountersUnavailable.
   */
  refresh(): Promise<void>
}

/**
 * Hashes addresses and networks, with a key per day (UTC) that exists only in the counters and in memory. So after 48 hours
 * nobody can tell which address a hash belongs to.
 */
export function createClientHasher(deps: {
  counters: Pick<Counters, 'agree'>
  /** UTC epoch milliseconds. */
  now: () => number
  randomBytes: (size: number) => Buffer
  /** Called when a client is unknown because the day's key is missing, so that keys are refreshed ahead of schedule. */
  onKeyMissing?: () => void
}): ClientHasher {
  const { counters, now, randomBytes, onKeyMissing } = deps
  const keys = new Map<number, string>()
  /** By day and client. Emptied by each new key, whose day had none or another, and by each refresh, so that no address stays here. */
  const known = lruCache<ClientHashes>(CLIENTS_MAX)

  function hashOf(day: number, kind: string, ...parts: string[]): string | null {
    const key = keys.get(day)
    if (key === undefined) return null
    const digest = createHmac('sha256', key)
      .update(JSON.stringify([kind, ...parts]))
      .digest()
    return digest.toString('base64url', 0, HASH_BYTES)
  }

  function hashesOf(day: number, isEarly: boolean, address: string, agent: string): ClientHashes {
    const subscriber = networkOf(address)
    const network = networkOf(address, { ipv4Bits: 24, ipv6Bits: 48 })
    return {
      addressHash: hashOf(day, 'address', subscriber),
      previousAddressHash: isEarly ? hashOf(day - 1, 'address', subscriber) : null,
      networkHash: hashOf(day, 'network', network),
      agentHash: hashOf(day, 'agent', network, agent),
    }
  }

  return {
    hash({ address, userAgent }, at) {
      if (address === null) return UNKNOWN_CLIENT
      const day = Math.floor(at / DAY_MS)
      const isEarly = at % DAY_MS < PREVIOUS_FOR_MS
      const agent = userAgent.slice(0, USER_AGENT_CHARS_MAX)
      if (!keys.has(day)) onKeyMissing?.()
      const client = `${day} ${isEarly} ${address} ${agent}`
      const before = known.get(client)
      if (before !== undefined) return before
      const hashes = hashesOf(day, isEarly, address, agent)
      known.set(client, hashes)
      return hashes
    },
    async refresh() {
      known.clear()
      const at = now()
      const today = Math.floor(at / DAY_MS)
      const last = Math.floor((at + AHEAD_MS) / DAY_MS)
      for (const day of keys.keys()) if (at >= day * DAY_MS + KEY_LIFE_MS) keys.delete(day)
      for (let day = today - 1; day <= last; day++) {
        // Counters that have lost a key get it back from a process that still has it.
        const proposed = keys.get(day) ?? randomBytes(KEY_BYTES).toString('base64url')
        const left = day * DAY_MS + KEY_LIFE_MS - at
        const agreed = await counters.agree(`client-hash/${day}`, proposed, left)
        if (agreed === keys.get(day)) continue
        keys.set(day, agreed)
        known.clear()
      }
    },
  }
}

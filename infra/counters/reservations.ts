import type { CounterKey, Reservation } from './port.ts'

/** The most holders of a key. A process has one reservation of each campaign, and a view has one of each cap. */
export const HOLDERS_MAX = 1_000

interface Held {
  amount: number
  expiresAt: number
}

export interface ReservationTable {
  /** @returns how much of `requested` is granted. @param readCounter the value of a counter. */
  reserve(reservation: Reservation, readCounter: (key: CounterKey) => number): number
  /** Ends a holder's reservation of a key. */
  release(shard: number, key: string, holder: string): void
  clear(): void
}

/** Reservations in memory, by the rule of `Reservation`. */
export function createReservationTable(): ReservationTable {
  /** Holders by shard and key. Keys are in the order of their last change, so that expired ones are found at the front. */
  const keys = new Map<string, Map<string, Held>>()

  /** The amount that other holders have reserved of a key. Drops reservations that have expired. */
  function heldByOthers(name: string, { holder, now }: Reservation): number {
    const holders = keys.get(name)
    let amount = 0
    for (const [each, held] of holders ?? []) {
      if (held.expiresAt <= now) holders!.delete(each)
      else if (each !== holder) amount += held.amount
    }
    return amount
  }

  function put(name: string, { holder, expiresAt }: Reservation, amount: number): void {
    const holders = keys.get(name) ?? new Map<string, Held>()
    keys.delete(name)
    if (amount > 0) holders.set(holder, { amount, expiresAt })
    else holders.delete(holder)
    if (holders.size > 0) keys.set(name, holders)
  }

  const isFull = (name: string, holder: string) => {
    const holders = keys.get(name)
    return holders !== undefined && holders.size >= HOLDERS_MAX && !holders.has(holder)
  }

  function sweep(now: number): void {
    for (const [name, holders] of keys) {
      for (const { expiresAt } of holders.values()) if (expiresAt > now) return
      keys.delete(name)
    }
  }

  return {
    reserve(reservation, readCounter) {
      const { shard, holder, retained, requested, minimum, limits, now } = reservation
      sweep(now)
      const left = limits.map(({ key, counted, max }) => {
        const others = heldByOthers(nameOf(shard, key), reservation)
        const free = max - (counted === null ? 0 : readCounter(counted)) - others - retained
        return isFull(nameOf(shard, key), holder) ? 0 : free
      })
      const available = Math.min(requested, ...left)
      const granted = available < Math.max(minimum, 1) ? 0 : available
      for (const { key } of limits) {
        const name = nameOf(shard, key)
        if (!isFull(name, holder)) put(name, reservation, retained + granted)
      }
      return granted
    },
    release(shard, key, holder) {
      const holders = keys.get(nameOf(shard, key))
      holders?.delete(holder)
      if (holders?.size === 0) keys.delete(nameOf(shard, key))
    },
    clear: () => keys.clear(),
  }
}

const nameOf = (shard: number, key: string) => `${shard}/${key}`

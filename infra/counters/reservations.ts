import type { Reservation } from './port.ts'

/** A key takes no more holders than this: a process has one reservation of each campaign, a view one of each cap. */
export const HOLDERS_MAX = 1_000

/** The counters and once keys that reservations are checked against. */
export interface ReservationState {
  /** The value of a counter; 0 when the key is unknown or expired at `now`. */
  value(key: string, now: number): number
  isTaken(onceKey: string, now: number): boolean
}

interface Held {
  amount: number
  expiresAt: number
  settledBy: string | null
}

export interface ReservationTable {
  /** @returns how much of `requested` is granted. */
  reserve(reservation: Reservation, state: ReservationState): number
  /** The once keys that must be known to decide these reservations. */
  onceKeys(reservations: readonly Reservation[]): string[]
  clear(): void
}

/** Reservations in memory, by the rule of `Reservation`. */
export function createReservationTable(): ReservationTable {
  /** In the order of their last change, so that expired keys are found at the front. */
  const keys = new Map<string, Map<string, Held>>()

  /** What other holders have reserved of a key. Drops reservations that have expired or are settled. */
  function heldByOthers(key: string, { holder, now }: Reservation, state: ReservationState): number {
    const holders = keys.get(key)
    let amount = 0
    for (const [each, held] of holders ?? []) {
      const isOver = held.expiresAt <= now || (held.settledBy !== null && state.isTaken(held.settledBy, now))
      if (isOver) holders!.delete(each)
      else if (each !== holder) amount += held.amount
    }
    return amount
  }

  function put(key: string, { holder, expiresAt, settledBy }: Reservation, amount: number): void {
    const holders = keys.get(key) ?? new Map<string, Held>()
    keys.delete(key)
    if (amount > 0) holders.set(holder, { amount, expiresAt, settledBy })
    else holders.delete(holder)
    if (holders.size > 0) keys.set(key, holders)
  }

  const isFull = (key: string, holder: string) => {
    const holders = keys.get(key)
    return holders !== undefined && holders.size >= HOLDERS_MAX && !holders.has(holder)
  }

  function sweep(now: number): void {
    for (const [key, holders] of keys) {
      for (const { expiresAt } of holders.values()) if (expiresAt > now) return
      keys.delete(key)
    }
  }

  return {
    reserve(reservation, state) {
      const { holder, retained, requested, minimum, limits, now } = reservation
      sweep(now)
      const left = limits.map(({ key, counted, max }) => {
        const others = heldByOthers(key, reservation, state)
        const free = max - (counted === null ? 0 : state.value(counted, now)) - others - retained
        return isFull(key, holder) ? 0 : free
      })
      const available = Math.min(requested, ...left)
      const granted = available < Math.max(minimum, 1) ? 0 : available
      for (const { key } of limits) if (!isFull(key, holder)) put(key, reservation, retained + granted)
      return granted
    },
    onceKeys: (reservations) =>
      reservations.flatMap(({ limits, settledBy }) => [
        ...(settledBy === null ? [] : [settledBy]),
        ...limits.flatMap(({ key }) => [...(keys.get(key)?.values() ?? [])].flatMap((held) => held.settledBy ?? [])),
      ]),
    clear: () => keys.clear(),
  }
}

import type { Hold } from './port.ts'

/** A key with so many holders takes no more: a process has one of each campaign, a view one of each cap. */
export const HOLDERS_MAX = 1_000

/** What holds are judged by, besides one another. */
export interface HoldState {
  /** Of a counter; 0 when the key is unknown or expired at `now`. */
  value(key: string, now: number): number
  isTaken(onceKey: string, now: number): boolean
}

interface Held {
  amount: number
  expiresAt: number
  settledBy: string | null
}

export interface HoldTable {
  /** What of `hold.asked` is granted. */
  hold(hold: Hold, state: HoldState): number
  /** Once keys that judging these holds takes a look at. */
  onceKeys(holds: readonly Hold[]): string[]
  clear(): void
}

/** Holds in memory, by the rule of `Hold`. */
export function createHoldTable(): HoldTable {
  /** The keys that were touched last are last, so what has expired is found at the front. */
  const keys = new Map<string, Map<string, Held>>()

  /** What others hold of a key; what counts no more is dropped. */
  function heldByOthers(key: string, { holder, now }: Hold, state: HoldState): number {
    const holders = keys.get(key)
    let amount = 0
    for (const [each, held] of holders ?? []) {
      const isOver = held.expiresAt <= now || (held.settledBy !== null && state.isTaken(held.settledBy, now))
      if (isOver) holders!.delete(each)
      else if (each !== holder) amount += held.amount
    }
    return amount
  }

  function put(key: string, { holder, expiresAt, settledBy }: Hold, amount: number): void {
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
    hold(hold, state) {
      const { holder, kept, asked, least, limits, now } = hold
      sweep(now)
      const left = limits.map(({ key, counted, max }) => {
        const free = max - (counted === null ? 0 : state.value(counted, now)) - heldByOthers(key, hold, state) - kept
        return isFull(key, holder) ? 0 : free
      })
      const most = Math.min(asked, ...left)
      const granted = most < Math.max(least, 1) ? 0 : most
      for (const { key } of limits) if (!isFull(key, holder)) put(key, hold, kept + granted)
      return granted
    },
    onceKeys: (holds) =>
      holds.flatMap(({ limits, settledBy }) => [
        ...(settledBy === null ? [] : [settledBy]),
        ...limits.flatMap(({ key }) => [...(keys.get(key)?.values() ?? [])].flatMap((held) => held.settledBy ?? [])),
      ]),
    clear: () => keys.clear(),
  }
}

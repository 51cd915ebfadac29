import { bucketOf, endOfFlight, FLIGHT_MAX_MS } from '../../domain/money/in-flight.ts'
import { msSince } from '../../domain/time/ms-since.ts'

/** A lease in use is renewed this long after it was granted. */
const RENEW_MS = 10_000
/** How long a granted amount may be spent. A lease that is renewed unused may be spent for longer. */
const USABLE_MS = 40_000
/** While the counters are away, a limit that is older than this says nothing about what is left. */
const LIMIT_KNOWN_MS = 60_000
/** An unused lease is renewed after this share of the time in which it may be spent. */
const RENEW_UNUSED_SHARE = 3 / 4
/**
 * Unused leases last long enough that about UNUSED_PER_S of them are renewed per second, but at most UNUSED_MAX_MS: when a
 * process is killed, what it has set aside stays reserved for that long.
 */
const UNUSED_PER_S = 75
const UNUSED_MAX_MS = 640_000
/** A lease that was granted nothing requests again after this time. */
const STARVED_MS = 1_000
/** How long after its last request a campaign is still leased the cost of one emission, however little is left. */
const DEMANDED_MS = 600_000
/** The demand between two turns is expected in each of this many turns to come. */
const TURNS_AHEAD = 10
const DEMAND_DECAY = 0.8
/** Even without demand, each process keeps this share of the in-flight limit available, at most for STOCK_EMISSIONS emissions. */
const STOCK_SHARE = 0.02
const STOCK_EMISSIONS = 1_000
/** When more than this multiple of what is needed is available, the surplus is released. */
const SURPLUS = 4
/** While the judge is away for long, the oldest buckets are merged, so that no more than about this many are kept. */
const BUCKETS_MAX = 100

/** The longest that an unused lease may be usable when there are this many leases. */
export const unusedUsableMaxMs = (leases: number): number => Math.min((leases / UNUSED_PER_S) * 1_000, UNUSED_MAX_MS)

type Bucket = [bucket: number, micros: number]

/**
 * What one process has in flight of one campaign, and what it still has available to spend: whole micros of expected cost.
 * The counters reserve both, so what is available may be spent without asking them.
 */
export class BudgetLease {
  /** The campaign's limit over all processes: see `inFlightLimit`. */
  limitMicros = 0
  /** The expected cost of the most expensive emission that was requested. */
  highestCostMicros = 0
  readonly #inFlight = new Map<number, number>()
  #inFlightMicros = 0
  #availableMicros = 0
  #requestedAt = Number.NEGATIVE_INFINITY
  #usableMs = USABLE_MS
  #lookedAt = Number.NEGATIVE_INFINITY
  #isStarved = false
  #demandedAt = Number.NEGATIVE_INFINITY
  #demandMicros = 0
  #expectedMicros = 0

  /**
   * What may be spent now.
   * @param isAway whether the counters do not answer: everything up to the limit may then be spent, if it was known recently.
   */
  availableMicros(now: number, isAway: boolean): number {
    const available = now < this.#requestedAt + this.#usableMs ? this.#availableMicros : 0
    if (!isAway || msSince(this.#lookedAt, now) > LIMIT_KNOWN_MS) return available
    return Math.max(available, this.limitMicros - this.#inFlightMicros)
  }

  /**
   * Notes demand, from which `reservation` derives what to ask the counters for. `amountMicros` is the cost of the emission,
   * `highestCostMicros` a new highest cost after the campaign changed.
   */
  request(now: number, { amountMicros = 0, highestCostMicros = this.highestCostMicros } = {}): void {
    this.#demandedAt = now
    this.#demandMicros += amountMicros
    this.highestCostMicros = Math.max(highestCostMicros, amountMicros)
  }

  emit(amountMicros: number, emittedAt: number): void {
    this.#availableMicros = Math.max(0, this.#availableMicros - amountMicros)
    this.#add(amountMicros, emittedAt)
  }

  /** Undoes `emit`: the ad is not shown after all. */
  release(amountMicros: number, emittedAt: number): void {
    this.#add(-amountMicros, emittedAt)
    this.#availableMicros += amountMicros
    this.#demandMicros = Math.max(0, this.#demandMicros - amountMicros)
  }

  #add(amountMicros: number, emittedAt: number): void {
    const bucket = bucketOf(emittedAt)
    this.#inFlight.set(bucket, (this.#inFlight.get(bucket) ?? 0) + amountMicros)
    this.#inFlightMicros += amountMicros
  }

  /**
   * Removes emissions that the judge watermark has passed from the amount in flight. Must be called at each turn. After the
   * clock was set back, emissions that lie ahead of it count as emitted now. Otherwise they would stay in flight until the
   * clock reaches their time again.
   */
  turn(now: number, judgeWatermark: number): void {
    this.#lookedAt = now
    for (const [bucket, micros] of this.#inFlight) {
      if (bucket > bucketOf(now)) {
        this.#inFlight.delete(bucket)
        this.#inFlightMicros -= micros
        this.#add(micros, now)
        continue
      }
      if (endOfFlight(bucket) > judgeWatermark) continue
      this.#inFlight.delete(bucket)
      this.#inFlightMicros -= micros
    }
    if (this.#inFlight.size > BUCKETS_MAX) this.#mergeOldest()
    this.#expectedMicros = Math.max(this.#demandMicros, this.#expectedMicros * DEMAND_DECAY)
    this.#demandMicros = 0
  }

  #mergeOldest(): void {
    const [[first, micros], [second, more]] = this.#inFlight.entries().take(2).toArray() as [Bucket, Bucket]
    this.#inFlight.delete(first)
    this.#inFlight.set(second, micros + more)
  }

  /** How much should be available: nothing, or enough for an emission. Less is useless here, but may serve another process. */
  #neededMicros(now: number): number {
    const one = now - this.#demandedAt < DEMANDED_MS ? this.highestCostMicros : 0
    const stock = Math.min(this.limitMicros * STOCK_SHARE, this.highestCostMicros * STOCK_EMISSIONS)
    const desired = Math.max(this.#expectedMicros * TURNS_AHEAD, one, stock)
    const needed = Math.floor(Math.min(desired, this.limitMicros - this.#inFlightMicros))
    return needed < this.highestCostMicros ? 0 : Math.max(0, needed)
  }

  /** Whether the lease should be renewed now. */
  isDue(now: number): boolean {
    const needed = this.#neededMicros(now)
    const ageMs = msSince(this.#requestedAt, now)
    if (this.#inFlightMicros > 0 && ageMs >= RENEW_MS) return true
    if (ageMs >= this.#usableMs * RENEW_UNUSED_SHARE) return needed > 0
    if (this.#availableMicros > Math.max(0, this.limitMicros - this.#inFlightMicros)) return true
    if (this.#availableMicros > needed * SURPLUS) return true
    const enough = Math.max(needed / 2, Math.min(needed, this.highestCostMicros))
    return this.#availableMicros < enough && (!this.#isStarved || ageMs >= STARVED_MS)
  }

  /** Whether the lease lasts longer than usual because it was unused, and need not be looked at yet. */
  isAtRest(now: number): boolean {
    const isYoung = msSince(this.#requestedAt, now) < this.#usableMs * RENEW_UNUSED_SHARE
    return this.#usableMs > USABLE_MS && this.#availableMicros > 0 && isYoung
  }

  /** To be called when the counters may have lost the reservation: what was granted may then be spent no longer than usual. */
  shorten(): void {
    this.#usableMs = USABLE_MS
  }

  /**
   * What to request from the counters. What is in flight or stays available is retained. The answer goes to `granted`. A lease
   * without demand since the last request becomes usable for twice as long.
   * @param usableMaxMs the longest that an unused lease may be usable.
   * @returns `lastsMs`: how long, by the judge watermark, the counters keep the reservation. It lasts until nothing that was
   * emitted under it is in flight, even if the process is killed. If it were shorter, views of a killed process would count as
   * settled after their reservation was gone.
   */
  reservation(now: number, usableMaxMs: number) {
    const needed = this.#neededMicros(now)
    const usable = this.availableMicros(now, false)
    // While a release is in flight, neither side may spend the amount.
    this.#availableMicros = usable < this.highestCostMicros ? 0 : Math.min(usable, needed)
    const isUnused = this.#inFlightMicros === 0 && this.#demandedAt < this.#requestedAt
    this.#usableMs = isUnused ? Math.max(USABLE_MS, Math.min(2 * this.#usableMs, usableMaxMs)) : USABLE_MS
    return {
      retained: this.#inFlightMicros + this.#availableMicros,
      requested: needed - this.#availableMicros,
      minimum: this.#availableMicros > 0 ? 1 : this.highestCostMicros,
      lastsMs: this.#usableMs + FLIGHT_MAX_MS,
    }
  }

  granted(grantedMicros: number, { requested, requestedAt }: { requested: number; requestedAt: number }): void {
    this.#availableMicros += grantedMicros
    this.#requestedAt = requestedAt
    this.#isStarved = requested > 0 && grantedMicros === 0
  }

  /** Whether nothing is in flight and nothing was requested for a while. */
  isIdle(): boolean {
    return this.#inFlightMicros === 0 && this.#demandMicros === 0 && this.#expectedMicros < 1
  }
}

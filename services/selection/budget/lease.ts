import { bucketOf, endOfFlight, FLIGHT_MAX_MS } from '../../domain/money/in-flight.ts'

/** A lease in use is renewed this long after it was granted, an unused one later. */
const RENEW_MS = 10_000
const RENEW_UNUSED_MS = 30_000
/** For so long what was granted may be emitted. */
const USABLE_MS = 40_000
/**
 * For so long, by what has been judged, the counters hold it: until nothing that was emitted under it is in flight, also
 * when its process has been killed. Were it less, views of a killed process would be counted as settled, which nobody has
 * set aside any more.
 */
export const LEASE_MS = USABLE_MS + FLIGHT_MAX_MS
/** Who was granted nothing asks again after this time. */
const STARVED_MS = 1_000
/** A campaign that was asked for so long ago is still given what one emission takes, however little there is. */
const WANTED_MS = 600_000
/** What was emitted between two turns is expected to be emitted in each of so many turns to come. */
const TURNS_AHEAD = 10
const DEMAND_DECAY = 0.8
/** At hand in each process, asked for or not: this share of what may be in flight, at most so many emissions. */
const STOCK_SHARE = 0.02
const STOCK_EMISSIONS = 1_000
/** What is at hand beyond what is needed by this factor is given back. */
const SURPLUS = 4
/** While the judge is away for long, what was emitted first is told apart from what came next no more. */
const BUCKETS_MAX = 100

type Bucket = [bucket: number, micros: number]

/**
 * What a process has in flight of a campaign, and what it may still emit: micros of expected cost, whole numbers. What is
 * in flight is held in the counters together with what is at hand, so what is at hand may be emitted without asking.
 */
export class Lease {
  /** Over all processes: see `ceilingOf`. */
  ceilingMicros = 0
  /** The expected cost of the dearest emission that was wanted. */
  dearestMicros = 0
  readonly #inFlight = new Map<number, number>()
  #inFlightMicros = 0
  #atHandMicros = 0
  #askedAt = Number.NEGATIVE_INFINITY
  #isStarved = false
  #wantedAt = Number.NEGATIVE_INFINITY
  #demandMicros = 0
  #expectedMicros = 0

  /** What may be emitted now. @param isAway the counters do not answer: all that was left may. */
  roomMicros(now: number, isAway: boolean): number {
    const atHand = now < this.#askedAt + USABLE_MS ? this.#atHandMicros : 0
    return isAway ? Math.max(atHand, this.ceilingMicros - this.#inFlightMicros) : atHand
  }

  /** `amountMicros`: of the emission that is wanted; `dearestMicros`: of any, now that the campaign has changed. */
  want(now: number, { amountMicros = 0, dearestMicros = this.dearestMicros } = {}): void {
    this.#wantedAt = now
    this.#demandMicros += amountMicros
    this.dearestMicros = Math.max(dearestMicros, amountMicros)
  }

  emit(amountMicros: number, emittedAt: number): void {
    this.#atHandMicros = Math.max(0, this.#atHandMicros - amountMicros)
    this.#add(amountMicros, emittedAt)
  }

  /** What was emitted is not shown after all. */
  takeBack(amountMicros: number, emittedAt: number): void {
    this.#add(-amountMicros, emittedAt)
    this.#atHandMicros += amountMicros
    this.#demandMicros = Math.max(0, this.#demandMicros - amountMicros)
  }

  #add(amountMicros: number, emittedAt: number): void {
    const bucket = bucketOf(emittedAt)
    this.#inFlight.set(bucket, (this.#inFlight.get(bucket) ?? 0) + amountMicros)
    this.#inFlightMicros += amountMicros
  }

  /** Lands what has been in flight long enough, by what has been judged. To be called at each turn. */
  turn(judgeWatermark: number): void {
    for (const [bucket, micros] of this.#inFlight) {
      if (endOfFlight(bucket) > judgeWatermark) continue
      this.#inFlight.delete(bucket)
      this.#inFlightMicros -= micros
    }
    if (this.#inFlight.size > BUCKETS_MAX) this.#joinFirst()
    this.#expectedMicros = Math.max(this.#demandMicros, this.#expectedMicros * DEMAND_DECAY)
    this.#demandMicros = 0
  }

  #joinFirst(): void {
    const [[first, micros], [second, more]] = this.#inFlight.entries().take(2).toArray() as [Bucket, Bucket]
    this.#inFlight.delete(first)
    this.#inFlight.set(second, micros + more)
  }

  /** What should be at hand: nothing, or enough for an emission. Less is of no use here, and may be to another process. */
  #neededMicros(now: number): number {
    const one = now - this.#wantedAt < WANTED_MS ? this.dearestMicros : 0
    const stock = Math.min(this.ceilingMicros * STOCK_SHARE, this.dearestMicros * STOCK_EMISSIONS)
    const wanted = Math.max(this.#expectedMicros * TURNS_AHEAD, one, stock)
    const needed = Math.floor(Math.min(wanted, this.ceilingMicros - this.#inFlightMicros))
    return needed < this.dearestMicros ? 0 : Math.max(0, needed)
  }

  /** Whether the counters should be asked now. */
  isDue(now: number): boolean {
    const needed = this.#neededMicros(now)
    const ageMs = now - this.#askedAt
    if (this.#inFlightMicros > 0 && ageMs >= RENEW_MS) return true
    if (ageMs >= RENEW_UNUSED_MS) return needed > 0
    if (this.#atHandMicros > Math.max(0, this.ceilingMicros - this.#inFlightMicros)) return true
    if (this.#atHandMicros > needed * SURPLUS) return true
    const enough = Math.max(needed / 2, Math.min(needed, this.dearestMicros))
    return this.#atHandMicros < enough && (!this.#isStarved || ageMs >= STARVED_MS)
  }

  /** What is asked of the counters: what is in flight or stays at hand is kept. The answer goes to `granted`. */
  ask(now: number): { retained: number; requested: number; minimum: number } {
    const needed = this.#neededMicros(now)
    const usable = this.roomMicros(now, false)
    // What goes back is at nobody's hand while the counters are asked.
    this.#atHandMicros = usable < this.dearestMicros ? 0 : Math.min(usable, needed)
    return {
      retained: this.#inFlightMicros + this.#atHandMicros,
      requested: needed - this.#atHandMicros,
      minimum: this.#atHandMicros > 0 ? 1 : this.dearestMicros,
    }
  }

  granted(grantedMicros: number, { requested, askedAt }: { requested: number; askedAt: number }): void {
    this.#atHandMicros += grantedMicros
    this.#askedAt = askedAt
    this.#isStarved = requested > 0 && grantedMicros === 0
  }

  /** Nothing is in flight, and nothing was wanted for a while. */
  isIdle(): boolean {
    return this.#inFlightMicros === 0 && this.#demandMicros === 0 && this.#expectedMicros < 1
  }
}

import { EngineUnavailable } from '../engine-unavailable.ts'

/**
 * Counters that limits are judged by: views per person and day, spend per campaign, ids seen once.
 * A projection of the log: every change carries the log position that caused it and is applied once.
 */
export interface Counters {
  /**
   * Judges steps in order, each in one atomic step. A position of `source` at or below the last applied one is not
   * applied again: it gets the outcome that it got the first time. Outcomes are kept at least for the last
   * 100,000 positions of each source partition.
   * @param progress of the one source that all steps are then of.
   * @throws CountersBehind, and nothing after what was lost is applied; CountersUnavailable.
   */
  apply(steps: readonly Step[], progress?: Progress): Promise<Outcome[]>
  /**
   * Sets amounts aside, each reservation in one atomic step, in order. @returns how much of each request was granted.
   * No log position stands behind a reservation: it lasts until it expires, is replaced, or is lost with the counters'
   * memory.
   * @throws CountersUnavailable.
   */
  reserve(reservations: readonly Reservation[]): Promise<number[]>
  /**
   * A secret that all who ask under one name share: the first that was proposed, until `ttlMs` after that by the
   * counters' own clock. It is no projection of the log: once forgotten, nothing brings it back.
   * @throws CountersUnavailable.
   */
  agree(name: string, proposed: string, ttlMs: number): Promise<string>
  /** Values now; a key never written, or expired, is 0. */
  read(keys: readonly string[]): Promise<number[]>
  /** The last offset that each source was applied up to; -1: none. */
  positions(sources: readonly string[]): Promise<number[]>
  /** Forgets everything but secrets, which nothing brings back; positions too. */
  clear(): Promise<void>
  close(): Promise<void>
}

export interface Step {
  /** Where the change comes from: a topic's partition, and the offset in it. Offsets of a source grow. */
  source: string
  offset: number
  /** Only the first step with this key goes on, whatever its limits then say; later ones end as 'SEEN'. */
  once: { key: string; expiresAt: number } | null
  /**
   * All limits are checked before any is raised: the first, in order, whose value + add would exceed max ends the
   * step as its `name`. Null max: only counted. With all held, every key is raised by its `add`.
   */
  limits: readonly Limit[]
  /** Who acts: its key remembers the earliest `now` of a step that was carried out. */
  actor?: Actor | null
  /**
   * Thousandths of a unit, 1 to 999, collected at `key`. Once they complete a unit, 1,000 leave the key, every limit
   * that `carries` is checked and raised by one more, and the step ends as 'CARRIED'. A step held back collects nothing.
   */
  carry?: { key: string; thousandths: number } | null
  /** UTC epoch milliseconds that expiry is measured by. */
  now: number
}

/** How far a source has come, so that steps are never applied past changes that the counters have lost. */
export interface Progress {
  source: string
  /** The source must have been applied up to here; -1: anything will do. */
  after: number
  /** Once the steps are applied the source stands here, also when its last offsets have no step. */
  upTo: number
}

export interface Limit {
  name: string
  key: string
  /** A safe integer. What is taken away leaves 0 at least. */
  add: number
  max: number | null
  expiresAt: number | null
  /** May be forgotten as soon as its time has passed by the counters' own clock, however far the steps are behind. */
  brief?: boolean
  /** Takes the unit that the step's `carry` completes. */
  carries?: boolean
  /** Keys whose values count with that of `key`: the earlier parts of a sliding window. */
  window?: readonly string[]
  /** What raises `max`. */
  allowances?: readonly Allowance[]
  /** Exceeded, it does not end the step: it is not raised, and the outcome has `+name` at its end. */
  marks?: boolean
  /** The limit is there only for such an actor: FIRST, of whom nothing is remembered; NEW, not yet KNOWN. */
  of?: 'FIRST' | 'NEW' | 'KNOWN'
  /** The limit is there only while this once key is not taken. */
  unlessTaken?: string
}

export interface Actor {
  key: string
  /** KNOWN is who was remembered so long ago. */
  knownAfterMs: number
  /** Of what is remembered from now on. */
  expiresAt: number
}

/** `gives` for every `per` that the keys have counted, rounded down, at most `max`. */
export interface Allowance {
  keys: readonly string[]
  gives: number
  per: number
  max: number | null
}

/**
 * An amount that one holder sets aside of limits that it shares with other holders. It is granted at most what each limit
 * leaves: `max` less the value of its counter, less what others have reserved of its key, less what the holder retains.
 */
export interface Reservation {
  holder: string
  /** Already in use, a whole number: it stays reserved whatever the limits are. */
  retained: number
  /** Requested on top of it, a whole number. With nothing retained or granted, the holder's reservation is released. */
  requested: number
  /** Grant nothing rather than less than this. */
  minimum: number
  /** The holder reserves `retained` and the granted amount of each key, in place of its former reservation of it. */
  limits: readonly { key: string; counted: string | null; max: number }[]
  /** A once key. When a step takes it, the counters include the amount, and the reservation no longer counts. */
  settledBy: string | null
  /** UTC epoch milliseconds; so is `now`, the time that expiry is measured by. */
  expiresAt: number
  now: number
}

/**
 * 'APPLIED' or 'CARRIED', followed by the names of the limits that mark it (`APPLIED+FAST`); 'SEEN'; or the name of the
 * limit that stopped the step.
 */
export type Outcome = string

/** Thrown when the counters are unavailable; the call may be retried. */
export class CountersUnavailable extends EngineUnavailable {
  override readonly name = 'CountersUnavailable'
}
/** Thrown when the counters have lost changes that were applied before; these must be applied again first. */
export class CountersBehind extends Error {
  override readonly name = 'CountersBehind'
}

import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { HOUR_MS } from '../../../schemas/durations.ts'
import { EVENT_LIFE_MS, LOGGED_AFTER_MAX_MS } from '../../../schemas/event-times.ts'
import type { Erasure, IdentifierDigest } from '../../../schemas/records/records.ts'
import { decode } from '../../../schemas/wire/codec.ts'

/** An identifier by which a shop knows a person. */
export interface Identifier {
  kind: Erasure['identifier']
  value: string
}

/** The start of every pseudonym. A caller may send a cid that starts so; its erasure replaces it by another pseudonym. */
export const PSEUDONYM_PREFIX = 'erased-'
export const isPseudonym = (identifier: string): boolean => identifier.startsWith(PSEUDONYM_PREFIX)

export function digestOf(value: string, salt: Buffer): IdentifierDigest {
  const sha256 = createHash('sha256').update(salt).update(value).digest('hex')
  return { salt: salt.toString('hex'), sha256, crc32: crc32(value) }
}

/** Whether a digest was made of this identifier. */
export function isDigestOf({ salt, sha256 }: IdentifierDigest, value: string): boolean {
  return digestOf(value, Buffer.from(salt, 'hex')).sha256 === sha256
}

/**
 * Records appended more than this after an erasure need no replacement: they tell of what happened after it, or their
 * identifiers were replaced before they were appended. Clocks differ by less than this, and requests end sooner.
 */
export const READ_AFTER_MS = HOUR_MS
/** The longest time from the emission of an ad to the place in the log of an event that names the person to whom it was shown. */
export const NAMED_AFTER_MAX_MS = EVENT_LIFE_MS.CLICK + LOGGED_AFTER_MAX_MS

/** An erasure whose identifier may still occur. */
export type ActiveErasure = Erasure & { digest: IdentifierDigest }

export const isActive = (erasure: Erasure): erasure is ActiveErasure => erasure.digest !== null

/**
 * All erasures. An erasure gives everything that the identifier did until then to a pseudonym, as if to another person. What
 * the same identifier does later belongs to a person about whom nothing is known. So an identifier may be erased again.
 */
export class Erasures {
  readonly #all = new Map<string, Erasure>()
  /** Made when it is first asked for after a change, because a start reads thousands of erasures before it asks. */
  #known: Known | null = null

  /** Takes a record of the topic `erasures`. */
  take(record: Buffer | null): void {
    if (record !== null) this.put(decode('Erasure', record))
  }

  put(erasure: Erasure): void {
    this.#all.set(erasure.id, erasure)
    this.#known = null
  }

  get(id: string): Erasure | undefined {
    return this.#all.get(id)
  }

  all(): Erasure[] {
    return [...this.#all.values()]
  }

  /** The active erasures, the earliest first. */
  active(): readonly ActiveErasure[] {
    return this.#index().active
  }

  /** UTC epoch milliseconds. No active erasure covers what happened later. */
  get coveredUntil(): number {
    return this.#index().active.at(-1)?.requestedAt ?? Number.NEGATIVE_INFINITY
  }

  /** Whether bytes may be an erased identifier: true for all that are, and for one in billions of others. */
  mayBe(identifier: Uint8Array): boolean {
    return this.#index().byChecksum.has(crc32(identifier))
  }

  /** The pseudonym that replaces an identifier in an event of this time; null when it is not erased. */
  pseudonymOf(shopId: string, { kind, value }: Identifier, occurredAt: number): string | null {
    const erasure = this.#index()
      .byChecksum.get(crc32(value))
      ?.find(
        (each) =>
          each.identifier === kind &&
          each.shopId === shopId &&
          occurredAt <= each.requestedAt &&
          isDigestOf(each.digest, value),
      )
    return erasure?.pseudonym ?? null
  }

  #index(): Known {
    this.#known ??= knownOf(this.all())
    return this.#known
  }
}

/** The active erasures, the earliest first: all of them, and by the checksum of the identifier. */
interface Known {
  active: readonly ActiveErasure[]
  byChecksum: ReadonlyMap<number, readonly ActiveErasure[]>
}

function knownOf(all: readonly Erasure[]): Known {
  const active = all.filter(isActive).sort((a, b) => a.requestedAt - b.requestedAt)
  return { active, byChecksum: Map.groupBy(active, ({ digest }) => digest.crc32) }
}

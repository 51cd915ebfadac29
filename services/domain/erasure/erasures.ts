import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Erasure, IdentifierDigest } from '../../../schemas/records/records.ts'
import { decode } from '../../../schemas/wire/codec.ts'

/** What a shop knows a person by. */
export interface Identifier {
  kind: Erasure['identifier']
  value: string
}

/** Pseudonyms begin with it. A caller may send such a cid; it is then erased to another one. */
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
 * Records that were appended later than this after an erasure tell of what happened after it, or were erased before they were
 * appended: clocks differ by less, and requests end sooner.
 */
export const READ_AFTER_MS = 3_600_000
/** An event may be received 7 days after it happened; a day more is for clocks that differ, another for a spool. */
export const LATE_MAX_MS = 9 * 86_400_000

/** An erasure that may still meet its identifier. */
export type ActiveErasure = Erasure & { digest: IdentifierDigest }

export const isActive = (erasure: Erasure): erasure is ActiveErasure => erasure.digest !== null

/**
 * All erasures. What a person did up to an erasure is another person's from then on, one without a name; what the same identifier
 * does later is nobody's that is known. So an identifier may be erased again.
 */
export class Erasures {
  readonly #all = new Map<string, Erasure>()
  /** By the checksum of the identifier, the earliest first. */
  #active = new Map<number, ActiveErasure[]>()
  #coveredUntil = Number.NEGATIVE_INFINITY

  /** Takes a record of the topic `erasures`. */
  take(record: Buffer | null): void {
    if (record !== null) this.put(decode('Erasure', record))
  }

  put(erasure: Erasure): void {
    this.#all.set(erasure.id, erasure)
    const active = this.active()
    this.#active = Map.groupBy(active, ({ digest }) => digest.crc32)
    this.#coveredUntil = active.at(-1)?.requestedAt ?? Number.NEGATIVE_INFINITY
  }

  get(id: string): Erasure | undefined {
    return this.#all.get(id)
  }

  all(): Erasure[] {
    return [...this.#all.values()]
  }

  /** The earliest first. */
  active(): ActiveErasure[] {
    return this.all()
      .filter(isActive)
      .sort((a, b) => a.requestedAt - b.requestedAt)
  }

  /** What happened later is covered by none. */
  get coveredUntil(): number {
    return this.#coveredUntil
  }

  /** Whether bytes may be an erased identifier: true for all that are, and for one of billions of others. */
  mayBe(identifier: Uint8Array): boolean {
    return this.#active.has(crc32(identifier))
  }

  /** What stands in place of an identifier for what happened at a time; null: it is not erased. */
  pseudonymOf(shopId: string, { kind, value }: Identifier, occurredAt: number): string | null {
    const erasure = this.#active
      .get(crc32(value))
      ?.find(
        (each) =>
          each.identifier === kind &&
          each.shopId === shopId &&
          occurredAt <= each.requestedAt &&
          isDigestOf(each.digest, value),
      )
    return erasure?.pseudonym ?? null
  }
}

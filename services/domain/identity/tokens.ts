import { hash, timingSafeEqual } from 'node:crypto'
import type { Scope } from '../../../schemas/records/accounts.ts'

export const ALL_SCOPES: readonly Scope[] = ['slots', 'feed', 'panel', 'import', 'events']

const SECRET_BYTES = 32
/** Lets secret scanners recognise a leaked token. */
const PREFIX = 'endcap_'

/** A new token: 256 random bits. Shown once; only its `hashToken` is stored. */
export function newToken(randomBytes: (size: number) => Buffer): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64url')
}

/** SHA-256, base64url. A slow hash is not needed: tokens are random, so there is no dictionary to try. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** The token of an `Authorization: Bearer …` header; null when it is not one (RFC 6750, section 2.1). */
export function bearerToken(header: string | undefined): string | null {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(header ?? '')?.[1] ?? null
}

/** Compares two hashes of equal length in constant time, so that the time does not reveal where they differ. */
export function equalHashes(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

/** Whether a token is valid at a moment (UTC epoch ms). */
export function isUsable(token: { expiresAt: number | null; revokedAt: number | null }, now: number): boolean {
  return token.revokedAt === null && (token.expiresAt === null || now < token.expiresAt)
}

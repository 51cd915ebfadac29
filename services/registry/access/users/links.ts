import type { Static } from 'typebox'
import { DAY_MS, HOUR_MS } from '../../../../schemas/durations.ts'
import type { PasswordLinkView } from '../../../../schemas/http/panel/accounts/password-links.ts'
import type { PasswordLink, User } from '../../../../schemas/records/accounts.ts'
import { equalHashes, hashToken } from '../../../domain/identity/tokens.ts'
import type { Entity, Snapshot } from '../../../domain/snapshot.ts'
import { toIso } from '../../resources/conversions.ts'
import type { Principal } from '../../rights/auth.ts'
import { isEnabled, keeperOf, loginIdOf, usersOf } from './logins.ts'

/** Lifetime of an invitation, which waits for somebody's first day. */
const INVITATION_LIFE_MS = 7 * DAY_MS
/** Lifetime of a reset that an operator or colleague hands over. */
const RESET_LIFE_MS = DAY_MS
/** Lifetime of a reset that anybody may ask for. */
export const FORGOTTEN_LIFE_MS = HOUR_MS
const SECRET_BYTES = 32

/** A link that sets a password once. Only the hash of its secret is kept. */
export interface NewLink {
  link: PasswordLink
  url: string
}

/**
 * A new link for a user who keeps a login or has none yet, which replaces an earlier one. The secret comes after the `#`, and browsers never send that part, so
 * no server logs it.
 */
export function newLink(
  deps: { randomBytes: (size: number) => Buffer; publicUrl: string; now: () => number },
  user: { id: string; body: User },
  lifeMs?: number,
): NewLink {
  const purpose = user.body.passwordHash === '' ? 'INVITATION' : 'RESET'
  const secret = deps.randomBytes(SECRET_BYTES).toString('base64url')
  const life = lifeMs ?? (purpose === 'INVITATION' ? INVITATION_LIFE_MS : RESET_LIFE_MS)
  return {
    link: { purpose, secretHash: hashToken(secret), expiresAt: deps.now() + life },
    url: `${deps.publicUrl}/panel/set-password#${loginIdOf(user)}.${secret}`,
  }
}

/**
 * The user who was invited, or keeps the login whose password may be set. `token` comes after the link's `#`. Null for a used, expired
 * or wrong link, or when no user of the login may sign in.
 */
export function userOfLink(snapshot: Snapshot, token: string, now: number): Entity<'User'> | null {
  const [id = '', secret = ''] = token.split('.')
  const user = keeperOf(snapshot, id) ?? snapshot.get('User', id)
  const link = user?.body.passwordLink
  if (!user || !link || now >= link.expiresAt || !usersOf(snapshot, id).some(isEnabled)) return null
  return equalHashes(link.secretHash, hashToken(secret)) ? user : null
}

/** The user with a password that was set by a link, which is thereby used up. The caller must end all sessions. */
export function withPasswordOfLink(user: User, passwordHash: string): User {
  return { ...user, passwordHash, passwordLink: null }
}

/**
 * A link as the API shows it. It is shown only once. An invitation that goes by mail is for the invited person alone: from it one can
 * learn whether the address has a login, which no account may know.
 */
export function viewOfLink(
  { link, url }: NewLink,
  isMailed: boolean,
  { role }: Pick<Principal, 'role'>,
): Static<typeof PasswordLinkView> {
  const isHidden = isMailed && role !== 'OPERATOR'
  return { purpose: link.purpose, url: isHidden ? null : url, expiresAt: toIso(link.expiresAt), isMailed }
}

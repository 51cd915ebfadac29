/** Entities of the topic `registry`: accounts, the people who sign in, and the tokens of their programs. Units as in `entities.ts`. */

export interface Account {
  kind: 'PUBLISHER' | 'ADVERTISER' | 'OPERATOR'
  name: string
  companyName: string
  taxNumber: string
  /** Seller ids (feed field externalSellerId) whose products this account may promote. */
  sellerIds: string[]
  displayEnabled: boolean
}

export type Scope = 'slots' | 'feed' | 'panel' | 'import' | 'events'

/**
 * A person in one account. Users of several accounts may share one login: the password, second factor and sessions of a person.
 * One of them keeps it, and these fields of the others are empty.
 */
export interface User {
  /** In lower case, unique in the account. */
  email: string
  /** Argon2id, as libsodium's crypto_pwhash_str writes it. Empty for a user who does not keep a login. */
  passwordHash: string
  /** The kind of the account. */
  role: Account['kind']
  /** Null for an operator without an account. */
  accountId: string | null
  name: string
  /** Since when the user cannot sign in. */
  disabledAt: number | null
  /** Counts how often all sessions of the user were ended: a session of an earlier epoch is over. */
  sessionEpoch: number
  /** Sessions that were signed out before they expired. */
  endedSessions: EndedSession[]
  /** What signing in requires besides the password; null for nothing. */
  secondFactor: SecondFactor | null
  /** A link with which the user may set a password, once. */
  passwordLink: PasswordLink | null
  /** The id of the login that the user shares; null for a user's own, whose id is that of the user, or for none yet. */
  loginId: string | null
}

export interface EndedSession {
  id: string
  /** When the session would have expired. From then on it need not be remembered. */
  expiresAt: number
}

/** An authenticator app (TOTP, RFC 6238). */
export interface SecondFactor {
  /** Its secret, encrypted with a key of the installation, base64url. */
  sealedSecret: string
  /** Time step of the last code that was accepted: a code is accepted only once. */
  lastStep: number
  /** SHA-256 of each recovery code that was not used yet, base64url. */
  recoveryHashes: string[]
  enabledAt: number
}

export interface PasswordLink {
  /** INVITATION: the first password. RESET: a forgotten one. */
  purpose: 'INVITATION' | 'RESET'
  /** SHA-256 of its secret, base64url. */
  secretHash: string
  expiresAt: number
}

/** An access token of the API. */
export interface Token {
  accountId: string
  name: string
  scopes: Scope[]
  /** SHA-256 of the token, base64url. The token itself is shown once and never stored. */
  secretHash: string
  expiresAt: number | null
  revokedAt: number | null
  /** The user who made it: the token works only while this user is enabled. Null for the bootstrap token, or when unknown. */
  createdBy: string | null
  /** Null when unknown. */
  createdAt: number | null
  /** Accurate to an hour. */
  lastUsedAt: number | null
}

/** Settings of a report that a user has saved under a name. */
export interface ReportView {
  /** The only user who sees it. */
  userId: string
  /** Empty once deleted, as is the address. */
  name: string
  /** The query of the report's address in the panel. */
  address: string
  /** Whether the report opens with it; at most one view of a user. */
  isDefault: boolean
}

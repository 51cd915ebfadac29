/** Of the topic `registry`: accounts, the people who sign in, and the tokens of their programs. Units as in `entities.ts`. */

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

/** A person who signs in to the panel. */
export interface User {
  /** In lower case, one of a kind. */
  email: string
  /** Argon2id, as libsodium's crypto_pwhash_str writes it; empty: no password, as of who was invited or is deleted. */
  passwordHash: string
  /** That of the account. */
  role: Account['kind']
  /** Null: an operator without one. */
  accountId: string | null
  name: string
  /** Since when the user cannot sign in. */
  disabledAt: number | null
  /** Counts what ended all of the user's sessions: a session of an earlier epoch is over. */
  sessionEpoch: number
  /** Signed out before they expired. */
  endedSessions: EndedSession[]
  /** What signing in asks for as well. */
  secondFactor: SecondFactor | null
  /** With which the user may set a password, once. */
  passwordLink: PasswordLink | null
}

export interface EndedSession {
  id: string
  /** When it would have expired, and need not be remembered any more. */
  expiresAt: number
}

/** An authenticator app (TOTP, RFC 6238). */
export interface SecondFactor {
  /** Its secret, encrypted with a key of the installation, base64url. */
  sealedSecret: string
  /** Time step of the last code that was taken: a code counts once. */
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
  /** User who made it, with whom it falls; null: the bootstrap token, or unknown. */
  createdBy: string | null
  /** Null: unknown. */
  createdAt: number | null
  /** Within an hour of its last use. */
  lastUsedAt: number | null
}

/** Settings of a report that a user keeps under a name. */
export interface ReportView {
  /** Who alone sees it. */
  userId: string
  /** Empty once deleted, as is the address. */
  name: string
  /** The query of the report's address in the panel. */
  address: string
  /** The report opens with it; at most one of a user. */
  isDefault: boolean
}

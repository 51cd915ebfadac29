import type { EntityKind } from './entities.ts'

/** What the security log tells: docs/panel-access.md says what each means. */
export const securityEventKinds = [
  'SIGNED_IN',
  'SIGN_IN_FAILED',
  'SIGN_IN_LIMITED',
  'SIGNED_OUT',
  'SIGNED_OUT_EVERYWHERE',
  'REAUTHENTICATED',
  'REAUTHENTICATION_FAILED',
  'TOKEN_CREATED',
  'TOKEN_FIRST_USED',
  'TOKEN_REVOKED',
  'SIGNING_KEY_CREATED',
  'USER_CREATED',
  'USER_RENAMED',
  'USER_DISABLED',
  'USER_ENABLED',
  'PASSWORD_CHANGED',
  'PASSWORD_LINK_CREATED',
  'PASSWORD_LINK_USED',
  'SECOND_FACTOR_ENABLED',
  'SECOND_FACTOR_REMOVED',
  'RECOVERY_CODES_CREATED',
  'RECOVERY_CODE_USED',
  'DELETED',
  'ERASURE_REQUESTED',
  'PERSONAL_DATA_READ',
] as const

export type SecurityEventKind = (typeof securityEventKinds)[number]

/** Topic `security-events`: something that concerns who may do what. */
export interface SecurityEvent {
  id: string
  kind: SecurityEventKind
  occurredAt: number
  /** From then on it is shown to nobody. */
  expiresAt: number
  /** NOBODY: who is not known. */
  actorKind: 'USER' | 'TOKEN' | 'BOOTSTRAP' | 'NOBODY'
  actorId: string | null
  /** Whose users may read it; null: operators only. */
  accountId: string | null
  subjectKind: EntityKind | null
  subjectId: string | null
  /** For people; no personal data. */
  detail: string
  /** Keyed hash of the network address that it came from. */
  source: string | null
}

import type { EntityKind } from './entities.ts'

/** The kinds of security events. docs/panel-access.md says what each means. */
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

/** Topic `security-events`: something happened that concerns who may do what. */
export interface SecurityEvent {
  id: string
  kind: SecurityEventKind
  occurredAt: number
  /** From this time on the event is shown to nobody. */
  expiresAt: number
  /** NOBODY when the actor is not known. */
  actorKind: 'USER' | 'TOKEN' | 'BOOTSTRAP' | 'NOBODY'
  actorId: string | null
  /** The account whose users may read it; null for operators only. */
  accountId: string | null
  subjectKind: EntityKind | null
  subjectId: string | null
  /** Text for people to read, without personal data. */
  detail: string
  /** Keyed hash of the network address that the request came from. */
  source: string | null
}

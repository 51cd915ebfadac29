import type { Analytics } from '../../../infra/analytics/port.ts'
import type { SecurityEvent, SecurityEventKind } from '../../../schemas/records/security-event.ts'

export type SecurityRow = Omit<SecurityEvent, 'expiresAt'>

export interface SecurityWanted {
  /** Null for all accounts. */
  accountId: string | null
  /** The user who acted or whom the action concerned; null for anybody. */
  userId: string | null
  kind: SecurityEventKind | null
  now: number
  /** The last row of the previous page. */
  after: { occurredAt: number; id: string } | null
  limit: number
}

const SQL = `
SELECT id, kind, occurredAt, actorKind, actorId, accountId, subjectKind, subjectId, detail, source
FROM security_events
WHERE expiresAt > {now:Int64}
  AND ({accountId:String} = '' OR accountId = {accountId:String})
  AND ({kind:String} = '' OR kind = {kind:String})
  AND ({userId:String} = '' OR (actorKind = 'USER' AND actorId = {userId:String})
    OR (subjectKind = 'User' AND subjectId = {userId:String}))
  AND (occurredAt, id) < ({occurredAt:Int64}, {id:String})
ORDER BY occurredAt DESC, id DESC
LIMIT 1 BY id
LIMIT {limit:UInt32}`

/** Later than any event: where the first page begins. */
const NEWEST = { occurredAt: 2 ** 52, id: '' }

/** Security events, the latest first. */
export function querySecurityEvents(analytics: Analytics, wanted: SecurityWanted): Promise<SecurityRow[]> {
  const { accountId, userId, kind, now, limit } = wanted
  const { occurredAt, id } = wanted.after ?? NEWEST
  const given = { accountId: accountId ?? '', userId: userId ?? '', kind: kind ?? '' }
  return analytics.query<SecurityRow>(SQL, { ...given, now, occurredAt, id, limit })
}

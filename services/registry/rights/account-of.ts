import type { EntityBodies, EntityKind } from '../../../schemas/records/entities.ts'
import type { Snapshot } from '../../domain/snapshot.ts'

/** The account that an entity belongs to, directly or through its shop; null when it belongs to none. */
export function accountOf(
  snapshot: Snapshot,
  { kind, id, body }: { kind: EntityKind; id: string; body: EntityBodies[EntityKind] },
): string | null {
  if (kind === 'Account') return id
  if ('accountId' in body) return body.accountId
  return 'shopId' in body ? (snapshot.getEver('Shop', body.shopId)?.body.accountId ?? null) : null
}

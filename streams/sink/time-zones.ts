import type { Analytics } from '../../infra/analytics/port.ts'
import type { Snapshot } from '../../services/domain/snapshot.ts'

/** Selects the versions of shops that were stored by a version of the program that did not store the zone. */
const WITHOUT_ZONE = "timeZone = ''"

/**
 * Fills in the missing time zones of `shop_versions` from the registry. Every version gets the zone that the shop has now, since
 * the views on that table use only its latest version. Doing it again changes nothing.
 */
async function fillTimeZones({ analytics, snapshot }: { analytics: Analytics; snapshot: Snapshot }) {
  const [missing] = await analytics.query<{ shopIds: string[] }>(
    `SELECT groupUniqArray(shopId) AS shopIds FROM shop_versions WHERE ${WITHOUT_ZONE}`,
  )
  const shops = missing!.shopIds.flatMap((id) => snapshot.getEver('Shop', id) ?? [])
  if (shops.length === 0) return
  await analytics.command(
    `ALTER TABLE shop_versions
     UPDATE timeZone = transform(shopId, {shopIds:Array(String)}, {zones:Array(String)}, '') WHERE ${WITHOUT_ZONE}
     SETTINGS mutations_sync = 1`,
    { shopIds: shops.map(({ id }) => id), zones: shops.map(({ body }) => body.timeZone) },
  )
}

/** The turns of this periodic work. Once one has succeeded, the others do nothing. */
export function createTimeZones(deps: { analytics: Analytics; snapshot: Snapshot }): () => Promise<boolean> {
  let isDone = false
  return async () => {
    if (!isDone) await fillTimeZones(deps)
    isDone = true
    return false
  }
}

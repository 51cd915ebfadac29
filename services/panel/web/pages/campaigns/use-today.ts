import type { Campaign, Shop } from '../../client/types.ts'
import { dateIn } from '../../components/values/times.tsx'
import { useEntity } from '../../data/use-entity.ts'

const REFRESH_MS = 30_000
const DAY_MS = 86_400_000

/** Today's spend of each campaign, in the time zone of the shop, or of each shop without one. Undefined while loading. */
export function useSpentToday(shop: Shop | undefined): ((campaign: Campaign) => number) | undefined {
  const now = Date.now()
  const zone = shop?.timeZone
  const query = {
    from: dateIn(zone, now),
    to: dateIn(zone, now + DAY_MS),
    groupBy: 'campaign',
    metrics: 'spend',
    ...(shop ? { shopId: shop.id } : {}),
  }
  const { data } = useEntity('/v1/panel/reports', { query, refreshMs: REFRESH_MS })
  if (!data) return undefined
  const spent = new Map(data.rows.map((row) => [row.campaign as string, row.spend ?? 0]))
  return ({ id }) => spent.get(id) ?? 0
}

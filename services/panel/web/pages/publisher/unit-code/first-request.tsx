import { Alert, Loader } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { MINUTE_MS } from '../../../../../../schemas/durations.ts'
import type { AdUnit } from '../../../client/types.ts'
import { ShopLink } from '../../../components/page/shop-link.tsx'
import { dateIn } from '../../../components/values/times.tsx'
import { useEntity } from '../../../data/use-entity.ts'
import { t } from '../../../messages/pages/ad-units.ts'

const POLL_MS = 3_000
/** The clocks of browser and server may differ by as much. */
const CLOCKS_APART_MS = 5 * MINUTE_MS

/** Says whether ads of the unit are requested. Waits for the first request while the tab is visible. */
export function FirstRequest({ unit, timeZone }: { unit: AdUnit; timeZone: string | undefined }) {
  const [openedAt] = useState(Date.now)
  const query = { adUnitId: unit.id, limit: 1 }
  const before = useEntity('/v1/panel/explain/emissions', { query })
  const isWaiting = before.data?.items.length === 0
  const since = useEntity('/v1/panel/explain/emissions', {
    query: { ...query, from: new Date(openedAt - CLOCKS_APART_MS).toISOString() },
    enabled: isWaiting,
    refreshMs: (found) => (found?.items.length ? false : POLL_MS),
  })
  const [known] = before.data?.items ?? []
  const [first] = since.data?.items ?? []
  if ((before.problem && !before.data) || since.problem) {
    return <Alert color="gray" variant="light" icon={<IconAlertTriangle aria-hidden />} title={t('notChecked')} />
  }
  if (!before.data) return null
  const request = known ?? first
  if (!request) {
    return (
      <Alert color="blue" variant="light" role="status" icon={<Loader size={16} aria-hidden />} title={t('waiting')}>
        {t('waitingHelp')}
      </Alert>
    )
  }
  const time = timeText(request.occurredAt, timeZone)
  return (
    <Alert
      color="teal"
      variant="light"
      role="status"
      icon={<IconCircleCheck aria-hidden />}
      title={known ? t('lastRequest', { time }) : t('received', { time })}
    >
      <ShopLink shopId={unit.shopId} to={`/ad-requests?adUnitId=${unit.id}`} size="sm" c="inherit" underline="always">
        {t('openRequests')}
      </ShopLink>
    </Alert>
  )
}

/** A time of day with its zone, 12:03 CET; with the date if it is not today. */
function timeText(at: string, timeZone: string | undefined): string {
  const isToday = dateIn(timeZone, Date.parse(at)) === dateIn(timeZone, Date.now())
  const date = isToday ? {} : ({ month: 'short', day: 'numeric' } as const)
  const style = { ...date, hour: 'numeric', minute: '2-digit', timeZoneName: 'short', timeZone } as const
  return new Intl.DateTimeFormat(undefined, style).format(new Date(at))
}

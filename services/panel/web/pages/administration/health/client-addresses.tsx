import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEntity } from '../../../data/use-entity.ts'

const REFRESH_MS = 60_000
/** Fewer say nothing: somebody tries it out. */
const EVENTS_MIN = 100
const count = new Intl.NumberFormat()

/** Says so when most views and clicks come without an address, and rules against invalid traffic have nothing to count by. */
export function ClientAddresses() {
  const { data } = useEntity('/v1/panel/invalid-traffic/addresses', { refreshMs: REFRESH_MS })
  if (!data || data.events < EVENTS_MIN || data.known * 2 >= data.events) return null
  return (
    <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title="The addresses of shoppers are unknown">
      {count.format(data.events - data.known)} of {count.format(data.events)} views and clicks of the last 24 hours came
      without a public address, so rules against invalid traffic do not count them. Name the proxy in front of Endcap in
      TRUSTED_PROXIES; a shop whose server reports events sends endcap-client-address with its token.
    </Alert>
  )
}

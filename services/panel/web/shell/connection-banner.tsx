import { IconCloudOff } from '@tabler/icons-react'
import { relative, usePresent } from '../components/values/times.tsx'
import { useConnection } from '../data/use-connection.ts'
import { t } from '../messages/shell.ts'
import classes from './connection-banner.module.css'

/** Pixels. It has two lines on a phone. */
export const BANNER_HEIGHT = { base: 42, sm: 30 }

/** How often to refresh the banner: the page below changes too, and may then show older data or none. */
const REFRESH_MS = 2_000

/** Says that the server does not answer, and how old the page is. Disappears by itself. */
export function ConnectionBanner() {
  const { isAway } = useConnection()
  // The live region must exist before its text, or screen readers would not read the text out.
  return (
    <div role="status" className={classes.region}>
      {isAway && <Banner />}
    </div>
  )
}

function Banner() {
  const { shownFrom } = useConnection()
  const now = usePresent(REFRESH_MS)
  return (
    <div className={classes.banner}>
      <IconCloudOff size={18} aria-hidden className={classes.icon} />
      <span>
        {shownFrom === null
          ? t('away')
          : t('awayShownFrom', { time: timeOf(shownFrom, now), ago: relative(shownFrom - now) })}
      </span>
    </div>
  )
}

/** The time of day, with the date when it is not today's. */
function timeOf(ms: number, now: number): string {
  const isToday = new Date(ms).toDateString() === new Date(now).toDateString()
  const style: Intl.DateTimeFormatOptions = { timeStyle: 'short', ...(!isToday && { dateStyle: 'medium' }) }
  return new Intl.DateTimeFormat(undefined, style).format(ms)
}

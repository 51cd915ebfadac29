import dayjs from 'dayjs'
import timezone from 'dayjs/plugin/timezone.js'
import utc from 'dayjs/plugin/utc.js'

dayjs.extend(utc)
dayjs.extend(timezone)

const FIELD_FORMAT = 'YYYY-MM-DDTHH:mm'

/** What a clock in the time zone shows at a moment, as a datetime-local field holds it. */
export const toZoneTime = (iso: string, timeZone: string): string => dayjs(iso).tz(timeZone).format(FIELD_FORMAT)

/** The moment at which a clock in the time zone shows this, ISO 8601. */
export const fromZoneTime = (local: string, timeZone: string): string => dayjs.tz(local, timeZone).toISOString()

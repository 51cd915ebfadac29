import dayjs from 'dayjs'
import timezone from 'dayjs/plugin/timezone.js'
import utc from 'dayjs/plugin/utc.js'

dayjs.extend(utc)
dayjs.extend(timezone)

const FIELD_FORMAT = 'YYYY-MM-DDTHH:mm'

/** The clock time in the time zone, in the format of a datetime-local field. */
export const toZoneTime = (iso: string, timeZone: string): string => dayjs(iso).tz(timeZone).format(FIELD_FORMAT)

/** The instant (ISO 8601) of a clock time in the time zone. */
export const fromZoneTime = (local: string, timeZone: string): string => dayjs.tz(local, timeZone).toISOString()

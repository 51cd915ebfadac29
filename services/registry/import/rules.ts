import type { NewRecord } from '../../../infra/event-log/port.ts'
import { DAY_MS } from '../../../schemas/durations.ts'
import type { FieldError } from '../../domain/errors.ts'
import { canonicalId } from '../../domain/identity/uuid.ts'

const DATE = /^\d{4}-\d\d-\d\d$/
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

export interface ImportRules {
  /** The time zone of a shop; undefined when the caller may not import for it. */
  timeZoneOf: (shopId: string) => string | undefined
  /** UTC epoch milliseconds of the start of a day (YYYY-MM-DD) in a time zone. */
  startOfDay: (day: string, timeZone: string) => number
  /** The shop of entries that name none. */
  defaultShopId: string | null
  /** Who imports: the id of a user or, for a token, that of its account. */
  by: string
  /** UTC epoch milliseconds. */
  now: number
}

export type Read = { tag: 'TAKEN'; record: NewRecord } | { tag: 'REFUSED'; errors: FieldError[] }

export function refused(errors: FieldError[]): Read {
  return { tag: 'REFUSED', errors }
}

/** The shop and the time of an entry. A date is the start of that day in the shop's time zone. */
export function placeOf(
  entry: { shopId?: string | null; occurredAt: string },
  rules: ImportRules,
): { shopId: string; occurredAt: number } | { errors: FieldError[] } {
  const shopId = entry.shopId ? canonicalId(entry.shopId) : rules.defaultShopId
  const timeZone = shopId === null ? undefined : rules.timeZoneOf(shopId)
  const occurredAt = timeOf(entry.occurredAt, timeZone ?? 'UTC', rules)
  const errors: FieldError[] = []
  if (shopId === null) errors.push({ path: '/shopId', message: 'is required unless you have exactly one shop' })
  else if (timeZone === undefined) errors.push({ path: '/shopId', message: 'there is no such shop' })
  if (occurredAt === null) errors.push({ path: '/occurredAt', message: 'is neither a time with an offset nor a date' })
  else if (occurredAt > rules.now) errors.push({ path: '/occurredAt', message: 'is in the future' })
  else if (occurredAt < 0) errors.push({ path: '/occurredAt', message: 'is before 1970' })
  return errors.length > 0 ? { errors } : { shopId: shopId!, occurredAt: occurredAt! }
}

function timeOf(text: string, timeZone: string, { startOfDay, now }: ImportRules): number | null {
  const day = text.slice(0, 10)
  if (!DATE.test(text) && !DATE_TIME.test(text)) return null
  const midnight = new Date(`${day}T00:00:00Z`)
  // Refuses days such as the 30th of February, which Date would take for the 2nd of March.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return null
  const epochMs = Date.parse(text)
  if (Number.isNaN(epochMs)) return null
  // Dates that are refused in every zone are not looked up.
  if (!DATE.test(text) || epochMs < 0 || epochMs > now + DAY_MS) return epochMs
  // The first day of 1970 began before 1970 in the east.
  return Math.max(0, startOfDay(text, timeZone))
}

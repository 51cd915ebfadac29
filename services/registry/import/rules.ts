import type { NewRecord } from '../../../infra/event-log/port.ts'
import type { FieldError } from '../../domain/errors.ts'
import { canonicalId } from '../../domain/identity/uuid.ts'

const DATE = /^\d{4}-\d\d-\d\d$/
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

export interface ImportRules {
  /** Whether the caller may import for a shop. */
  isShop: (shopId: string) => boolean
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

/** The shop and the time of an entry. */
export function placeOf(
  entry: { shopId?: string | null; occurredAt: string },
  rules: ImportRules,
): { shopId: string; occurredAt: number } | { errors: FieldError[] } {
  const shopId = entry.shopId ? canonicalId(entry.shopId) : rules.defaultShopId
  const occurredAt = timeOf(entry.occurredAt)
  const errors: FieldError[] = []
  if (shopId === null) errors.push({ path: '/shopId', message: 'is required unless you have exactly one shop' })
  else if (!rules.isShop(shopId)) errors.push({ path: '/shopId', message: 'there is no such shop' })
  if (occurredAt === null) errors.push({ path: '/occurredAt', message: 'is neither a time with an offset nor a date' })
  else if (occurredAt > rules.now) errors.push({ path: '/occurredAt', message: 'is in the future' })
  else if (occurredAt < 0) errors.push({ path: '/occurredAt', message: 'is before 1970' })
  return errors.length > 0 ? { errors } : { shopId: shopId!, occurredAt: occurredAt! }
}

function timeOf(text: string): number | null {
  const day = text.slice(0, 10)
  if (!DATE.test(text) && !DATE_TIME.test(text)) return null
  const midnight = new Date(`${day}T00:00:00Z`)
  // Refuses days such as the 30th of February, which Date would take for the 2nd of March.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return null
  const epochMs = Date.parse(text)
  return Number.isNaN(epochMs) ? null : epochMs
}

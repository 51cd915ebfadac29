import { labelOf } from '../../../messages/api-names.ts'
import { t } from '../../../messages/fields.ts'

/** The fields whose values can be read as they are, and the parts of such fields. Codes and pictures are seen in the form. */
const READABLE = new Set(
  (
    'name companyName taxNumber sellerIds url username currency lang country timeZone targetUrl mobileDeepLink attributionProductIds ' +
    'ids brands categoryPaths labels phrases productIds profiles refererPatterns'
  ).split(' '),
)
/** Fields whose values consist of parts. */
const PARTS = new Set(['targeting', 'products', 'rule'])
/** The most values of a list that are shown. */
const VALUES_SHOWN_MAX = 20
/** The value of a field for a date and time, in the time zone that its label names. */
const CLOCK_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/

/** The value of a field in words; null if only the form can show it. */
export function clashValue(field: string, value: unknown): string | null {
  if (isEmpty(value)) return t('nothing')
  if (typeof value === 'boolean') return value ? t('on') : t('off')
  if (typeof value === 'number') return new Intl.NumberFormat().format(value)
  if (typeof value === 'string' && CLOCK_TIME.test(value)) return clockTime(value)
  if (PARTS.has(field) && !Array.isArray(value)) return partsOf(value as object)
  if (!READABLE.has(field)) return null
  return Array.isArray(value) ? listOf(value) : String(value)
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === null) return true
  return typeof value === 'object' && Object.values(value).every(isEmpty)
}

function clockTime(value: string): string {
  const style = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(undefined, style).format(Date.parse(`${value}Z`))
}

function listOf(values: readonly unknown[]): string {
  const shown = values.slice(0, VALUES_SHOWN_MAX).join(', ')
  const others = values.length - VALUES_SHOWN_MAX
  return others > 0 ? t('andOthers', { values: shown, count: others }) : shown
}

/** The parts that are not empty, each with its label. Those of a part within are listed among them. */
function partsOf(value: object): string {
  return Object.entries(value)
    .filter(([, part]) => !isEmpty(part))
    .map(([name, part]) =>
      PARTS.has(name)
        ? partsOf(part as object)
        : t('clashValue', { whose: labelOf(name) ?? name, value: clashValue(name, part) ?? '' }),
    )
    .join('; ')
}

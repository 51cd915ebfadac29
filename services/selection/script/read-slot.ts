import { FORMATTED_LIMITS, type FormattedSlot } from '../../../schemas/http/formatted.ts'
import { SELECTION_LIMITS, Targeting } from '../../../schemas/http/targeting.ts'
import { type FieldError, fieldProblem, type Problem } from '../../domain/errors.ts'
import { checkOf } from '../../http/lazy-schemas.ts'
import { invalid, listFieldErrors } from '../../http/violations.ts'

type Texts = Readonly<Record<string, string | string[] | undefined>>

const isTargeting = checkOf(Targeting)
const WHOLE = /^[1-9]\d{0,2}$/
const DECIMAL = /^-?\d+(\.\d+)?$/

/** Where a field of the ad request comes from; all others are query parameters of the same name. */
const SOURCES: Readonly<Record<string, string>> = {
  slotHash: 'params/slotHash',
  excludedShopProductIds: 'querystring/excludedShopProductsIds',
  categoryIds: 'querystring/categoryId',
  categoryPaths: 'querystring/categoryId',
}
/** The message for a missing required field that the script's address names differently or can give in another way. */
const MISSING: Readonly<Record<string, string>> = {
  searchData: 'is required unless categoryId is given',
  categoryPaths: 'is required',
  productId: 'is required unless shopProductId is given',
}

/**
 * Reads the path and the query of the emission script into an ad request.
 * @throws Problem (400) that lists every parameter that is wrong.
 */
export function readSlot(params: Texts, query: Texts): Omit<FormattedSlot, 'lang'> {
  const errors: FieldError[] = []
  const rows = side(params, 'row', errors)
  const cols = side(params, 'col', errors)
  if (rows * cols > SELECTION_LIMITS.adsMax) {
    errors.push({
      path: 'params/col',
      message: `must be at most ${Math.floor(SELECTION_LIMITS.adsMax / rows)} with ${rows} rows: ${SELECTION_LIMITS.adsMax} ads in all`,
    })
  }
  const elementId = String(params.elementId)
  if (elementId.length > FORMATTED_LIMITS.elementIdChars) {
    errors.push({
      path: 'params/elementId',
      message: `must not have more than ${FORMATTED_LIMITS.elementIdChars} characters`,
    })
  }
  const targeting = { ...targetingOf(query), slotHash: params.slotHash, adCount: errors.length > 0 ? 1 : rows * cols }
  if (!isTargeting(targeting)) {
    errors.push(...listFieldErrors(Targeting, targeting).map((error) => atSource(error)))
  }
  if (errors.length > 0) throw invalid(errors)
  return { elementId, rows, cols, targeting: targeting as Targeting }
}

/** Restates a problem of the ad request in terms of the parameters of the script's address. */
export function atSources({ code, errors, retryAfterSeconds }: Problem): Problem {
  const restated = errors.map((error) => atSource({ ...error, path: error.path.replace(/^\/targeting\/0/, '') }))
  return fieldProblem(code, restated, retryAfterSeconds === null ? {} : { retryAfterSeconds })
}

/** Drops the position within a list, except in `attributes`: in other lists it means nothing to the author of the address. */
function atSource({ path, message }: FieldError): FieldError {
  const [, field = '', ...rest] = path.split('/')
  const source = SOURCES[field] ?? `querystring/${field}`
  return {
    path: field === 'attributes' ? [source, ...rest].join('/') : source,
    message: message.startsWith('is required') ? (MISSING[field] ?? message) : message,
  }
}

function side(params: Texts, name: 'row' | 'col', errors: FieldError[]): number {
  const text = String(params[name])
  if (WHOLE.test(text)) return Number(text)
  errors.push({ path: `params/${name}`, message: `must be a whole number from 1 to ${SELECTION_LIMITS.adsMax}` })
  return 1
}

/** Not validated: a value that cannot be parsed is left as it came, for the schema to refuse. */
function targetingOf(query: Texts): Record<string, unknown> {
  const { searchData, currency, brand, productTitle, shopProductId } = query
  const { excludedShopProductsIds, priceMin, priceMax, categoryId, attributes, productId, productIds } = query
  const read = {
    searchData,
    excludedShopProductIds: listed(excludedShopProductsIds),
    priceMin: decimal(priceMin),
    priceMax: decimal(priceMax),
    currency,
    brand,
    productTitle,
    shopProductId,
    // The product of the page is also the one to which similar products are found.
    productId: productId || shopProductId,
    productIds: listed(productIds),
    categoryIds: categoryId ? [categoryId] : undefined,
    attributes: json(attributes),
  }
  // Page templates write `brand=` when they have no brand.
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined && value !== ''))
}

function listed(value: Texts[string]): unknown {
  if (typeof value !== 'string') return value
  const ids = value.split(',').map((id) => id.trim())
  const given = ids.filter((id) => id !== '')
  return given.length > 0 ? given : undefined
}

function decimal(value: Texts[string]): unknown {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value
}

function json(value: Texts[string]): unknown {
  if (typeof value !== 'string' || value === '') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

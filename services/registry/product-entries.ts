import type { FastifySchemaValidationError } from 'fastify'
import { Compile } from 'typebox/compile'
import { DeleteEntry, UpsertEntry, type UpsertedProduct } from '../../schemas/http/products.ts'
import type { FieldError } from '../domain/errors.ts'
import { ERRORS_LISTED_MAX, listFieldErrors } from '../violations.ts'
import { readWebUrl } from './feeds/values.ts'
import type { OfferFeed } from './product-offer.ts'

/** One entry of a product update that is right. */
export type ProductEntry =
  | { method: 'UPSERT'; product: UpsertedProduct; feed: OfferFeed }
  | { method: 'DELETE'; product: { feedId: string; id: string }; feed: OfferFeed }

export interface EntryProblems {
  /** The first 100. */
  errors: FieldError[]
  wrongEntries: number
}

const upsert = Compile(UpsertEntry)
const remove = Compile(DeleteEntry)
/** Entry, product, list, item. */
const ENTRY_DEPTH = 4
/** Schemes that run code instead of opening an application. */
const UNSAFE_SCHEME = /^(javascript|data|vbscript|file|blob):/i

/**
 * Checks every entry, and all of each. Null counts as not given: such properties are removed from `entries`.
 * @param feeds what the caller may write to, by feed id.
 */
export function readEntries(
  entries: readonly unknown[],
  feeds: ReadonlyMap<string, OfferFeed>,
): { entries: ProductEntry[]; problems: EntryProblems } {
  const right: ProductEntry[] = []
  const problems: EntryProblems = { errors: [], wrongEntries: 0 }
  const firstByBatchId = new Map<string, number>()
  entries.forEach((given, i) => {
    dropNulls(given)
    const entry = given as ProductEntry & { batchId: string }
    const errors = entryErrors(entry, feeds)
    const batchId = entry?.batchId
    if (typeof batchId === 'string') {
      const first = firstByBatchId.get(batchId)
      if (first === undefined) firstByBatchId.set(batchId, i)
      else errors.push({ path: '/batchId', message: `is the batchId of entry ${first} too` })
    }
    if (errors.length === 0) {
      right.push({
        method: entry.method,
        product: entry.product,
        feed: feeds.get(entry.product.feedId)!,
      } as ProductEntry)
      return
    }
    problems.wrongEntries++
    const room = ERRORS_LISTED_MAX - problems.errors.length
    for (const { path, message } of errors.slice(0, room)) {
      problems.errors.push({ path: `/entries/${i}${path === '/' ? '' : path}`, message })
    }
  })
  return { entries: right, problems }
}

function entryErrors(entry: ProductEntry, feeds: ReadonlyMap<string, OfferFeed>): FieldError[] {
  const schema = entry?.method === 'DELETE' ? remove : upsert
  const errors = schema.Check(entry)
    ? []
    : listFieldErrors(schema.Errors(entry) as FastifySchemaValidationError[], 'body')
  const product: Partial<UpsertedProduct> | undefined = entry?.product
  if (typeof product !== 'object') return errors
  if (typeof product.feedId === 'string' && !feeds.has(product.feedId)) {
    errors.push({ path: '/product/feedId', message: 'there is no such feed' })
  }
  if (entry.method !== 'DELETE') errors.push(...productErrors(product))
  return errors
}

/** What the schema cannot say. */
function productErrors({ price, salePrice, link, imageLink, deepLink }: Partial<UpsertedProduct>): FieldError[] {
  const errors: FieldError[] = []
  if (typeof price === 'number' && typeof salePrice === 'number' && salePrice > price) {
    errors.push({ path: '/product/salePrice', message: 'must not be above price' })
  }
  for (const [name, url] of Object.entries({ link, imageLink })) {
    if (typeof url === 'string' && readWebUrl(url) === null) {
      errors.push({ path: `/product/${name}`, message: 'is not an http or https URL' })
    }
  }
  if (typeof deepLink === 'string' && deepLink !== '' && (!URL.canParse(deepLink) || UNSAFE_SCHEME.test(deepLink))) {
    errors.push({ path: '/product/deepLink', message: 'is not a URL that opens an application' })
  }
  return errors
}

/** Removes properties that are null. Below the depth of an entry nothing is right anyway. */
function dropNulls(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > ENTRY_DEPTH) return
  const parts = value as Record<string, unknown>
  for (const name of Object.keys(parts)) {
    const part = parts[name]
    if (typeof part === 'object') {
      if (part === null && !Array.isArray(value)) delete parts[name]
      else dropNulls(part, depth + 1)
    }
  }
}

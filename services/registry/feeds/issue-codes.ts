import type { FeedIssue } from '../../../schemas/records/records.ts'

/** Every issue that a feed can have. `docs/feeds.md` lists the same table; a test compares the two. */
export const issueCodes = {
  MISSING_FIELD: { severity: 'REJECTED', meaning: 'A required element is missing or empty' },
  ID_TOO_LONG: { severity: 'REJECTED', meaning: 'The id is longer than is allowed' },
  DUPLICATE_ID: { severity: 'REJECTED', meaning: 'An earlier item of the feed has this id; the earlier one is kept' },
  INVALID_PRICE: { severity: 'REJECTED', meaning: 'The price is not an amount above zero with a currency' },
  AMBIGUOUS_PRICE: { severity: 'REJECTED', meaning: 'The price can be read in two ways, a thousand times apart' },
  CURRENCY_MISMATCH: { severity: 'REJECTED', meaning: 'The price is in another currency than the feed' },
  INVALID_AVAILABILITY: { severity: 'REJECTED', meaning: 'The availability is none of the accepted values' },
  INVALID_LINK: { severity: 'REJECTED', meaning: 'A required address is not a whole http or https URL' },
  INVALID_TYPE: { severity: 'REJECTED', meaning: 'Product updates: a required field is of another type' },
  INVALID_ENTRY: {
    severity: 'REJECTED',
    meaning: 'Product updates: the entry is not an object, or its method is unknown',
  },
  UNKNOWN_FEED: { severity: 'REJECTED', meaning: 'Product updates: the caller has no such feed' },
  DUPLICATE_BATCH_ID: { severity: 'REJECTED', meaning: 'Product updates: an earlier entry has this batchId' },
  UNKNOWN_FIELD: { severity: 'WARNING', meaning: 'Product updates: the field is unknown; it is ignored' },
  ITEM_TOO_LARGE: { severity: 'REJECTED', meaning: 'The item is larger than is allowed' },
  INVALID_VALUE: { severity: 'WARNING', meaning: 'An optional value is not of an accepted form; it is ignored' },
  INVALID_GTIN: { severity: 'WARNING', meaning: 'The GTIN has a wrong length, check digit or prefix; it is ignored' },
  INVALID_SALE_PRICE: {
    severity: 'WARNING',
    meaning: 'The sale price cannot be read or is not below the price; it is ignored',
  },
  INVALID_SALE_DATES: { severity: 'WARNING', meaning: 'The dates of the sale cannot be read; its price is ignored' },
  PRICE_FORMAT: { severity: 'WARNING', meaning: 'The price could be read, but is not of the form 1234.56 EUR' },
  MISSING_CURRENCY: { severity: 'WARNING', meaning: 'The price has no currency; that of the feed is used' },
  MISSING_DESCRIPTION: { severity: 'WARNING', meaning: 'The item has no description, so searches find it less' },
  VALUE_TOO_LONG: { severity: 'WARNING', meaning: 'Title or description is cut; any other value is ignored' },
  REPEATED_FIELD: { severity: 'WARNING', meaning: 'An element that may occur once is repeated; the first is used' },
  TOO_MANY_VALUES: { severity: 'WARNING', meaning: 'A list is longer than is allowed; the values beyond are ignored' },
  INCOMPLETE_GROUP: { severity: 'WARNING', meaning: 'A nested element lacks a required part; it is ignored' },
  URL_ENCODED: { severity: 'WARNING', meaning: 'An address had characters that are not allowed; they are encoded' },
  HTML_REMOVED: { severity: 'WARNING', meaning: 'The title contained HTML, which is removed' },
  ENCODING: { severity: 'WARNING', meaning: 'A value has bytes that are not of the declared encoding' },
  TOO_MANY_CUSTOM_PARAMETERS: {
    severity: 'WARNING',
    meaning: 'The item has more custom parameters than are kept; those beyond are ignored',
  },
  CUSTOM_PARAMETER_TOO_LONG: {
    severity: 'WARNING',
    meaning: 'The name or value of a custom parameter is too long; it is skipped',
  },
} as const satisfies Record<string, { severity: FeedIssue['severity']; meaning: string }>

export type IssueCode = keyof typeof issueCodes

/** An issue of one item, before it is known which run found it. */
export type ItemIssue = Pick<FeedIssue, 'severity' | 'line' | 'productId' | 'field' | 'message'> & {
  code: IssueCode
  /** CURRENCY_MISMATCH: the currency of the price. */
  currency?: string
}

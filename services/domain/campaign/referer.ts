/**
 * Page addresses (the Referer header) and the patterns of campaigns that they are compared with. Case, percent-encoding and
 * the fragment of the address are ignored. A pattern may leave out the scheme, the host and the query, so an address is
 * compared in each of these forms:
 *
 *     https://shop.example/lamps?page=2   shop.example/lamps?page=2   /lamps?page=2
 *     https://shop.example/lamps          shop.example/lamps          /lamps
 */
const WILDCARD = '*'
const ABSOLUTE = /^([a-z][a-z0-9+.-]*:)?\/\/([^/?]*)/

/** Browsers send no longer addresses: they send the origin in their place (Referrer Policy, section 8.3). */
const ADDRESS_CHARS_MAX = 4_096
/** Short enough to occur in most patterns, long enough to tell most addresses apart. */
const PART_CHARS = 4

/** The address of a page, prepared for the comparison with patterns. */
export interface RefererAddress {
  /** The forms that patterns are compared with. The first contains all the others. */
  forms: readonly string[]
  /** All texts of PART_CHARS characters that it contains, and the empty text. */
  parts: ReadonlySet<string>
}

/** Stands for an address that is not known. No pattern fits it. */
export const NO_ADDRESS: RefererAddress = { forms: [], parts: new Set() }

/** @param referer a URL or a path, of which the first ADDRESS_CHARS_MAX characters count. */
export function refererAddress(referer: string): RefererAddress {
  const address = normal(referer.slice(0, ADDRESS_CHARS_MAX)).replace(/#.*/s, '')
  const [whole = '', , host = ''] = ABSOLUTE.exec(address) ?? []
  const rest = address.slice(whole.length)
  const path = rest.startsWith('/') ? rest : `/${rest}`
  const full = whole + path
  const forms = whole ? [full, host + path, path] : [path]
  return { forms: [...new Set([...forms, ...forms.map((form) => form.replace(/\?.*/s, ''))])], parts: partsOf(full) }
}

function partsOf(address: string): ReadonlySet<string> {
  const parts = new Set([''])
  for (let at = 0; at + PART_CHARS <= address.length; at++) parts.add(address.slice(at, at + PART_CHARS))
  return parts
}

/** A pattern, split at its wildcards. An address must begin with the first part, end with the last, and contain all in order. */
type RefererPattern = readonly string[]

/**
 * Patterns by the end of their last part of PART_CHARS characters or more, since addresses differ more at their ends than in
 * "https://www."; by an empty text when they have no such part. So an address is compared with few of them.
 */
export type RefererPatterns = ReadonlyMap<string, readonly RefererPattern[]>

export function refererPatterns(patterns: readonly string[]): RefererPatterns {
  const split = patterns.map((pattern) => normal(pattern).split(WILDCARD))
  return Map.groupBy(
    split,
    (pattern) => pattern.findLast((part) => part.length >= PART_CHARS)?.slice(-PART_CHARS) ?? '',
  )
}

/** Whether any of the patterns fits the address. Takes time linear in the address's length for each pattern that is compared. */
export function fitsReferer({ forms, parts }: RefererAddress, patterns: RefererPatterns): boolean {
  for (const [part, group] of patterns) {
    if (!parts.has(part)) continue
    if (group.some((pattern) => forms.some((form) => fitsForm(form, pattern)))) return true
  }
  return false
}

/** Matches each part at the first place after the previous part, which never rules out a match of the parts after it. */
function fitsForm(form: string, parts: RefererPattern): boolean {
  const first = parts[0]!
  if (parts.length === 1) return form === first
  const last = parts.at(-1)!
  if (!form.startsWith(first) || !form.endsWith(last)) return false
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = form.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= form.length - last.length
}

function normal(text: string): string {
  return decoded(text.trim()).normalize('NFC').toLowerCase()
}

function decoded(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    // Text with invalid percent-encoding is compared as it is.
    return text
  }
}

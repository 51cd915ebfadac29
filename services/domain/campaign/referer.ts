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

/** The forms of an address (a URL or a path) that patterns are compared with. The first contains all the others. */
export function refererForms(referer: string): string[] {
  const address = normal(referer).replace(/#.*/s, '')
  const [whole = '', , host = ''] = ABSOLUTE.exec(address) ?? []
  const rest = address.slice(whole.length)
  const path = rest.startsWith('/') ? rest : `/${rest}`
  const full = whole + path
  const forms = whole ? [full, host + path, path] : [path]
  return [...new Set([...forms, ...forms.map((form) => form.replace(/\?.*/s, ''))])]
}

/** A pattern, split at its wildcards. An address must begin with the first part, end with the last, and contain all in order. */
export type RefererPattern = readonly string[]

export function refererPattern(pattern: string): RefererPattern {
  return normal(pattern).split(WILDCARD)
}

/** Whether one form of an address matches the pattern. Takes time linear in the form's length. */
export function fitsReferer(forms: readonly string[], parts: RefererPattern): boolean {
  return forms.some((form) => fitsForm(form, parts))
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

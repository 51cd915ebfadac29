/**
 * Page addresses (the Referer header) and the patterns of campaigns that they are held against. Both are compared without
 * case, percent-encoding and fragment. Scheme and host may be left out of a pattern, and so may the query, so an
 * address is compared in each of these forms:
 *
 *     https://shop.example/lamps?page=2   shop.example/lamps?page=2   /lamps?page=2
 *     https://shop.example/lamps          shop.example/lamps          /lamps
 */
const WILDCARD = '*'
const ABSOLUTE = /^([a-z][a-z0-9+.-]*:)?\/\/([^/?]*)/

/** The forms in which patterns know an address, a URL or a path; the first holds all others as parts. */
export function refererForms(referer: string): string[] {
  const address = normal(referer).replace(/#.*/s, '')
  const [whole = '', , host = ''] = ABSOLUTE.exec(address) ?? []
  const rest = address.slice(whole.length)
  const path = rest.startsWith('/') ? rest : `/${rest}`
  const full = whole + path
  const forms = whole ? [full, host + path, path] : [path]
  return [...new Set([...forms, ...forms.map((form) => form.replace(/\?.*/s, ''))])]
}

/** A pattern, cut at its wildcards: the parts stand in an address in this order, the first and last at its ends. */
export type RefererPattern = readonly string[]

export function refererPattern(pattern: string): RefererPattern {
  return normal(pattern).split(WILDCARD)
}

/** Whether an address in one of its forms is what the pattern describes. Takes time linear in the form's length. */
export function fitsReferer(forms: readonly string[], parts: RefererPattern): boolean {
  return forms.some((form) => fitsForm(form, parts))
}

/** Each part is sought at the first place that is left, which never rules out a later one. */
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
    // What is not well encoded stands for itself.
    return text
  }
}

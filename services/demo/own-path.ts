/** Any origin: only whether a reference leaves it matters. */
const HERE = 'http://shop.invalid'

/**
 * A path of this site, made of what a visitor sent; `/` for whatever leads elsewhere. Read as browsers read it: they drop tabs
 * and line breaks, take a backslash for a slash, and two slashes for another host.
 */
export function ownPath(reference: string | undefined): string {
  const url = reference?.startsWith('/') ? URL.parse(reference, HERE) : null
  if (!url || url.origin !== HERE || url.pathname.startsWith('//')) return '/'
  return url.pathname + url.search
}

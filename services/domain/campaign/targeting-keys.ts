import type { CompiledTargeting, Page } from './targeting.ts'

/**
 * Keys under which campaigns are filed, so that a page is compared only with campaigns that may fit it. A campaign that fits
 * a page, by either algorithm, shares a key with it. Each campaign is filed under one kind of its targeting, the one that is
 * likely to fit the fewest pages. Phrases and categories count as one kind, since either may be enough.
 */

/** The key of campaigns that have no other, and a key of every page. */
const ANY_PAGE = 'any'

export function keysOfTargeting(targeting: CompiledTargeting): ReadonlySet<string> {
  const { phrases, categories, brands, productIds, profiles, refererPatterns } = targeting
  if (productIds) return keyed('product', productIds)
  if (phrases || categories) {
    return new Set([...keyed('term', phrases?.keys() ?? []), ...keyed('category', categories ?? [])])
  }
  if (brands) return keyed('brand', brands)
  if (refererPatterns) return keyed('referer', refererPatterns.keys())
  return profiles ? keyed('profile', profiles) : new Set([ANY_PAGE])
}

export function keysOfPage(page: Page): ReadonlySet<string> {
  return new Set([
    ANY_PAGE,
    ...keyed('product', page.productIds),
    ...page.texts.flatMap((terms) => [...keyed('term', terms)]),
    ...keyed('category', page.categories),
    ...keyed('brand', page.brands),
    ...keyed('profile', page.profiles),
    ...keyed('referer', page.address.parts),
  ])
}

function keyed(kind: string, values: Iterable<string>): Set<string> {
  const keys = new Set<string>()
  for (const value of values) keys.add(`${kind} ${value}`)
  return keys
}

import { nodesInOrder, pathLevels } from '../../../../services/domain/catalogue/categories.ts'
import { primaryLang } from '../../../../services/domain/catalogue/languages.ts'
import type { SynonymRules } from '../../../../services/domain/catalogue/shop-synonyms.ts'
import { attributeFacet, brandFacet, facetToken, pathFacet } from '../../document.ts'
import type { Filter } from '../../port.ts'
import { wordsNeeded } from '../../relevance.ts'
import { ABSENT, type Columns, type Profile } from './columns.ts'
import type { ShopIds } from './ids.ts'
import type { Phrases } from './phrases.ts'
import { docsInTitle } from './postings/posting-list.ts'
import type { Postings } from './postings/postings.ts'
import { type Docs, inAtLeast, includes, intersect, intersectAll, LOOKUP_RATIO, union } from './sorted-sets.ts'

type Accepts = (doc: number) => boolean
type TextFilter = Extract<Filter, { kind: 'text' }>

/** The documents that are in a list of each of at least `least` groups. */
interface InLists {
  least: number
  groups: readonly (readonly Docs[])[]
}

/** How a filter is decided: by lists of documents, a rule on their profile, or a check of each document. */
type Decider = InLists | { profile: (profile: Profile) => boolean } | { accepts: Accepts }

/** The documents of a shop that satisfy all filters. */
export interface Matching {
  /** Upper bound of the number of matching documents. */
  readonly atMost: number
  /** Whether the document has an offer and its profile satisfies the filters. */
  isOffered(doc: number): boolean
  /** Whether a document for which `isOffered` is true satisfies the other filters, too. */
  holds(doc: number): boolean
  /** Ascending. */
  docs(): Docs
}

/** Finds the documents of a shop that satisfy all filters. */
export class Matcher {
  readonly #columns: Columns
  readonly #postings: Postings
  readonly #phrases: Phrases
  readonly #ids: ShopIds

  constructor(columns: Columns, postings: Postings, phrases: Phrases, ids: ShopIds) {
    this.#columns = columns
    this.#postings = postings
    this.#phrases = phrases
    this.#ids = ids
  }

  match(filters: readonly Filter[], synonyms?: SynonymRules): Matching {
    const { size, profile: profileOf, profiles: allProfiles } = this.#columns
    const deciders = filters.map((filter) => this.#decider(filter, synonyms))
    const lists = deciders.filter((decider) => 'groups' in decider).sort((a, b) => lengthMax(a) - lengthMax(b))
    const profileRules = deciders.flatMap((decider) => ('profile' in decider ? [decider.profile] : []))
    const checks = deciders.flatMap((decider) => ('accepts' in decider ? [decider.accepts] : []))
    const profiles = allProfiles.values.map((profile) => profileRules.every((holds) => holds(profile)))
    const isOffered = (doc: number) => {
      const profile = profileOf[doc]!
      return profile !== ABSENT && profiles[profile]!
    }
    return {
      atMost: Math.min(size, ...lists.map(lengthMax)),
      isOffered,
      holds: (doc) => acceptsAll(checks, doc) && lists.every((each) => isIn(each, doc)),
      docs() {
        const found = lists.length > 0 ? inAll(lists) : null
        const total = found ? found.length : size
        const matching = new Int32Array(total)
        let length = 0
        for (let at = 0; at < total; at++) {
          const doc = found ? found[at]! : at
          if (isOffered(doc) && acceptsAll(checks, doc)) matching[length++] = doc
        }
        return matching.subarray(0, length)
      },
    }
  }

  #decider(filter: Filter, synonyms: SynonymRules | undefined): Decider {
    const columns = this.#columns
    switch (filter.kind) {
      case 'available':
        return { profile: (profile) => profile.available }
      case 'currency':
        return { profile: (profile) => profile.currency === filter.currency.toUpperCase() }
      case 'lang': {
        const lang = primaryLang(filter.lang)
        return { profile: (profile) => profile.lang === null || profile.lang === lang }
      }
      case 'country': {
        const country = filter.country.toUpperCase()
        return { profile: ({ countries }) => countries.length === 0 || countries.includes(country) }
      }
      case 'feed':
        return { profile: (profile) => profile.feedId === filter.feedId }
      case 'text':
        return this.#text(filter, synonyms)
      case 'categoryPaths':
        return this.#anyFacet(filter.paths.map(pathFacet))
      case 'categoryNodes':
        return anyOf([this.#categoryNodes(filter.anyOf)])
      case 'brand':
        return this.#anyFacet(filter.anyOf.map(brandFacet))
      case 'attribute':
        return this.#anyFacet(filter.anyOf.map((value) => attributeFacet(filter.name, value)))
      case 'labels':
        return this.#anyFacet(filter.anyOf.map((label) => facetToken('label', label)))
      case 'sellers':
        return this.#anyFacet(filter.anyOf.map((seller) => facetToken('seller', seller)))
      case 'ids':
        return anyOf([this.#ids.withAnyId(filter.ids)])
      case 'excludeIds': {
        const excluded = this.#ids.withFeedId(filter.ids)
        return { accepts: (doc) => !includes(excluded, doc) }
      }
      case 'price': {
        const [min, max] = [filter.minMicros ?? Number.NEGATIVE_INFINITY, filter.maxMicros ?? Number.POSITIVE_INFINITY]
        return { accepts: (doc) => columns.priceMicros[doc]! >= min && columns.priceMicros[doc]! <= max }
      }
      case 'campaign': {
        const campaign = columns.campaigns.number(filter.campaignId)
        return { accepts: this.#byList(columns.promotions, columns.promotionLists, (list) => list.includes(campaign)) }
      }
    }
  }

  /** A text without words matches no document. */
  #text({ text, lang, minShare, in: where }: TextFilter, synonyms: SynonymRules | undefined): InLists {
    const words = this.#phrases.words({ text, lang, synonyms })
    const groups = words.map(({ own, alternatives }) => {
      if (where === 'TITLE') return [docsInTitle(own)]
      return alternatives ? [own.docs, alternatives.docs] : [own.docs]
    })
    return inOrder({ least: wordsNeeded(minShare, words.length), groups })
  }

  #anyFacet(tokens: readonly string[]): InLists {
    return anyOf([...new Set(tokens)].map((token) => this.#postings.facet(token)))
  }

  #categoryNodes(anyOf: readonly (readonly string[])[]): Docs {
    const sequences = anyOf.map((nodes) => nodes.flatMap(pathLevels)).filter((nodes) => nodes.length > 0)
    const holdingAll = sequences.map((nodes) =>
      intersectAll([...new Set(nodes)].map((node) => this.#postings.facet(facetToken('node', node)))),
    )
    const inOrder = this.#byList(this.#columns.paths, this.#columns.pathLists, (paths) =>
      sequences.some((nodes) => paths.some((levels) => nodesInOrder(levels, nodes))),
    )
    return union(holdingAll).filter((doc) => inOrder(doc))
  }

  /** A check of a column whose values many documents share. It is evaluated once for each value. */
  #byList<T>(column: Int32Array, dictionary: { values: readonly T[] }, holds: (value: T) => boolean): Accepts {
    const known: boolean[] = []
    return (doc) => {
      const number = column[doc]!
      const value = dictionary.values[number]
      known[number] ??= value !== undefined && holds(value)
      return known[number]
    }
  }
}

function acceptsAll(checks: readonly Accepts[], doc: number): boolean {
  for (let at = 0; at < checks.length; at++) if (!checks[at]!(doc)) return false
  return true
}

/** Puts those groups first that decide most documents: the rarest when a document must be in all, otherwise the most common. */
function inOrder({ least, groups }: InLists): InLists {
  const sign = least === groups.length ? 1 : -1
  return { least, groups: groups.toSorted((a, b) => sign * (entriesIn(a) - entriesIn(b))) }
}

const entriesIn = (lists: readonly Docs[]): number => lists.reduce((sum, docs) => sum + docs.length, 0)

const anyOf = (lists: readonly Docs[]): InLists => ({ least: 1, groups: [lists] })

/** @param all shortest first. */
function inAll(all: readonly InLists[]): Docs {
  const [first, ...others] = all
  return others.reduce(
    (found, other) =>
      found.length * LOOKUP_RATIO < lengthMax(other)
        ? found.filter((doc) => isIn(other, doc))
        : intersect(found, docsIn(other)),
    docsIn(first!),
  )
}

function docsIn({ least, groups }: InLists): Docs {
  return least === 1 ? union(groups.flat()) : inAtLeast(least, groups.map(union))
}

function isIn({ least, groups }: InLists, doc: number): boolean {
  let missing = least
  for (let at = 0; missing > 0 && missing <= groups.length - at; at++) if (isInAny(groups[at]!, doc)) missing--
  return missing === 0
}

function isInAny(lists: readonly Docs[], doc: number): boolean {
  for (let at = 0; at < lists.length; at++) if (includes(lists[at]!, doc)) return true
  return false
}

/** Upper bound of the number of these documents. */
function lengthMax({ least, groups }: InLists): number {
  if (least > groups.length) return 0
  const lengths = groups.map(entriesIn)
  return least === groups.length ? Math.min(...lengths) : lengths.reduce((sum, length) => sum + length, 0) / least
}

import { type Product, priceOf } from '../catalogue/products.ts'

export interface Category {
  /** "Kitchen > Coffee" */
  path: string
  name: string
  /** "/c/kitchen/coffee" */
  href: string
  children: readonly Category[]
  count: number
}

export const SORTS = {
  relevance: 'Most relevant',
  'price-up': 'Price: low to high',
  'price-down': 'Price: high to low',
}
export type Sort = keyof typeof SORTS

export interface Filters {
  brands: readonly string[]
  colors: readonly string[]
  priceMax: number | null
  onSale: boolean
  sort: Sort
}

/** The catalogue, indexed for the pages. */
export interface Shelf {
  departments: readonly Category[]
  product(id: string): Product | undefined
  /** The variants of a product's model, including the product. */
  variants(product: Product): readonly Product[]
  category(segments: readonly string[]): Category | undefined
  /** One product for each model in a category. */
  inCategory(path: string): readonly Product[]
  /** One product for each model that has every word, followed by those that lack one of several. */
  search(phrase: string): readonly Product[]
}

export function createShelf(products: readonly Product[]): Shelf {
  const byId = new Map(products.map((product) => [product.id, product]))
  const byGroup = Map.groupBy(products, ({ groupId }) => groupId)
  const models = mixed(
    [...byGroup.values()].map((variants) => variants.find(({ available }) => available) ?? variants[0]!),
  )
  const departments = categoriesBelow('', models)
  const words = new Map(models.map((model) => [model, wordsOf(`${model.title} ${model.category} ${model.material}`)]))

  return {
    departments,
    product: (id) => byId.get(id),
    variants: ({ groupId }) => byGroup.get(groupId)!,
    category(segments) {
      let level: readonly Category[] = departments
      let found: Category | undefined
      for (const segment of segments) {
        found = level.find(({ name }) => slug(name) === segment)
        if (!found) return undefined
        level = found.children
      }
      return found
    },
    inCategory: (path) => models.filter(({ category }) => isWithin(category, path)),
    search(phrase) {
      const wanted = wordsOf(phrase)
      if (wanted.length === 0) return []
      const scored = models.map((model) => ({ model, score: scoreOf(wanted, words.get(model)!) }))
      const enough = Math.max(1, wanted.length - 1)
      const some = scored.filter(({ score }) => score >= enough)
      return some.sort((a, b) => b.score - a.score).map(({ model }) => model)
    },
  }
}

export function filtered(products: readonly Product[], { brands, colors, priceMax, onSale, sort }: Filters): Product[] {
  const kept = products.filter(
    (product) =>
      (brands.length === 0 || brands.includes(product.brand)) &&
      (colors.length === 0 || colors.includes(product.color)) &&
      (priceMax === null || priceOf(product) <= priceMax) &&
      (!onSale || product.salePrice !== null),
  )
  if (sort === 'relevance') return kept
  return kept.sort((a, b) => (priceOf(a) - priceOf(b)) * (sort === 'price-up' ? 1 : -1))
}

export const slug = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
const categoryHref = (path: string): string => `/c/${path.split(' > ').map(slug).join('/')}`

/** Alternates the kinds, so that a department does not start with all its kettles. */
function mixed(models: readonly Product[]): Product[] {
  const kinds = [...Map.groupBy(models, ({ kind }) => kind).values()]
  const longest = Math.max(...kinds.map(({ length }) => length))
  return Array.from({ length: longest }, (_, turn) => kinds.flatMap((kind) => kind[turn] ?? [])).flat()
}

const isWithin = (category: string, path: string) => category === path || category.startsWith(`${path} > `)

function categoriesBelow(parent: string, models: readonly Product[]): Category[] {
  const depth = parent === '' ? 0 : parent.split(' > ').length
  const below = models.filter(({ category }) => parent === '' || isWithin(category, parent))
  const paths = new Set(
    below
      .filter(({ category }) => category.split(' > ').length > depth)
      .map(({ category }) =>
        category
          .split(' > ')
          .slice(0, depth + 1)
          .join(' > '),
      ),
  )
  return [...paths].map((path) => ({
    path,
    name: path.split(' > ').at(-1)!,
    href: categoryHref(path),
    children: categoriesBelow(path, below),
    count: below.filter(({ category }) => isWithin(category, path)).length,
  }))
}

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^a-z0-9é]+/)
    .filter((word) => word.length > 1)
    .map((word) => word.replace(/s$/, ''))

const scoreOf = (wanted: readonly string[], words: readonly string[]) =>
  wanted.filter((word) => words.some((other) => other.startsWith(word))).length

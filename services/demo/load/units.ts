import type { Api, Created } from '../api.ts'

/** The ad units of the shop's pages, by the names that the pages use. */
const PRODUCT_UNITS = {
  search: { placement: 'Search results', name: 'Exact matches', algorithm: 'CONTEXT_MATCH' },
  searchWide: { placement: 'Search results', name: 'Top of the results', algorithm: 'CONTEXT_MATCH_WIDE' },
  listing: { placement: 'Department', name: 'Top of the listing', algorithm: 'SIMILAR_CATEGORIES' },
  similar: {
    placement: 'Product page',
    name: 'Similar products',
    algorithm: 'SIMILAR_CATEGORIES_AND_TITLES_WIDE',
  },
  alsoBought: { placement: 'Product page', name: 'Others also bought', algorithm: 'ALSO_BOUGHT' },
  home: { placement: 'Home', name: 'Bestsellers', algorithm: 'BESTSELLERS' },
} as const

const DISPLAY_UNITS = {
  hero: { placement: 'Home: banner', name: 'Hero', algorithm: 'DISPLAY', formats: ['native'] },
  leaderboard: {
    placement: 'Department: banner',
    name: 'Leaderboard',
    algorithm: 'DISPLAY_PHRASE_OR_CATEGORY',
    formats: ['leaderboard'],
  },
  rectangle: { placement: 'Product page: banner', name: 'Rectangle', algorithm: 'DISPLAY', formats: ['rectangle'] },
} as const

export type UnitKey = keyof typeof PRODUCT_UNITS | keyof typeof DISPLAY_UNITS
/** The algorithm of each unit. */
export const UNIT_ALGORITHMS = Object.fromEntries(
  Object.entries({ ...PRODUCT_UNITS, ...DISPLAY_UNITS }).map(([key, { algorithm }]) => [key, algorithm]),
) as Readonly<Record<UnitKey, string>>

export type FormatKey = 'native' | 'leaderboard' | 'rectangle'

/** The size in pixels of the one image of each format. */
export const FORMAT_SIZES: Readonly<Record<FormatKey, { width: number; height: number }>> = {
  native: { width: 960, height: 720 },
  leaderboard: { width: 1200, height: 240 },
  rectangle: { width: 600, height: 500 },
}

/** The file type of each format's image: both types that banners may have occur. */
export const BANNER_TYPES: Readonly<Record<FormatKey, 'png' | 'webp'>> = {
  native: 'webp',
  leaderboard: 'png',
  rectangle: 'webp',
}

export type Units = Readonly<Record<UnitKey, string>>
export type Formats = Readonly<Record<FormatKey, string>>

/** The shop's ad formats: one image each, with a title, a call to action and a colour to set them on. */
export async function createFormats(api: Api, shopId: string): Promise<Formats> {
  const names = { native: 'Native hero', leaderboard: 'Leaderboard', rectangle: 'Rectangle' }
  const made = await Promise.all(
    (Object.keys(names) as FormatKey[]).map(async (key) => {
      const { id } = await api.post<Created>('/v1/panel/ad-formats', {
        shopId,
        name: names[key],
        images: [{ name: 'picture', ...FORMAT_SIZES[key] }],
        textFields: [
          { type: 'TITLE', required: true, maxLength: 60 },
          { type: 'CTA', required: key === 'native', maxLength: 24 },
          { type: 'BG_COLOR', required: true, maxLength: 9 },
        ],
      })
      return [key, id] as const
    }),
  )
  return Object.fromEntries(made) as Formats
}

/** Creates placements and ad units. @returns each unit's slotHash. */
export async function createUnits(api: Api, shopId: string, formats: Formats): Promise<Units> {
  const products = Object.entries(PRODUCT_UNITS).map(([key, unit]) => ({ key, ...unit, kind: 'PRODUCT', more: {} }))
  const displays = Object.entries(DISPLAY_UNITS).map(([key, { formats: shown, ...unit }]) => ({
    key,
    ...unit,
    kind: 'DISPLAY',
    more: { adFormatIds: shown.map((format) => formats[format]), targeting: ['searchData', 'categoryPaths'] },
  }))
  const units: [string, string][] = []
  for (const [placement, members] of Map.groupBy([...products, ...displays], (unit) => unit.placement)) {
    const { kind } = members[0]!
    const { id: placementId } = await api.post<Created>('/v1/panel/placements', { shopId, name: placement, kind })
    for (const { key, name, algorithm, more } of members) {
      const body = { placementId, name, algorithm, ...more }
      units.push([key, (await api.post<{ slotHash: string }>('/v1/panel/ad-units', body)).slotHash])
    }
  }
  return Object.fromEntries(units) as Units
}

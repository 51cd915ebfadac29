import { Type } from 'typebox'
import { answered, Body, Id, ListQuery, Name, PatchBody } from '../common.ts'

export const SPONSORED_ALGORITHMS = [
  'BESTSELLERS',
  'BESTSELLERS_WIDE',
  'CONTEXT_MATCH',
  'CONTEXT_MATCH_WIDE',
  'SIMILAR_CATEGORIES_AND_TITLES',
  'SIMILAR_CATEGORIES_AND_TITLES_WIDE',
  'SIMILAR_TITLES',
  'SIMILAR_TITLES_WIDE',
  'SIMILAR_CATEGORIES',
  'SIMILAR_CATEGORIES_WIDE',
  'SIMILAR_PRODUCT_ID',
  'SIMILAR_PRODUCT_ID_WIDE',
  'ALSO_BOUGHT',
  'EXACT_PRODUCT_ID',
] as const
export const DISPLAY_ALGORITHMS = ['DISPLAY', 'DISPLAY_PHRASE_OR_CATEGORY'] as const

const AD_FORMATS_MAX = 50

const fields = {
  name: Name('Name of the ad unit, such as its place on the page'),
  algorithm: Type.Enum([...SPONSORED_ALGORITHMS, ...DISPLAY_ALGORITHMS], {
    description:
      'How ads are chosen, and which parameters a request needs. DISPLAY and DISPLAY_PHRASE_OR_CATEGORY are for DISPLAY ' +
      'placements, all others for PRODUCT placements',
  }),
  status: Type.Enum(['ACTIVE', 'INACTIVE'], { description: 'An inactive unit gets no ads. Default: ACTIVE' }),
  adFormatIds: Type.Array(Id('An ad format of the shop'), {
    maxItems: AD_FORMATS_MAX,
    uniqueItems: true,
    description: 'Display: ad formats that the unit can show. An empty list allows all formats',
  }),
  targeting: Type.Array(Type.Enum(['searchData', 'categoryPaths', 'brand', 'productId', 'profiles', 'referer']), {
    uniqueItems: true,
    description: 'Display: parameters of ad requests that are used for targeting. All others of these are ignored',
  }),
}

export const AdUnitCreate = Body({
  placementId: Id('Placement of the ad unit'),
  name: fields.name,
  algorithm: fields.algorithm,
  status: Type.Optional(fields.status),
  adFormatIds: Type.Optional(fields.adFormatIds),
  targeting: Type.Optional(fields.targeting),
})
export const AdUnitPatch = PatchBody(fields)
export const AdUnitView = Type.Object({
  ...answered,
  placementId: Id('Placement of the ad unit'),
  shopId: Id('Shop of the ad unit'),
  slotHash: Id('Id of the ad unit, by which ad requests name it'),
  ...fields,
})
export const AdUnitQuery = ListQuery({
  shopId: Type.Optional(Id('Only ad units of this shop')),
  placementId: Type.Optional(Id('Only ad units of this placement')),
})

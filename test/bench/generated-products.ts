import type { ProductOffer } from '../../schemas/records/records.ts'
import { sequence } from '../../services/demo/sequence.ts'
import { makeOffer } from '../services/selection/world.ts'

const list = (text: string) => text.split(' ')
const KINDS = list(
  'lamp chair table sofa desk shelf bed mirror rug curtain vase clock frame stool bench cabinet drawer rack',
)
const ROOMS = list('kitchen bathroom bedroom garden office hall nursery cellar')
const LOOKS = list('red blue green black white oak pine steel glass round square small large vintage modern foldable')
const BRANDS = Array.from({ length: 60 }, (_, i) => `Brand${i}`)

/** Offers with titles, brands, categories and attributes of a furniture shop; always the same. */
export const generateProducts = (shopId: string, count: number): ProductOffer[] =>
  endlessProducts(shopId).take(count).toArray()

/** The same offers one at a time, when there are too many to fit in memory. */
export function* endlessProducts(shopId: string): Generator<ProductOffer, never> {
  const random = sequence(1).next
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!
  for (let i = 0; ; i++) {
    const [kind, room, look, brand] = [pick(KINDS), pick(ROOMS), pick(LOOKS), pick(BRANDS)]
    yield makeOffer(shopId, {
      id: `${100_000 + i}`,
      title: `${brand} ${look} ${room} ${kind} ${pick(LOOKS)} model ${i % 997}`,
      description: `A ${look} ${kind} for the ${room}, by ${brand}. ${'Made to last and easy to care for. '.repeat(4)}`,
      link: `https://shop.example/products/${brand.toLowerCase()}-${look}-${room}-${kind}-${i}?ref=list`,
      imageLink: `https://images.shop.example/catalogue/${i % 100}/${i}/large.jpg`,
      priceMicros: Math.round(5 + random() * 900) * 1_000_000 - 10_000,
      brand,
      gtin: `${4_000_000_000_000 + i}`,
      productTypes: [`Home > ${room} > ${kind}`],
      color: look,
      externalSellerId: `seller-${brand}`,
      externalSellerName: brand,
      condition: 'new',
      productDetails: [
        { sectionName: null, attributeName: 'Room', attributeValue: room },
        { sectionName: null, attributeName: 'Style', attributeValue: pick(LOOKS) },
      ],
    })
  }
}

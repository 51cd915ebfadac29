import { type Sequence, sequence } from '../sequence.ts'
import { desk } from './desk.ts'
import { indoors } from './indoors.ts'
import { outdoors } from './outdoors.ts'
import { MODEL_NAMES, OWN_SELLER, type Range, SELLERS } from './range.ts'

export interface Product {
  id: string
  /** Shared by the variants of one model. */
  groupId: string
  /** The name of the drawing. */
  kind: string
  title: string
  /** The title without colour and size. */
  model: string
  description: string
  category: string
  brand: string
  /** Euros. */
  price: number
  salePrice: number | null
  color: string
  size: string | null
  material: string
  details: readonly { name: string; value: string }[]
  sellerId: string
  sellerName: string
  available: boolean
}

const SEED = 20_260_921
const MODELS_OF_RANGE = 6
const COLORS_OF_MODEL = 3
const ON_SALE_SHARE = 0.22
const SOLD_OUT_SHARE = 0.03

/** The invented products of the shop, the same at every start. */
export function demoCatalogue(): Product[] {
  const random = sequence(SEED)
  const products: Product[] = []
  let groups = 0
  for (const range of [...indoors, ...desk, ...outdoors]) {
    const start = random.index(MODEL_NAMES.length)
    for (let model = 0; model < MODELS_OF_RANGE; model++) {
      const name = MODEL_NAMES[(start + model) % MODEL_NAMES.length]!
      const groupId = `G${String(++groups).padStart(3, '0')}`
      products.push(...modelOf(range, { name, number: model, groupId, firstId: products.length + 1 }, random))
    }
  }
  return products
}

/** The price that a customer pays for one. */
export const priceOf = ({ price, salePrice }: Pick<Product, 'price' | 'salePrice'>): number => salePrice ?? price

interface Model {
  name: string
  number: number
  groupId: string
  firstId: number
}

/** The variants of one model: its colours, in one or two sizes. */
function modelOf(range: Range, { name, number, groupId, firstId }: Model, random: Sequence): Product[] {
  const brand = range.brands[number % range.brands.length]!
  const trait = range.traits[number % range.traits.length]!
  const model = `${brand} ${name} ${trait} ${range.noun}`
  const material = random.pick(range.materials)
  const basePrice = range.priceFrom + (range.priceTo - range.priceFrom) * random.next() ** 1.6
  const discount = random.chance(ON_SALE_SHARE) ? random.pick([0.1, 0.15, 0.2, 0.3]) : 0
  const seller = SELLERS.find((each) => each.brands.some((sold) => sold === brand)) ?? OWN_SELLER
  return variantsOf(range, random).map(({ color, size, sizeStep }, index) => {
    const price = round(basePrice * (1 + 0.25 * sizeStep))
    return {
      id: `P${String(firstId + index).padStart(4, '0')}`,
      groupId,
      kind: range.kind,
      title: [model, color, size].filter(Boolean).join(', '),
      model,
      description: `${model} in ${color}. ${range.praise}`,
      category: range.category,
      brand,
      price,
      salePrice: discount > 0 ? round(price * (1 - discount)) : null,
      color,
      size,
      material,
      details: [
        { name: 'Style', value: trait },
        { name: 'Guarantee', value: `${2 + (number % 3)} years` },
      ],
      sellerId: seller.id,
      sellerName: seller.name,
      available: !random.chance(SOLD_OUT_SHARE),
    }
  })
}

function variantsOf({ colors, sizes }: Range, random: Sequence) {
  const first = random.index(colors.length)
  const count = sizes.length > 0 ? COLORS_OF_MODEL - 1 : COLORS_OF_MODEL
  const chosen = Array.from({ length: count }, (_, i) => colors[(first + i) % colors.length]!)
  if (sizes.length === 0) return chosen.map((color) => ({ color, size: null, sizeStep: 0 }))
  const offered = sizes.slice(0, 2)
  return chosen.flatMap((color) => offered.map((size, sizeStep) => ({ color, size, sizeStep })))
}

/** Rounds to a price that ends in 90 or 99 cents. */
const round = (price: number) => (price < 50 ? Math.max(1, Math.round(price)) - 0.01 : Math.round(price) - 0.1)

/** One kind of product: what its models, variants and pictures are made from. */
export interface Range {
  /** Names the drawing. */
  kind: string
  /** Levels joined by " > ", the department first. */
  category: string
  noun: string
  /** In front of the noun: "burr" coffee grinder. One a model. */
  traits: readonly string[]
  brands: readonly string[]
  materials: readonly string[]
  colors: readonly string[]
  /** None: comes in one size. */
  sizes: readonly string[]
  /** In euros. */
  priceFrom: number
  priceTo: number
  /** What the description says after the first sentence. */
  praise: string
}

export const MODEL_NAMES = [
  'Aria',
  'Borea',
  'Cala',
  'Dune',
  'Elm',
  'Fjord',
  'Grove',
  'Halo',
  'Isla',
  'Juno',
  'Kite',
  'Luma',
  'Mira',
  'Nova',
  'Orla',
  'Pine',
  'Quill',
  'Rune',
  'Sola',
  'Tide',
  'Umbra',
  'Vale',
  'Wren',
  'Yara',
] as const

/** Who sells which brands in the shop; all others the shop sells itself. */
export const SELLERS = [
  { id: 'seller-lumbra', name: 'Lumbra Home GmbH', brands: ['Lumbra', 'Solvik', 'Paperlight'] },
  { id: 'seller-peak', name: 'Peak & Pace Sports BV', brands: ['Peak & Pace', 'Strida', 'Tarnwood'] },
  { id: 'seller-ondea', name: 'Ondea Audio Ltd', brands: ['Ondea', 'Klarton', 'Pixelworks'] },
  { id: 'seller-fernhill', name: 'Fernhill & Daughters SAS', brands: ['Fernhill', 'Little Oak', 'Gusto Verde'] },
] as const

export const OWN_SELLER = { id: 'seller-northwind', name: 'Northwind Market' } as const

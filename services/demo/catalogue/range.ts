/** One kind of product, from which its models, variants and pictures are made. */
export interface Range {
  /** The name of the drawing. */
  kind: string
  /** Levels joined by " > ", the department first. */
  category: string
  noun: string
  /** The words before the noun, one for each model: "burr" coffee grinder. */
  traits: readonly string[]
  brands: readonly string[]
  materials: readonly string[]
  colors: readonly string[]
  /** Empty when there is only one size. */
  sizes: readonly string[]
  /** In euros. */
  priceFrom: number
  priceTo: number
  /** The description after its first sentence. */
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

/** The sellers and their brands. The shop itself sells all other brands. */
export const SELLERS = [
  { id: 'seller-lumbra', name: 'Lumbra Home GmbH', brands: ['Lumbra', 'Solvik', 'Paperlight'] },
  { id: 'seller-peak', name: 'Peak & Pace Sports BV', brands: ['Peak & Pace', 'Strida', 'Tarnwood'] },
  { id: 'seller-ondea', name: 'Ondea Audio Ltd', brands: ['Ondea', 'Klarton', 'Pixelworks'] },
  { id: 'seller-fernhill', name: 'Fernhill & Daughters SAS', brands: ['Fernhill', 'Little Oak', 'Gusto Verde'] },
] as const

export const OWN_SELLER = { id: 'seller-northwind', name: 'Northwind Market' } as const

/** The demo shop's products: invented, the same at every start. */
export interface DemoProduct {
  id: string
  groupId: string
  title: string
  description: string
  category: string
  brand: string
  price: number
  salePrice: number | null
  color: string
  size: string
  sellerId: string
  sellerName: string
  available: boolean
}

interface Range {
  category: string
  brands: string[]
  nouns: string[]
  traits: string[]
  sizes: string[]
  priceFrom: number
  priceTo: number
}

const colors = ['black', 'white', 'graphite', 'sand', 'forest green', 'navy', 'terracotta', 'cream']

const ranges: Range[] = [
  {
    category: 'Kitchen > Coffee > Espresso machines',
    brands: ['Lumbra', 'Caffetto', 'Nordbrew'],
    nouns: ['espresso machine', 'bean-to-cup machine', 'lever espresso machine'],
    traits: ['compact', 'dual boiler', '15 bar', 'with milk frother'],
    sizes: ['1.2 l', '1.8 l'],
    priceFrom: 129,
    priceTo: 899,
  },
  {
    category: 'Kitchen > Coffee > Grinders',
    brands: ['Lumbra', 'Millstone', 'Nordbrew'],
    nouns: ['coffee grinder', 'hand grinder', 'burr grinder'],
    traits: ['stepless', 'quiet', 'ceramic', 'with scale'],
    sizes: ['40 g', '250 g'],
    priceFrom: 29,
    priceTo: 349,
  },
  {
    category: 'Kitchen > Cookware > Pans',
    brands: ['Ferrox', 'Copperline', 'Hearth & Co'],
    nouns: ['frying pan', 'grill pan', 'sauté pan'],
    traits: ['cast iron', 'non-stick', 'stainless steel', 'induction'],
    sizes: ['20 cm', '24 cm', '28 cm'],
    priceFrom: 19,
    priceTo: 189,
  },
  {
    category: 'Home > Lighting > Table lamps',
    brands: ['Solvik', 'Lumbra', 'Paperlight'],
    nouns: ['table lamp', 'desk lamp', 'bedside lamp'],
    traits: ['dimmable', 'rechargeable', 'linen shade', 'brass'],
    sizes: ['30 cm', '45 cm'],
    priceFrom: 24,
    priceTo: 219,
  },
  {
    category: 'Home > Textiles > Blankets',
    brands: ['Woolrow', 'Paperlight', 'Hearth & Co'],
    nouns: ['wool blanket', 'throw', 'weighted blanket'],
    traits: ['merino', 'recycled', 'herringbone', 'knitted'],
    sizes: ['130x170 cm', '150x200 cm'],
    priceFrom: 35,
    priceTo: 199,
  },
  {
    category: 'Sports > Running > Shoes',
    brands: ['Velo Nord', 'Strida', 'Peak & Pace'],
    nouns: ['running shoes', 'trail running shoes', 'racing shoes'],
    traits: ['light', 'waterproof', 'cushioned', 'wide fit'],
    sizes: ['39', '41', '43', '45'],
    priceFrom: 59,
    priceTo: 229,
  },
  {
    category: 'Sports > Outdoor > Backpacks',
    brands: ['Peak & Pace', 'Tarnwood', 'Strida'],
    nouns: ['hiking backpack', 'day pack', 'roll-top backpack'],
    traits: ['waterproof', 'ultralight', 'with rain cover', 'ventilated back'],
    sizes: ['18 l', '32 l', '55 l'],
    priceFrom: 39,
    priceTo: 259,
  },
  {
    category: 'Electronics > Audio > Headphones',
    brands: ['Ondea', 'Klarton', 'Solvik'],
    nouns: ['headphones', 'earbuds', 'gaming headset'],
    traits: ['noise cancelling', 'wireless', 'open-back', 'sweatproof'],
    sizes: ['on-ear', 'over-ear'],
    priceFrom: 29,
    priceTo: 399,
  },
]

const SELLERS = [
  { id: 'seller-lumbra', name: 'Lumbra Home GmbH', brands: ['Lumbra', 'Solvik', 'Paperlight'] },
  { id: 'seller-peak', name: 'Peak & Pace Sports BV', brands: ['Peak & Pace', 'Strida', 'Velo Nord', 'Tarnwood'] },
  { id: 'seller-ondea', name: 'Ondea Audio Ltd', brands: ['Ondea', 'Klarton'] },
]
const OWN_SELLER = { id: 'seller-market', name: 'Demo Market' }

/** A small linear congruential generator (Numerical Recipes): the catalogue needs variety, not randomness. */
export function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

export function demoCatalogue(): DemoProduct[] {
  const next = sequence(7)
  const products: DemoProduct[] = []
  for (const range of ranges) {
    for (const brand of range.brands) {
      for (const noun of range.nouns) {
        for (const trait of range.traits) products.push(...model(range, brand, noun, trait, next, products.length))
      }
    }
  }
  return products
}

/** The sizes of one model: variants of one item group. */
function model(
  range: Range,
  brand: string,
  noun: string,
  trait: string,
  next: () => number,
  first: number,
): DemoProduct[] {
  const seller = SELLERS.find((s) => s.brands.includes(brand)) ?? OWN_SELLER
  const color = colors[Math.floor(next() * colors.length)]!
  const price = Math.round(range.priceFrom + (range.priceTo - range.priceFrom) * next() ** 2) + 0.9
  const discounted = next() < 0.2
  return range.sizes.map((size, variant) => ({
    id: `P${String(first + variant + 1).padStart(4, '0')}`,
    groupId: `G${String(first + 1).padStart(4, '0')}`,
    title: `${brand} ${noun} ${trait}, ${color}, ${size}`,
    description: `${trait[0]!.toUpperCase()}${trait.slice(1)} ${noun} by ${brand}. Colour ${color}, size ${size}.`,
    category: range.category,
    brand,
    price,
    salePrice: discounted ? Math.round(price * 80) / 100 : null,
    color,
    size,
    sellerId: seller.id,
    sellerName: seller.name,
    available: next() > 0.03,
  }))
}

const escapeXml = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)

/** The catalogue as shops publish it: RSS 2.0 with Google's `g:` namespace. */
export function demoFeed(products: DemoProduct[], shopUrl: string): string {
  const items = products.map((p) => {
    const fields: [string, string | null][] = [
      ['g:id', p.id],
      ['g:title', p.title],
      ['g:description', p.description],
      ['g:link', `${shopUrl}/products/${p.id}`],
      ['g:image_link', `${shopUrl}/images/${p.id}.jpg`],
      ['g:availability', p.available ? 'in_stock' : 'out_of_stock'],
      ['g:price', `${p.price.toFixed(2)} EUR`],
      ['g:sale_price', p.salePrice === null ? null : `${p.salePrice.toFixed(2)} EUR`],
      ['g:brand', p.brand],
      ['g:product_type', p.category],
      ['g:item_group_id', p.groupId],
      ['g:color', p.color],
      ['g:size', p.size],
      ['g:condition', 'new'],
      ['g:external_seller_id', p.sellerId],
      ['g:external_seller_name', p.sellerName],
    ]
    const elements = fields.flatMap(([name, value]) => (value === null ? [] : `<${name}>${escapeXml(value)}</${name}>`))
    return `<item>${elements.join('')}</item>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>
<title>Demo Market</title><link>${shopUrl}</link><description>The demo shop's products</description>
${items.join('\n')}
</channel></rss>
`
}

import type { Product } from './products.ts'

/** Addresses of a product in the shop at `shopUrl`. */
export const productPath = (id: string) => `/p/${id}`
export const picturePath = (id: string) => `/pictures/${id}.svg`

const euros = (amount: number) => `${amount.toFixed(2)} EUR`
const escapeXml = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)

/** The catalogue as a shop's feed: RSS 2.0 with Google's `g:` namespace. */
export function demoFeed(products: readonly Product[], shop: { name: string; url: string }): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>
<title>${escapeXml(shop.name)}</title><link>${shop.url}</link><description>What ${escapeXml(shop.name)} sells</description>
${products.map((product, index) => item(product, index, shop.url)).join('\n')}
</channel></rss>
`
}

/** A few items have faults of real feeds: a price with a comma, and a GTIN with a wrong check digit. */
const COMMA_EVERY = 90
const WRONG_GTIN_EVERY = 40
const WRONG_GTIN = '4006381333932'

function item(p: Product, index: number, shopUrl: string): string {
  const price = index % COMMA_EVERY === 1 ? euros(p.price).replace('.', ',') : euros(p.price)
  const fields: [string, string | null][] = [
    ['id', p.id],
    ['title', p.title],
    ['description', p.description],
    ['link', shopUrl + productPath(p.id)],
    ['image_link', shopUrl + picturePath(p.id)],
    ['availability', p.available ? 'in_stock' : 'out_of_stock'],
    ['price', price],
    ['sale_price', p.salePrice === null ? null : euros(p.salePrice)],
    ['gtin', index % WRONG_GTIN_EVERY === 1 ? WRONG_GTIN : null],
    ['brand', p.brand],
    ['product_type', p.category],
    ['item_group_id', p.groupId],
    ['color', p.color],
    ['size', p.size],
    ['material', p.material],
    ['condition', 'new'],
    ['external_seller_id', p.sellerId],
    ['external_seller_name', p.sellerName],
  ]
  const elements = fields.flatMap(([name, value]) => (value === null ? [] : element(name, escapeXml(value))))
  const details = p.details.map(({ name, value }) =>
    element(
      'product_detail',
      element('attribute_name', escapeXml(name)) + element('attribute_value', escapeXml(value)),
    ),
  )
  return `<item>${[...elements, ...details].join('')}</item>`
}

const element = (name: string, content: string) => `<g:${name}>${content}</g:${name}>`

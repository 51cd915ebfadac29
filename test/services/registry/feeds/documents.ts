import type { FeedItem } from '../../../../services/registry/feeds/items/item.ts'
import { offerFromItem } from '../../../../services/registry/feeds/items/offer-from-item.ts'
import { parseFeed } from '../../../../services/registry/feeds/source/parse.ts'

/** Parts from which feeds are made. */

export const required = {
  id: 'A1',
  title: 'A lamp',
  link: 'https://shop.example/a1',
  image_link: 'https://shop.example/a1.jpg',
  price: '12.50 EUR',
  availability: 'in_stock',
  description: 'Gives light',
}

/** Elements with the prefix g; undefined leaves one out. */
export function elements(values: Record<string, string | undefined>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : `<g:${name}>${value}</g:${name}>`))
    .join('')
}

export function item(values: Record<string, string | undefined> = {}, more = ''): string {
  return `<item>${elements({ ...required, ...values })}${more}</item>`
}

export function rss(...items: string[]): string {
  return `<?xml version="1.0"?><rss version="2.0" xmlns:g="http://base.google.com/ns/1.0" xmlns:c="http://base.google.com/cns/1.0"><channel><title>Shop</title>\n${items.join('\n')}\n</channel></rss>`
}

/** Parses the items of a text, which the parser gets in pieces of this many characters. */
export async function parse(text: string, chunkChars = 7): Promise<FeedItem[]> {
  const pieces = async function* () {
    for (let at = 0; at < text.length; at += chunkChars) yield text.slice(at, at + chunkChars)
  }
  const items: FeedItem[] = []
  for await (const some of parseFeed(pieces())) items.push(...some)
  return items
}

export const context = { shopId: 'S', feedId: 'F', currency: 'EUR', lang: 'en', now: Date.UTC(2026, 5, 15) }

/** The result of mapping the only item of a feed. */
export async function mapped(xml: string) {
  const [only] = await parse(xml, 1_000)
  const { offer, issues, id, staleAt } = offerFromItem(only!, context)
  return { id, offer, staleAt, issues, codes: issues.map(({ code }) => code) }
}

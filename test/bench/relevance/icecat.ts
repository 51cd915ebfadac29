import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'

export interface IcecatProduct {
  id: string
  title: string
  short_description?: string
  supplier?: string
  price?: number
  ean?: string[]
  img_500x500?: string
  [attribute: string]: unknown
}

/** Reads the products from `products.jsonl.gz` in a folder. */
export function readIcecat(folder: string): IcecatProduct[] {
  return gunzipSync(readFileSync(join(folder, 'products.jsonl.gz')))
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as IcecatProduct)
}

export interface Judgment {
  query: string
  docid: string
  rating: number
}

/** Reads the judgments from `judgments.csv` in a folder: query, docid, rating 0 to 3. */
export function readJudgments(folder: string): Judgment[] {
  const rows: Record<keyof Judgment, string>[] = parse(readFileSync(join(folder, 'judgments.csv')), { columns: true })
  return rows.map((row) => ({ ...row, rating: Number(row.rating) }))
}

const escapeXml = (text: string) =>
  text.replace(/[&<>"']|[^\t\n\r\x20-\uffff]/g, (c) => (c < ' ' ? ' ' : `&#${c.codePointAt(0)};`))

/** The products as an RSS feed with Google's names. The supplier is brand and seller; attributes are product details. */
export function icecatFeed(products: IcecatProduct[]): string {
  const items = products.map((p) => {
    const fields: [string, string | undefined][] = [
      ['g:id', p.id],
      ['title', p.title],
      ['description', p.short_description],
      ['link', `https://shop.example/p/${p.id}`],
      ['g:image_link', p.img_500x500 ?? `https://shop.example/i/${p.id}.jpg`],
      ['g:availability', 'in_stock'],
      ['g:price', `${((p.price ?? 999) / 100).toFixed(2)} EUR`],
      ['g:brand', p.supplier],
      ['g:gtin', p.ean?.[0]],
      ['g:product_type', typeof p.attr_t_product_type === 'string' ? p.attr_t_product_type : undefined],
      ['g:external_seller_id', p.supplier && `seller-${p.supplier.toLowerCase()}`],
      ['g:condition', 'new'],
    ]
    const elements = fields.flatMap(([name, value]) => (value ? [`<${name}>${escapeXml(value)}</${name}>`] : []))
    const details = Object.entries(p)
      .filter(([name, value]) => name.startsWith('attr_') && value !== null && `${value}`.length <= 500)
      .map(
        ([name, value]) =>
          `<g:product_detail><g:attribute_name>${escapeXml(name.slice(7))}</g:attribute_name><g:attribute_value>${escapeXml(`${value}`)}</g:attribute_value></g:product_detail>`,
      )
    return `<item>${elements.join('')}${details.join('')}</item>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Icecat</title><link>https://shop.example</link>\n${items.join('\n')}\n</channel></rss>\n`
}

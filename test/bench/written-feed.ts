import { open } from 'node:fs/promises'

/**
 * Writes a feed of items like those of a shop: a few hundred characters of text, a dozen elements, nested shipping.
 * @param changedEvery how many items lie from one to the next whose price is another than in the feed of 0, which has none.
 */
export async function writeFeed(path: string, items: number, changedEvery: number): Promise<void> {
  const output = await open(path, 'w')
  await output.write(
    '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0" ' +
      'xmlns:c="http://base.google.com/cns/1.0"><channel><title>Shop</title>\n',
  )
  for (let from = 0; from < items; from += 1_000) {
    const some = Array.from({ length: Math.min(1_000, items - from) }, (_, i) => itemXml(from + i, changedEvery))
    await output.write(some.join(''))
  }
  await output.write('</channel></rss>\n')
  await output.close()
}

const WORDS =
  'steel lamp oak table soft chair blue glass warm wool light round large kitchen garden set with two'.split(' ')
const words = (seed: number, count: number) =>
  Array.from({ length: count }, (_, i) => WORDS[(seed * 7 + i * (1 + (seed % 5))) % WORDS.length]).join(' ')

function itemXml(i: number, changedEvery: number): string {
  const cents = 100 + ((i * 7919) % 100_000) + (changedEvery > 0 && i % changedEvery === 0 ? 1 : 0)
  return `<item>
  <g:id>SKU-${i}</g:id>
  <title>${words(i, 6)} ${i}</title>
  <description>${words(i, 60)} &amp; more</description>
  <link>https://shop.example/products/${i}?ref=feed</link>
  <g:image_link>https://cdn.shop.example/images/${i}.jpg</g:image_link>
  <g:availability>${i % 9 === 0 ? 'out_of_stock' : 'in_stock'}</g:availability>
  <g:price>${(cents / 100).toFixed(2)} EUR</g:price>
  <g:brand>Brand ${i % 200}</g:brand>
  <g:mpn>M-${i}</g:mpn>
  <g:condition>new</g:condition>
  <g:google_product_category>Home &amp; Garden &gt; Furniture</g:google_product_category>
  <g:product_type>Home &gt; Room ${i % 20} &gt; Kind ${i % 300}</g:product_type>
  <g:color>${WORDS[i % WORDS.length]}</g:color>
  <g:shipping><g:country>DE</g:country><g:price>4.99 EUR</g:price></g:shipping>
  <c:warehouse>W${i % 7}</c:warehouse>
</item>
`
}

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { digest, type OfferContent } from '../../../../services/domain/catalogue/offer.ts'
import { offerFromItem } from '../../../../services/registry/feeds/items/offer-from-item.ts'
import { tries } from '../../../effort.ts'
import { context, parse } from './documents.ts'

/** A writer of feeds that shares nothing with the reader: it knows only Google's specification. */

// Before a letter, < begins a tag, and HTML would show something else.
const word = fc
  .stringMatching(/^[A-Za-z0-9ąćęłńóśźżäöüßéèñКириц漢字😀'"&<>%!?.,()+-]{1,12}$/u)
  .filter((value) => !/<[a-z/!]/i.test(value))
const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const micros = fc.integer({ min: 100, max: 9_000_000 }).map((cents) => cents * 10_000)
const url = fc.webUrl({ validSchemes: ['http', 'https'], withQueryParameters: true }).filter((u) => /^[!-~]+$/.test(u))
const digits = fc.stringMatching(/^[1356789][0-9]{11}$/)

const gtin = digits
  .map((start) => {
    let odd = 0
    let even = 0
    for (let i = 0; i < 12; i += 2) {
      even += Number(start[i])
      odd += Number(start[i + 1])
    }
    return `${start}${(1000 - (3 * odd + even)) % 10}`
  })
  .filter((code) => !/^9[89]/.test(code))

const offer = fc.record({
  id: fc
    .stringMatching(/^[A-Za-z0-9_./ -]{1,40}$/)
    .map((id) => id.replace(/\s+/g, ' ').trim())
    .filter((id) => id !== ''),
  title: text,
  description: text,
  link: url,
  imageLink: url,
  priceMicros: micros,
  discount: optional(fc.integer({ min: 1, max: 99 })),
  availability: fc.constantFrom('in_stock', 'out_of_stock', 'preorder', 'backorder'),
  brand: optional(text),
  gtin: optional(gtin),
  condition: optional(fc.constantFrom('new', 'used', 'refurbished')),
  adult: optional(fc.boolean()),
  color: optional(text),
  itemGroupId: optional(word),
  productTypes: fc.uniqueArray(
    fc
      .array(
        fc
          .stringMatching(/^[A-Za-z0-9 ]{1,10}$/)
          .map((t) => t.replace(/\s+/g, ' ').trim())
          .filter((t) => t !== ''),
        { minLength: 1, maxLength: 3 },
      )
      .map((levels) => levels.join(' > ')),
    { maxLength: 5 },
  ),
  labels: fc
    .uniqueArray(word, { maxLength: 5 })
    .map((labels) => [...new Set(labels.filter((l) => !/^\s*$/.test(l)).map((l) => l.replace(/[<&]/g, '_')))]),
  shipping: fc.array(
    fc.record({ country: fc.constantFrom('PL', 'DE', 'US'), price: optional(fc.constantFrom('4.99 EUR', '0 EUR')) }),
    { maxLength: 3 },
  ),
  productDetails: fc.array(fc.record({ sectionName: optional(text), attributeName: text, attributeValue: text }), {
    maxLength: 4,
  }),
  customParameters: fc.dictionary(
    fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,10}$/).filter((n) => n !== '__proto__'),
    text,
    { maxKeys: 8 },
  ),
})
type Drawn = typeof offer extends fc.Arbitrary<infer T> ? T : never

const style = fc.record({
  prefix: fc.constantFrom('g', 'x', ''),
  atom: fc.boolean(),
  cdata: fc.boolean(),
  indent: fc.boolean(),
  order: fc.integer(),
})

function written(
  drawn: Drawn,
  { prefix, cdata, indent, order }: typeof style extends fc.Arbitrary<infer T> ? T : never,
): string {
  const escaped = (value: string) =>
    cdata && !value.includes(']]>') ? `<![CDATA[${value}]]>` : value.replace(/[&<>"]/g, (c) => `&#${c.codePointAt(0)};`)
  const tag = (name: string, inner: string) => {
    const full = prefix === '' ? name : `${prefix}:${name}`
    return `<${full}>${inner}</${full}>`
  }
  const field = (name: string, value: string | null) => (value === null ? '' : tag(name, escaped(value)))
  const amount = (value: number) => `${(value / 1e6).toFixed(2)} EUR`
  const parts = [
    field('id', drawn.id),
    field('title', drawn.title),
    field('description', drawn.description),
    field('link', drawn.link),
    field('image_link', drawn.imageLink),
    field('price', amount(drawn.priceMicros)),
    field('sale_price', salePrice(drawn) === null ? null : amount(salePrice(drawn)!)),
    field('availability', drawn.availability),
    field('brand', drawn.brand),
    field('gtin', drawn.gtin),
    field('condition', drawn.condition),
    field('adult', drawn.adult === null ? null : drawn.adult ? 'yes' : 'no'),
    field('color', drawn.color),
    field('item_group_id', drawn.itemGroupId),
    drawn.productTypes.map((path) => field('product_type', path)).join(''),
    drawn.labels.map((label, i) => field(`custom_label_${i}`, label)).join(''),
    drawn.shipping.map((s) => tag('shipping', field('country', s.country) + field('price', s.price))).join(''),
    drawn.productDetails
      .map((d) =>
        tag(
          'product_detail',
          field('attribute_name', d.attributeName) +
            field('section_name', d.sectionName) +
            field('attribute_value', d.attributeValue),
        ),
      )
      .join(''),
    Object.entries(drawn.customParameters)
      .map(([name, value]) => `<c:${name} type="string">${escaped(value)}</c:${name}>`)
      .join(''),
  ]
  const turned = order % 2 === 0 ? parts : parts.toReversed()
  return turned.join(indent ? '\n      ' : '')
}

const salePrice = ({ priceMicros, discount }: Drawn): number | null => {
  if (discount === null) return null
  const cents = Math.floor((priceMicros / 10_000) * (1 - discount / 100))
  return cents > 0 && cents * 10_000 < priceMicros ? cents * 10_000 : null
}

function expected(drawn: Drawn): OfferContent {
  const { discount: _, ...fields } = drawn
  const oneLine = (value: string) => value.replace(/\s+/g, ' ').trim()
  return {
    ...fields,
    title: oneLine(drawn.title),
    description: oneLine(drawn.description),
    shopId: context.shopId,
    feedId: context.feedId,
    salePriceMicros: salePrice(drawn),
    currency: 'EUR',
    isAvailable: drawn.availability !== 'out_of_stock',
    lang: context.lang,
    productId: null,
    deepLink: null,
    mpn: null,
    catalogProductCategory: null,
    ageGroup: null,
    gender: null,
    material: null,
    pattern: null,
    size: null,
    energyEfficiencyClass: null,
    unitPricingMeasure: null,
    externalSellerId: null,
    externalSellerName: null,
    expiresAt: null,
    additionalImageLinks: [],
    certification: [],
    shipping: drawn.shipping.map((s) => ({
      ...s,
      region: null,
      minHandlingTime: null,
      maxHandlingTime: null,
      minTransitTime: null,
      maxTransitTime: null,
    })),
  }
}

it('reads back what an independent writer wrote, in every style, cut anywhere', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(offer, { selector: ({ id }) => id, minLength: 1, maxLength: 4 }),
      style,
      fc.integer({ min: 1, max: 200 }),
      async (drawn, how, chunkChars) => {
        const spaces = `xmlns:${how.prefix || 'g'}="http://base.google.com/ns/1.0" xmlns:c="http://base.google.com/cns/1.0"`
        const [open, name, close] = how.atom
          ? [`<feed xmlns="http://www.w3.org/2005/Atom" ${spaces}>`, 'entry', '</feed>']
          : [`<rss version="2.0" ${spaces}><channel>`, 'item', '</channel></rss>']
        const xml = open + drawn.map((each) => `<${name}>${written(each, how)}</${name}>`).join('\n') + close
        const read = (await parse(xml, chunkChars)).map((item) => offerFromItem(item, context))
        expect(read.flatMap(({ issues }) => issues)).toEqual([])
        expect(read.map(({ offer: back }) => back)).toEqual(drawn.map(expected))
        expect(read.map(({ offer: back }) => digest(back!))).toEqual(drawn.map((each) => digest(expected(each))))
      },
    ),
    { numRuns: tries(150, 1_500) },
  )
})

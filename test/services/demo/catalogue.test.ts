import { createHash } from 'node:crypto'
import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import { demoFeed } from '../../../services/demo/catalogue/feed.ts'
import { demoCatalogue } from '../../../services/demo/catalogue/products.ts'
import { drawings, pictureOf, VIEWS } from '../../../services/demo/pictures/picture.ts'

const products = demoCatalogue()

/** @throws when the text is not well-formed XML. */
function parse(xml: string) {
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.write(xml).close()
}

describe('the catalogue of the demo', () => {
  it('is the same every time', () => {
    expect(demoCatalogue()).toEqual(products)
  })

  it('has some 600 products or more in 8 departments, each with an id of its own', () => {
    expect(products.length).toBeGreaterThanOrEqual(600)
    expect(new Set(products.map(({ id }) => id)).size).toBe(products.length)
    expect(new Set(products.map(({ category }) => category.split(' > ')[0])).size).toBe(8)
  })

  it('sells nothing for more than it costs without a sale, nor for nothing', () => {
    for (const { price, salePrice } of products) {
      expect(price).toBeGreaterThan(0)
      if (salePrice !== null) expect(salePrice).toBeLessThan(price)
    }
  })

  it('is published as a well-formed feed with every product', () => {
    const feed = demoFeed(products, { name: 'A & B', url: 'http://shop.example' })
    parse(feed)
    expect(feed.split('<item>').length - 1).toBe(products.length)
  })
})

describe('the pictures of the demo', () => {
  it('has a drawing of its own for each kind of product', () => {
    const kinds = new Set(products.map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual(Object.keys(drawings).sort())
    const product = products[0]!
    const hashes = [...kinds].map((kind) =>
      createHash('sha256')
        .update(pictureOf({ ...product, kind }))
        .digest('hex'),
    )
    expect(new Set(hashes).size).toBe(kinds.size)
  })

  it('draws every product as a well-formed picture, from each side', () => {
    for (const product of products) for (const view of VIEWS) parse(pictureOf(product, view))
  })
})

import { expect, it } from 'vitest'
import { IndexUnavailable } from '../../../../infra/product-index/port.ts'
import { Snapshot } from '../../../../services/domain/snapshot.ts'
import { type DimensionValues, readNames } from '../../../../services/registry/reports/names.ts'
import { apply, titleIndex } from './world.ts'

const snapshot = new Snapshot()
apply(snapshot, 'Campaign', 'deleted', { name: 'Spring', banners: [] }, 1)
const textFields = (title: string) => [
  { type: 'CTA', value: 'Buy' },
  { type: 'TITLE', value: title },
]
apply(snapshot, 'AdFormat', 'box', { name: 'Box' }, 1)
const banner = { images: [], logoImageId: null, lang: null }
apply(snapshot, 'Campaign', 'c', {
  name: 'Summer',
  banners: [
    { ...banner, id: 'titled', adFormatId: 'box', textFields: textFields('Sun and sea') },
    { ...banner, id: 'untitled', adFormatId: 'box', textFields: [] },
    { ...banner, id: 'formless', adFormatId: '', textFields: textFields('Sun and sea') },
    { ...banner, id: 'nameless', adFormatId: '', textFields: [] },
  ],
})

it('names entities, deleted ones too, and banners by title and format', async () => {
  const index = titleIndex({})
  const nameOf = await readNames({ snapshot, index }, [], { dimensions: ['campaign', 'banner'], onlyShopId: 's' })
  expect(nameOf('campaign', { campaign: 'deleted' })).toBe('Spring')
  expect(nameOf('campaign', { campaign: 'c', banner: 'titled' })).toBe('Summer')
  expect(nameOf('banner', { banner: 'titled' })).toBe('Sun and sea · Box')
  expect(nameOf('banner', { banner: 'untitled' })).toBe('Box')
  expect(nameOf('banner', { banner: 'formless' })).toBe('Sun and sea')
  for (const banner of ['nameless', 'gone', null, '']) expect(nameOf('banner', { banner })).toBe(null)
  expect(index.asked).toEqual([])
})

it('names products by the shop of their row, or by the only one there is; the same id may be another product elsewhere', async () => {
  const index = titleIndex({ 'a/1': 'Lamp', 'b/1': 'Chair' })
  const rows = [
    { shop: 'a', product: '1' },
    { shop: 'b', product: '1' },
    { shop: 'b', product: '2' },
  ]
  const named = async (rows: DimensionValues[], onlyShopId: string | null) => {
    const nameOf = await readNames({ snapshot, index }, rows, { dimensions: ['shop', 'product'], onlyShopId })
    return rows.map((row) => nameOf('product', row))
  }
  expect(await named(rows, null)).toEqual(['Lamp', 'Chair', null])
  expect(await named([{ product: '1' }, { product: null }], 'b')).toEqual(['Chair', null])
  expect(await named([{ product: '1' }], null)).toEqual([null])
})

it('names advertised and purchased products alike', async () => {
  const index = titleIndex({ 'a/1': 'Lamp', 'a/2': 'Bulb' })
  const rows = [{ product: '1', purchasedProduct: '2' }]
  const nameOf = await readNames({ snapshot, index }, rows, {
    dimensions: ['product', 'purchasedProduct'],
    onlyShopId: 'a',
  })
  expect([nameOf('product', rows[0]!), nameOf('purchasedProduct', rows[0]!)]).toEqual(['Lamp', 'Bulb'])
})

it('asks for each product once, and for no more at a time than the index takes', async () => {
  const titles = Object.fromEntries(Array.from({ length: 2_500 }, (_, i) => [`a/${i}`, `Product ${i}`]))
  const index = titleIndex(titles)
  const rows = Array.from({ length: 5_000 }, (_, i) => ({ product: String(i % 2_500) }))
  const nameOf = await readNames({ snapshot, index }, rows, { dimensions: ['product'], onlyShopId: 'a' })
  expect(index.asked).toEqual([1_000, 1_000, 500])
  expect(rows.every((row) => nameOf('product', row) === `Product ${row.product}`)).toBe(true)
})

it('leaves products without names while the index is away, and hides no other failure', async () => {
  const rows = [{ product: '1' }]
  const options = { dimensions: ['product'] as const, onlyShopId: 'a' }
  const away = { get: () => Promise.reject(new IndexUnavailable('down')) }
  expect((await readNames({ snapshot, index: away }, rows, options))('product', rows[0]!)).toBe(null)
  const broken = { get: () => Promise.reject(new TypeError('broken')) }
  await expect(readNames({ snapshot, index: broken }, rows, options)).rejects.toThrow('broken')
})

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { parseProduct } from '../../../../infra/product-index/embedded/product-cache.ts'
import { anOffer } from '../offer.fixture.ts'

const weight = { sectionName: null, attributeName: 'weight', attributeValue: '3 kg' }

function stored(id: string) {
  const { productDetails: _, ...offer } = anOffer({ id })
  return {
    rowid: 1,
    changed: 1,
    offer: JSON.stringify(offer),
    details: JSON.stringify([{ ...weight, attributeValue: `${id} kg` }]),
    offerVersion: 1,
    campaigns: '["c"]',
    signals: null,
  }
}

describe('parseProduct', () => {
  it('gives each offer its own details, the same list each time', () => {
    const [first, second] = [parseProduct(stored('1')).offer, parseProduct(stored('2')).offer]
    expect(second.productDetails).toEqual([{ ...weight, attributeValue: '2 kg' }])
    expect(first.productDetails).toEqual([{ ...weight, attributeValue: '1 kg' }])
    expect(first.productDetails).toBe(first.productDetails)
  })

  it('keeps the details in copies of an offer', () => {
    const { offer } = parseProduct(stored('1'))
    expect({ ...offer }).toEqual({ ...anOffer({ id: '1' }), productDetails: [{ ...weight, attributeValue: '1 kg' }] })
    expect(JSON.parse(JSON.stringify(offer))).toEqual({ ...offer })
  })

  it('makes offers that V8 does not keep as hash tables', () => {
    setFlagsFromString('--allow-natives-syntax')
    const hasFastProperties = runInNewContext('(offer) => %HasFastProperties(offer)') as (offer: object) => boolean
    const offers = ['1', '2', '3'].map((id) => parseProduct(stored(id)).offer)
    offers[1]!.productDetails.at(0)
    expect(offers.map(hasFastProperties)).toEqual([true, true, true])
  })
})

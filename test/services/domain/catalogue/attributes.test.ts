import { describe, expect, test } from 'vitest'
import { attributeCheck, attributesOf, attributeTexts } from '../../../../services/domain/catalogue/attributes.ts'
import { anOffer } from '../../../infra/product-index/offer.fixture.ts'

const detail = (attributeName: string, attributeValue: string) => ({ sectionName: null, attributeName, attributeValue })

describe('attributes', () => {
  test('every built-in name reads its feed field', () => {
    const offer = anOffer({
      adult: false,
      ageGroup: 'adult',
      color: 'Red',
      energyEfficiencyClass: 'A+',
      gender: 'female',
      catalogProductCategory: '42',
      gtin: '123',
      material: 'Wool',
      mpn: 'X-1',
      pattern: 'dots',
      size: 'XL',
      unitPricingMeasure: '1 l',
    })
    expect(Object.fromEntries(attributesOf(offer).map(({ name, value }) => [name, value]))).toEqual({
      adult: 'false',
      age_group: 'adult',
      color: 'red',
      energy_efficiency_class: 'a+',
      gender: 'female',
      catalog_product_category: '42',
      gtin: '123',
      material: 'wool',
      mpn: 'x-1',
      pattern: 'dots',
      size: 'xl',
      unit_pricing_measure: '1 l',
    })
  })

  test('product details keep their names, normalised; blank ones are left out', () => {
    const offer = anOffer({ productDetails: [detail(' Plug  Type', 'É'), detail('Weight', ' '), detail('', 'x')] })
    expect(attributesOf(offer)).toEqual([{ name: 'plug type', value: 'e' }])
  })

  test.each([
    ['color', ['Café'], true],
    ['color', [' Cafe\u0301 '], true],
    ['color', ['red', 'Café'], true],
    ['color', ['café'], false],
    ['color', ['Cafe'], false],
    ['Color', ['Café'], false],
    ['gender', ['Female'], true],
    ['adult', ['TRUE'], true],
    ['Plug', ['Type F'], true],
    [' Plug ', ['Type F'], true],
    ['plug', ['Type F'], false],
    ['Plug', ['Type  F'], false],
    ['toString', ['x'], false],
    ['size', [''], false],
  ])('%j of %j is carried: %s', (name, anyOf, expected) => {
    const details = [detail('Plug ', 'Type F')]
    const offer = anOffer({ color: 'Café', gender: 'female', adult: true, size: null, productDetails: details })
    expect(attributeCheck(name, anyOf)(offer)).toBe(expected)
  })

  test('words come from values, and of a yes-or-no detail from its name when it is yes', () => {
    const offer = anOffer({
      color: 'Red',
      productDetails: [detail('Blue_tooth', 'Yes'), detail('Wi-Fi', 'no'), detail('Weight', '3 kg')],
    })
    expect(attributeTexts(offer)).toEqual(['Red', 'Blue tooth', '3 kg'])
  })
})
